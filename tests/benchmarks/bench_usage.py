"""How long a month's usage page takes for a tenant with a million records in it, and what keeping the sums costs.

Run from the repository's root: python -m tests.benchmarks.bench_usage. It starts a PostgreSQL of its own.
"""

import os
import statistics
import time
from collections.abc import Callable
from typing import Any

from tests.services import RunServices

RECORDS = 1_000_000
ROUNDS = 15
FILL = """
INSERT INTO tenants_usagerecord (id, tenant_id, source_kind, source_id, meter, model, version, quantity, price,
                                 amount_micros, currency, livemode, created_at)
SELECT gen_random_uuid(), %(tenant)s, 'page', gen_random_uuid(), (ARRAY['page', 'token', 'call'])[1 + n %% 3],
       'model-' || n %% 8, 1, 1 + n %% 50, '{}', 1500, 'EUR', n %% 20 > 0,
       %(first)s::timestamptz + n * (interval '28 days' / %(records)s)
FROM generate_series(1, %(records)s) n
"""
FROM_RECORDS = """
SELECT (created_at AT TIME ZONE 'UTC')::date AS day, model, meter, currency, livemode, sum(quantity),
       sum(amount_micros), count(*)
FROM tenants_usagerecord WHERE tenant_id = %s AND created_at >= %s AND created_at < %s
GROUP BY 1, 2, 3, 4, 5
"""


def main() -> None:
    services = RunServices()
    try:
        services.start()
        services.migrate()
        address = services.address()
        address.create_database(0)
        os.environ.update(address.environment(0), DJANGO_SETTINGS_MODULE="maas.settings")
        _compare()
    finally:
        services.stop()


def _compare() -> None:
    import django  # noqa: PLC0415  Its settings are known only now.

    django.setup(set_prefix=False)
    from django.db import connections  # noqa: PLC0415
    from django.test import Client  # noqa: PLC0415

    from tenants.services import create_tenant  # noqa: PLC0415

    made = create_tenant(name="Busy", email="busy@example.com", password="correct horse")
    with connections["operator"].cursor() as cursor:
        values: dict[str, Any] = {"tenant": made.tenant.id, "first": "2026-10-01", "records": RECORDS}
        started = time.perf_counter()
        cursor.execute(FILL, values)
        print(f"{RECORDS:,} records written in one statement: {time.perf_counter() - started:.1f} s")
        cursor.execute("VACUUM ANALYZE tenants_usagerecord, tenants_usageday")
        window: list[Any] = [made.tenant.id, "2026-10-01", "2026-11-01"]
        records_ms = _median_ms(lambda: cursor.execute(FROM_RECORDS, window))
    client = Client(headers={"Host": "localhost"})
    client.force_login(made.owner)
    page_ms = _median_ms(lambda: client.get("/usage?month=2026-10"))
    print(f"the whole page, from sums by day: {page_ms:.0f} ms")
    print(f"the query alone, from the records themselves: {records_ms:.0f} ms, x{records_ms / page_ms:.1f}")


def _median_ms(work: Callable[[], object]) -> float:
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        work()
        times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times)


if __name__ == "__main__":
    main()
