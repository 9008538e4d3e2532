"""Time queries of usage, as a page and over the API, for a tenant with ten million records in a year.

Run from the repository's root: python -m tests.benchmarks.bench_usage [records] [keys]. It starts its own PostgreSQL.
Half a million records of ten keys make as many sums as ten million. With more than ten keys, each key uses one model.
Queries that distinguish keys are run in turns with the code from before there were sums by month.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any
from unittest.mock import patch
from uuid import UUID, uuid4

import psycopg
from psycopg import conninfo

from tests.benchmarks.circumstances import circumstances
from tests.services import RunServices

RECORDS = 10_000_000
AT_ONCE = 1_000_000
ROUNDS = 30
FILL = """
INSERT INTO tenants_usagerecord (id, tenant_id, source_kind, source_id, meter, model, version, quantity, price,
                                 amount_micros, currency, livemode, key_id, cached, saved_micros, created_at)
SELECT id, %(tenant)s, 'page', id, (ARRAY['page', 'token', 'call'])[1 + kind %% 3], 'model-' || kind %% 9, 1,
       1 + n %% 50, '{}', 1500, 'EUR', n %% 20 > 0, (%(keys)s::uuid[])[1 + n / 7 %% %(many)s], n %% 4 = 0,
       CASE WHEN n %% 4 = 0 THEN 1350 ELSE 0 END,
       '2025-11-01'::timestamptz + n * (interval '365 days' / %(records)s)
FROM (SELECT n, gen_random_uuid() AS id, CASE WHEN %(many)s > 10 THEN n / 7 %% %(many)s ELSE n END AS kind
      FROM generate_series(%(first)s, %(last)s) n) AS one
"""
# The sums are those of the trigger. Letting the trigger compute them would take most of an hour.
SUM_UP = """
INSERT INTO tenants_usageday
    (id, tenant_id, day, model, meter, currency, livemode, key_id, cached, shard, quantity, amount_micros,
     saved_micros, records)
SELECT gen_random_uuid(), tenant_id, (created_at AT TIME ZONE 'UTC')::date, model, meter, currency, livemode,
       key_id, cached, 50, sum(quantity), sum(amount_micros), sum(saved_micros), count(*)
FROM tenants_usagerecord GROUP BY 2, 3, 4, 5, 6, 7, 8, 9 ORDER BY 2, 3, 4, 5, 6, 7, 8, 9
"""
TOTAL_UP = """
INSERT INTO tenants_usagetotal
    (id, tenant_id, day, model, meter, currency, livemode, cached, quantity, amount_micros, saved_micros, records)
SELECT gen_random_uuid(), tenant_id, day, model, meter, currency, livemode, cached, sum(quantity), sum(amount_micros),
       sum(saved_micros), sum(records)
FROM tenants_usageday GROUP BY 2, 3, 4, 5, 6, 7, 8
"""
MONTHS_UP = """
INSERT INTO tenants_usagemonth
    (id, tenant_id, month, model, meter, currency, livemode, key_id, cached, quantity, amount_micros, saved_micros,
     records)
SELECT gen_random_uuid(), tenant_id, date_trunc('month', day::timestamp)::date, model, meter, currency, livemode,
       key_id, cached, sum(quantity), sum(amount_micros), sum(saved_micros), sum(records)
FROM tenants_usageday GROUP BY 2, 3, 4, 5, 6, 7, 8, 9
"""
INDEXES = """
SELECT format('ALTER TABLE tenants_usagerecord DROP CONSTRAINT %%I', conname),
       format('ALTER TABLE tenants_usagerecord ADD CONSTRAINT %%I %%s', conname, pg_get_constraintdef(oid))
