"""Time the operator's home, lists, filters and searches over a million jobs and as many pages.

Run from the repository's root: python -m tests.benchmarks.bench_admin [jobs]. It starts its own servers.
"""

import os
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import django
import psycopg

from tests.benchmarks.circumstances import circumstances
from tests.services import RunServices

JOBS = 1_000_000
TENANTS = 200
ROUNDS = 5
SLOW_SQL_MS = 100

FILL = Path(__file__).with_name("admin_rows.sql")


@dataclass(frozen=True)
class Look:
    name: str
    ms: float
    worst_ms: float
    cpu_ms: float
    """The processor time of this process alone: the time on a machine that does nothing else, without the database."""
    sql_ms: float
    queries: int
    slowest_ms: float
    slowest: str


def main() -> None:
    jobs = int(sys.argv[1]) if len(sys.argv) > 1 else JOBS
    services = RunServices()
    try:
        services.start()
        address = services.address()
        address.create_database(0)
        os.environ.update(address.environment(0))
        _fill(address.superuser_url, jobs)
        _measure(jobs)
    finally:
        services.stop()


def _fill(superuser_url: str, jobs: int) -> None:
    started_s = time.monotonic()
    script = FILL.read_text().replace(":jobs", str(jobs)).replace(":tenants", str(TENANTS))
    with psycopg.connect(superuser_url, dbname="maas_0", autocommit=True) as db:
        for statement in script.split(";\n"):
            db.execute(statement.encode())
    print(f"filled {jobs:,} jobs in {time.monotonic() - started_s:.0f} s")


def _measure(jobs: int) -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "maas.settings"
    django.setup()
    looks = _looks()
    print(f"{circumstances()}\n{jobs:,} jobs")
    print(f"{'look':<44}{'median':>9}{'worst':>9}{'own cpu':>9}{'sql':>9}{'slowest':>9}{'queries':>9}")
    for look in looks:
        mark = "  " + look.slowest if look.slowest_ms > SLOW_SQL_MS else ""
        times = (look.ms, look.worst_ms, look.cpu_ms, look.sql_ms, look.slowest_ms)
        columns = "".join(f"{one:>6.0f} ms" for one in times)
        print(f"{look.name:<44}{columns}{look.queries:>9}{mark}")


def _looks() -> list[Look]:
    from tests.benchmarks.admin_looks import addresses, operator_client  # noqa: PLC0415  # once Django is set up

    client = operator_client()
    return [_look(name, lambda url=url: client.get(url)) for name, url in addresses()]  # type: ignore[misc]


def _look(name: str, ask: Callable[[], object]) -> Look:
    from django.db import connections  # noqa: PLC0415
    from django.test.utils import CaptureQueriesContext  # noqa: PLC0415

    times: list[float] = []
    cpu: list[float] = []
    sql: list[float] = []
    for _ in range(ROUNDS):
        with CaptureQueriesContext(connections["operator"]) as captured:
            started_s, cpu_s = time.perf_counter(), time.process_time()
            answer = ask()
            times.append(1000 * (time.perf_counter() - started_s))
            cpu.append(1000 * (time.process_time() - cpu_s))
        sql.append(1000 * sum(float(query["time"]) for query in captured.captured_queries))
        assert getattr(answer, "status_code", 0) == 200, (name, answer)
    slowest = max(captured.captured_queries, key=lambda query: float(query["time"]), default={"time": "0", "sql": ""})
    return Look(
        name,
        statistics.median(times),
        max(times),
        statistics.median(cpu),
        statistics.median(sql),
        len(captured),
        1000 * float(slowest["time"]),
        str(slowest["sql"])[:400],
    )


if __name__ == "__main__":
    assert Path("manage.py").exists(), "run this from the repository's root"
    main()