FROM pg_constraint WHERE conrelid = 'tenants_usagerecord'::regclass AND contype IN ('p', 'u')
UNION ALL
SELECT format('DROP INDEX %%I', indexname), indexdef FROM pg_indexes
WHERE tablename = 'tenants_usagerecord' AND indexname = 'tenants_usage_by_time'
""".replace("%%", "%")
YEAR = {"from": "2025-11-01", "to": "2026-11-01"}
MONTH = {"from": "2026-10-01", "to": "2026-11-01"}
API: dict[str, dict[str, str]] = {
    "a month, by day": MONTH,
    "a month, by day, model and key": {**MONTH, "group_by": "model,key"},
    "a month, all told apart, 1,000 rows": {
        **MONTH,
        "group_by": "model,key,meter,livemode,cached",
        "limit": "1000",
    },
    "a year, by month": {**YEAR, "bucket": "month"},
    "a year, by day": {**YEAR, "limit": "1000"},
    "a year, by day and model": {**YEAR, "group_by": "model", "limit": "1000"},
    "a year, by month, model": {**YEAR, "bucket": "month", "group_by": "model", "limit": "1000"},
    "a year, by month, meter and cached": {
        **YEAR,
        "bucket": "month",
        "group_by": "meter,cached",
        "limit": "1000",
    },
    "a year, by day and meter": {**YEAR, "group_by": "meter", "limit": "1000"},
    "a day, by hour": {"bucket": "hour", "from": "2026-10-05", "to": "2026-10-06"},
    "a week, by hour": {"bucket": "hour", "from": "2026-10-05", "to": "2026-10-12"},
}
OF_KEYS: dict[str, dict[str, str]] = {
    "a year, by month, key": {**YEAR, "bucket": "month", "group_by": "key", "limit": "1000"},
    "a year, by month, model and key": {**YEAR, "bucket": "month", "group_by": "model,key", "limit": "1000"},
    "a year from the tenth to the tenth, by month, key": {
        "from": "2025-11-10",
        "to": "2026-10-10",
        "bucket": "month",
        "group_by": "key",
        "limit": "1000",
    },
    "a year, by month, all told apart": {
        **YEAR,
        "bucket": "month",
        "group_by": "model,key,meter,livemode,cached",
        "limit": "1000",
    },
    "a year, by day and key": {**YEAR, "group_by": "key", "limit": "1000"},
    "a year, by day, model and key": {**YEAR, "group_by": "model,key", "limit": "1000"},
    "a year, by month, one key": {**YEAR, "bucket": "month", "key": "{key}"},
    "a year, by day, one key": {**YEAR, "key": "{key}", "limit": "1000"},
    "a month, by day and key": {**MONTH, "group_by": "key", "limit": "1000"},
}
"""Queries that are run in turns with the code from before."""
PAGES = {
    "the page of a month": "/usage?month=2026-10",
    "the page of a month, one model": "/usage?month=2026-10&model=model-3",
    "the page of a day's records": "/usage/day?day=2026-10-05",
}


def main() -> None:
    print(circumstances())
    services = RunServices()
    try:
        services.start()
        address = services.address()
        address.create_database(0)
        os.environ.update(address.environment(0), DJANGO_SETTINGS_MODULE="maas.settings")
        records, keys = (int(one) for one in (*sys.argv[1:], *(str(RECORDS), "10")[len(sys.argv) - 1 :]))
        _measure(address.superuser_url, records, keys)
    finally:
        services.stop()


def _measure(superuser_url: str, records: int, many: int) -> None:
    import django  # noqa: PLC0415  The settings exist only now.

    django.setup(set_prefix=False)
    from django.conf import settings  # noqa: PLC0415
    from django.test import Client  # noqa: PLC0415

    from maas.process.collector import settle_collector  # noqa: PLC0415
    from tenants.core.db.unit_of_work import account_work  # noqa: PLC0415
    from tenants.onboarding.create_tenant import create_tenant  # noqa: PLC0415

    settings.ALLOWED_HOSTS = ["*"]
    made = create_tenant(name="Busy", email="busy@example.com", password="correct horse")
    keys = [made.key.key.id, *(uuid4() for _ in range(many - 1))]
    _fill(superuser_url, made.tenant.id, keys, records)
    client = Client(headers={"Host": "localhost"})
    with account_work():
        client.force_login(made.owner)
    client.get("/v1/usage", MONTH)
    # The web process does this once everything is imported. Otherwise about every twentieth query waits for Python's
    # garbage collector.
    settle_collector()
    for title, parameters in API.items():
        _print(f"GET /v1/usage, {title}", lambda asked=parameters: client.get("/v1/usage", asked))  # type: ignore[misc]
    for title, parameters in OF_KEYS.items():
        question = {name: value.format(key=keys[0]) for name, value in parameters.items()}
        _in_turns(f"GET /v1/usage, {title}", lambda asked=question: client.get("/v1/usage", asked))  # type: ignore[misc]
    for title, path in PAGES.items():
        _print(title, lambda path=path: client.get(path))  # type: ignore[misc]
    _cost_of_a_record(made.tenant.id, keys[0])


def _fill(superuser_url: str, tenant_id: UUID, keys: list[UUID], records: int) -> None:
    """Insert the records without trigger and indexes, and restore them afterwards."""
    started = time.perf_counter()
    address = conninfo.make_conninfo(superuser_url, dbname="maas_0")
    with psycopg.connect(address, autocommit=True) as connection:
        indexes = connection.execute(INDEXES).fetchall()
        connection.execute("ALTER TABLE tenants_usagerecord DISABLE TRIGGER add_to_day")
        for drop, _ in indexes:
            connection.execute(drop)
        for first in range(1, records + 1, AT_ONCE):
            last = min(first + AT_ONCE - 1, records)
            values: dict[str, Any] = {"tenant": tenant_id, "records": records, "first": first, "last": last}
            connection.execute(FILL, {**values, "keys": keys, "many": len(keys)})
        for _, add in indexes:
            connection.execute(add)
        connection.execute("SET work_mem = '512MB'")
        sums = connection.execute(SUM_UP).rowcount
        totals = connection.execute(TOTAL_UP).rowcount
        months = connection.execute(MONTHS_UP).rowcount
        connection.execute("ALTER TABLE tenants_usagerecord ENABLE TRIGGER add_to_day")
        connection.execute(
            "VACUUM ANALYZE tenants_usagerecord, tenants_usageday, tenants_usagetotal, tenants_usagemonth"
        )
    took_s = time.perf_counter() - started
    told = f"{sums:,} sums, {totals:,} totals and {months:,} sums of months"
    print(f"{records:,} records of {len(keys):,} keys, {told} in {took_s:.0f} s", flush=True)


def _cost_of_a_record(tenant_id: UUID, key_id: UUID) -> None:
    """Time a record in a transaction that writes nothing else, and rolled up by two thousand as from the stream."""
    from tenants.billing.metering.events import MeterEvent  # noqa: PLC0415
    from tenants.billing.metering.services import record_events  # noqa: PLC0415
    from tenants.billing.usage.services import record_usage  # noqa: PLC0415
    from tenants.core.db.unit_of_work import unit_of_work  # noqa: PLC0415
    from tenants.core.ids import uuid7  # noqa: PLC0415
    from tenants.plans.prices import Price  # noqa: PLC0415

    price = Price("token", 137, 1000, "EUR")

    def one() -> None:
        with unit_of_work(tenant_id):
            record_usage(
                tenant_id=tenant_id,
                source_kind="page",
                source_id=uuid7(),
                model="model-1",
                version=1,
                quantity=5,
                price=price,
                amount_micros=10,
                livemode=True,
                key_id=key_id,
            )

    _print("one record and its sum, with its transaction", one, rounds=300)
    now_ms = time.time_ns() // 1_000_000
    events = [
        MeterEvent(uuid7(), tenant_id, "call", "model-1", 1, 5, price, True, now_ms, key_id=key_id)
        for _ in range(2_000 * 7)
    ]
    parts = iter(range(0, len(events), 2_000))

    def many() -> None:
        at = next(parts)
        record_events(tenant_id=tenant_id, events=events[at : at + 2_000])

    _print("2,000 uses from the stream", many, rounds=6)


def _print(title: str, work: Callable[[], Any], rounds: int = ROUNDS) -> None:
    work()
    pids, times = _pids(), []
    busy_s = sum(map(_busy_s, pids))
    for _ in range(rounds):
        times.append(_timed_ms(title, work))
    busy_ms = (sum(map(_busy_s, pids)) - busy_s) * 1000 / rounds
    print(f"{title}: {_quantiles(times)}; processors busy {busy_ms:.1f} ms", flush=True)


def _in_turns(title: str, work: Callable[[], Any]) -> None:
    """Run both ways round by round, so that other work on the machine affects both."""
    pids, told = _pids(), []
    ways: dict[str, Callable[[], AbstractContextManager[None]]] = {"now": nullcontext, "before": _as_before}
    times: dict[str, list[float]] = {way: [] for way in ways}
    busy: dict[str, float] = dict.fromkeys(ways, 0.0)
    for number in range(ROUNDS + 1):
        for way, made in ways.items():
            with made():
                busy_s = sum(map(_busy_s, pids))
                took_ms = _timed_ms(title, work)
                if number:
                    times[way].append(took_ms)
                    busy[way] += sum(map(_busy_s, pids)) - busy_s
    for way in ways:
        told.append(f"{way} {_quantiles(times[way])}, processors busy {busy[way] * 1000 / ROUNDS:.1f} ms")
    print(f"{title}: {'; '.join(told)}", flush=True)


@contextmanager
def _as_before() -> Iterator[None]:
    """Restore the former code: keys from the sums by day, and the whole of a long time in one query."""
    from tenants.billing.usage import sources, sums  # noqa: PLC0415
    from tenants.billing.usage.usage_query import UsageQuery  # noqa: PLC0415

    def source_of(asked: UsageQuery) -> sources.Source:
        source = sources.source_of(asked)
        return sources.DAYS if source is sources.MONTHS else source

    with patch.object(sums, "source_of", source_of), patch.object(sums, "FIRST_DAYS", 2_000):
        yield


def _pids() -> tuple[int, int]:
    from django.db import connections  # noqa: PLC0415

    with connections["default"].cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return os.getpid(), int(cursor.fetchone()[0])


def _timed_ms(title: str, work: Callable[[], Any]) -> float:
    started = time.perf_counter()
    answer = work()
    took_ms = (time.perf_counter() - started) * 1000
    if answer is not None and answer.status_code != 200:
        raise SystemExit(f"{title}: {answer.status_code} {answer.content[:300]!r}")
    return took_ms


def _quantiles(times: list[float]) -> str:
    ordered = sorted(times)
    return f"p50 {ordered[len(ordered) // 2]:.1f} ms, p95 {ordered[int(len(ordered) * 0.95)]:.1f} ms"


def _busy_s(pid: int) -> float:
    """Return the processor time of a process and its threads: the time on a machine that does nothing else."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
