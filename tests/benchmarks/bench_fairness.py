"""Measure how long a tenant waits while another floods the queue, and behind how many of its pages.

Run from the repository's root: python -m tests.benchmarks.bench_fairness [jobs of the flood] [seconds of each part]. It
starts its own product. Single jobs and steady rates are submitted over the API, those of the flood too. Only the ten
thousand jobs are written into the tables, in the form in which an acceptance writes them.

1. One tenant has 10,000 jobs of a page; another submits one job after the other. For each it measures the wait until a
   worker has started it, and how many pages of the flood were started meanwhile. The control is one more job of the
   flooding tenant.
2. Nine tenants submit at a light steady rate: alone, beside a tenant that submits a hundred times as much as one of
   them, and, as the control, as callers of that same tenant, whose jobs then share one queue in order of arrival.
"""

import asyncio
import itertools
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import psycopg

from tests.benchmarks.circumstances import circumstances
from tests.benchmarks.overload_load import play
from tests.flows.caller import Caller
from tests.kept_cluster import PROJECT
from tests.live_stack import LiveStack, RunningStack
from tests.services import without_product
from tests.waiting import eventually

FLOOD = 10_000
PART_S = 60.0
SINGLES = 30
LIGHT_TENANTS = 9
LIGHT_EACH_S = 0.5
TIMES = 100
DRAIN_TIMEOUT_S = 180.0
LOOKED_AT_S = 3.0
MODEL, TEXT = "embed", "A short note about the delivery of twelve apples, number {}."

TENANTS = """
from tenants.onboarding.create_tenant import create_tenant
for number in range({many}):
    made = create_tenant(name=f"bench {{number}}", email=f"bench{{number}}@example.com", password="correct horse")
    print("KEY", made.tenant.id, made.key.text)
"""

# The rows are those that an acceptance leaves: job, page and first event. They are copied from a job that has ended,
# with the values that its rows had then.
MORE = """
WITH fresh AS (
    SELECT uuidv7() AS job, uuidv7() AS page FROM generate_series(1, %(many)s)
), job AS (
    INSERT INTO jobs_job SELECT (jsonb_populate_record(old, jsonb_build_object(
        'id', fresh.job, 'state', 'queued', 'pages_succeeded', 0, 'pages_failed', 0, 'cost_micros', 0, 'last_seq', 1,
        'created_at', clock_timestamp(), 'started_at', NULL, 'finished_at', NULL))).*
    FROM fresh, jobs_job old WHERE old.id = %(like)s
), page AS (
    INSERT INTO jobs_page (id, tenant_id, job_id, model_version_id, number, state, attempt, worker, error_code,
        error_detail, cost_micros, created_at, priority)
    SELECT fresh.page, tenant_id, fresh.job, model_version_id, 1, 'queued', 0, '', '', '', 0, clock_timestamp(),
        priority
    FROM fresh, jobs_job job WHERE job.id = %(like)s
)
INSERT INTO jobs_event (tenant_id, job_id, seq, type, data, created_at)
SELECT event.tenant_id, fresh.job, 1, event.type, event.data, clock_timestamp()
FROM fresh, jobs_event event WHERE event.job_id = %(like)s AND event.seq = 1
"""
# The rows are those that the end of the jobs would leave. Pages that were only postponed would be skipped at each
# release from then on.
STOP = """
WITH flood AS (
    SELECT id FROM jobs_job WHERE tenant_id = %s AND state = 'queued' ORDER BY id FOR UPDATE SKIP LOCKED
), ended AS (
    UPDATE jobs_page SET state = 'canceled', finished_at = clock_timestamp()
    WHERE job_id IN (SELECT id FROM flood) AND state = 'queued' RETURNING job_id
)
UPDATE jobs_job SET state = 'canceled', finished_at = clock_timestamp() WHERE id IN (SELECT job_id FROM ended)
"""
WAITING = "SELECT count(*) FROM jobs_page WHERE state IN ('queued', 'running')"
BEGUN = """
SELECT page.started_at - job.created_at, job.finished_at - job.created_at, (
    SELECT count(*) FROM jobs_page other
    WHERE other.tenant_id = %(flood)s AND other.started_at > job.created_at AND other.started_at < page.started_at
)
FROM jobs_job job JOIN jobs_page page ON page.job_id = job.id
WHERE job.id = ANY(%(jobs)s) AND page.started_at IS NOT NULL
"""
BEGUN_SINCE = """
SELECT count(*) FROM jobs_page WHERE tenant_id = %s AND started_at > (SELECT created_at FROM jobs_job WHERE id = %s)
"""
DWELL = """
SELECT extract(epoch FROM job.finished_at - job.created_at) * 1000,
    extract(epoch FROM job.finished_at - page.started_at) * 1000
FROM jobs_job job JOIN jobs_page page ON page.job_id = job.id WHERE job.id = ANY(%s) AND job.state = 'succeeded'
"""


@dataclass(frozen=True)
class Tenant:
    id: str
    caller: Caller


@dataclass(frozen=True)
class Dwell:
    sent: int
    refused: int
    ms: Sequence[float]
    service_ms: float
    service_p99_ms: float

    def at(self, percent: float) -> float:
        return float(np.percentile(self.ms, percent))


class Bench:
    def __init__(self, tables: "psycopg.Connection[Any]", tenants: Sequence[Tenant]) -> None:
        self.tables, (self.flood, *self.light) = tables, tenants
        self.like = self.submit(self.flood)
        for tenant in tenants:
            tenant.caller.ended(self.submit(tenant))
        self.flood.caller.ended(self.like)

    def submit(self, tenant: Tenant) -> str:
        return str(tenant.caller.submit(MODEL, input={"text": TEXT.format(time.time_ns())})["id"])

    def submit_or_be_refused(self, tenant: Tenant) -> str | None:
        """Submit a job and return its ID. Return None if it is refused because too many jobs of the same tenant are
        queued.
        """
        body = {"model": MODEL, "input": {"text": TEXT.format(time.time_ns())}}
        answer = tenant.caller.http.post("/v1/jobs", json=body)
        assert answer.status_code in (202, 429), answer.text
        return str(answer.json()["id"]) if answer.status_code == 202 else None

    def add(self, many: int) -> None:
        self.tables.execute(MORE, {"many": many, "like": self.like})

    def end_flood(self) -> None:
        self.tables.execute(STOP, [self.flood.id])
        self.calm()
        self.tables.execute("RESET ROLE")
        self.tables.execute("VACUUM jobs_page, jobs_job, jobs_event")
        self.tables.execute("SET ROLE maas_operator")

    def calm(self) -> None:
        def looks() -> bool:
            return bool(self.tables.execute(WAITING).fetchone() == (0,))

        eventually(looks, "the end of what was handed in", DRAIN_TIMEOUT_S)

    def singles(self, flood: int) -> str:
        self.add(flood)
        own = self.submit(self.flood)
        eventually(lambda: self._begun_since(own), "the flood's begin")
        jobs = []
        for _ in range(SINGLES):
            jobs.append(self.submit(self.light[0]))
            self.light[0].caller.ended(jobs[-1])
        rows = self.tables.execute(BEGUN, {"jobs": jobs, "flood": self.flood.id}).fetchall()
        waits = [wait.total_seconds() * 1000 for wait, _, _ in rows]
        dwells = [dwell.total_seconds() * 1000 for _, dwell, _ in rows]
        pages = [pages for _, _, pages in rows]
        before = self._begun_since(own)
        own_state = self.flood.caller.job(own)["state"]
        (left,) = self.tables.execute(WAITING).fetchone() or (0,)
        self.end_flood()
        return (
            f"{len(rows)} of {SINGLES} single jobs beside a flood of {flood}, of which {left} pages were left then:\n"
            f"until begun p50 {np.percentile(waits, 50):.0f} ms, longest {max(waits):.0f} ms, "
            f"until done {np.percentile(dwells, 50):.0f} and {max(dwells):.0f} ms; "
            f"pages of the flood begun meanwhile p50 {np.percentile(pages, 50):.0f}, most {max(pages)}\n"
            f"control, a job of the flooding tenant itself: {own_state} after {before} pages of the flood"
        )

    def _begun_since(self, job: str) -> int:
        (begun,) = self.tables.execute(BEGUN_SINCE, [self.flood.id, job]).fetchone() or (0,)
        return int(begun)

    def steady(self, seconds: float, flood_s: float, callers: Sequence[Tenant]) -> Dwell:
        """Run every light caller at its rate, whatever has become of its earlier jobs."""
        flooding = handing_in(self.flood.caller, flood_s, seconds + 2 + LOOKED_AT_S) if flood_s else None
        if flooding is not None:
            flooding.start()
            time.sleep(2)
        pause_s, jobs = 1 / (LIGHT_EACH_S * len(callers)), []
        with ThreadPoolExecutor(32) as pool:
            began_s = time.monotonic()
            for number in range(int(seconds / pause_s)):
                time.sleep(max(0.0, began_s + number * pause_s - time.monotonic()))
                jobs.append(pool.submit(self.submit_or_be_refused, callers[number % len(callers)]))
        ids = [job for each in jobs if (job := each.result()) is not None]
        # The jobs of the control are queued behind the flood. Those that are not done by now have waited at least this
        # long.
        time.sleep(LOOKED_AT_S)
        rows = self.tables.execute(DWELL, [ids]).fetchall()
        if flooding is not None:
            flooding.join()
        self.end_flood()
        service_ms = [float(row[1]) for row in rows] or [0.0]
        p50_ms, p99_ms = np.percentile(service_ms, [50, 99])
        return Dwell(len(jobs), len(jobs) - len(ids), [float(row[0]) for row in rows], float(p50_ms), float(p99_ms))


def handing_in(caller: Caller, each_s: float, seconds: float) -> "multiprocessing.process.BaseProcess":
    """Return a process that submits jobs at its own rate, whether or not the product keeps up."""
    port = int(caller.url.rpartition(":")[2])
    spawned = multiprocessing.get_context("spawn")
    return spawned.Process(target=_hand_in, args=[port, caller.key, each_s, seconds])


def _hand_in(port: int, key: str, each_s: float, seconds: float) -> None:
    numbers = itertools.count()

    def request() -> bytes:
        text = TEXT.format(f"{time.time_ns()} {next(numbers)}")
        body = json.dumps({"model": MODEL, "input": {"text": text}}).encode()
        head = f"POST /v1/jobs HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {key}\r\n"
        more = f"Cache-Control: no-store\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        return (head + more).encode() + body

    played = asyncio.run(play(port, each_s, seconds, request))
    taken = sum(answer.status == 202 for answer in played.answers)
    print(f"(the flood: {taken} of {int(each_s * seconds)} accepted)", flush=True)


def make_tenants(running: RunningStack, many: int) -> list[tuple[str, str]]:
    env = without_product(os.environ) | {"MAAS_HOME": str(running.home)}
    command = [sys.executable, "manage.py", "shell", "-v", "0", "-c", TENANTS.format(many=many)]
    told = subprocess.run(command, cwd=PROJECT, env=env, check=True, capture_output=True, text=True).stdout
    rows = [line.split() for line in told.splitlines() if line.startswith("KEY ")]
    return [(tenant, key) for _, tenant, key in rows]


def row(name: str, dwell: Dwell) -> str:
    if not dwell.ms:
        return f"| {name} | 0 of {dwell.sent} | | | | |"
    times = f"{dwell.at(50):.0f} | {dwell.at(99):.0f} | {dwell.service_ms:.0f} | {dwell.service_p99_ms:.0f}"
    refused = f", {dwell.refused} refused" if dwell.refused else ""
    return f"| {name} | {len(dwell.ms)} of {dwell.sent}{refused} | {times} |"


def main(flood: int = FLOOD, seconds: float = PART_S) -> None:
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-fairness-"))
        product = LiveStack(Path(folder) / "var", variables={"MAAS_LOG_LEVEL": "WARNING"})
        running = stack.enter_context(product).wait_until_ready()
        services = json.loads((running.home / "run" / "services.json").read_text())
        made = make_tenants(running, 1 + LIGHT_TENANTS)
        tenants = [Tenant(id, stack.enter_context(Caller(running.url, key))) for id, key in made]
        tables = stack.enter_context(
            psycopg.connect(services["MAAS_DATABASE_URL"], options="-c role=maas_operator", autocommit=True)
        )
        bench = Bench(tables, tenants)
        print(circumstances(), flush=True)
        print(bench.singles(flood), flush=True)
        heavy_s = TIMES * LIGHT_EACH_S
        print(
            f"\n{LIGHT_TENANTS} tenants, {LIGHT_EACH_S:g} jobs/s each; the flood {heavy_s:g} jobs/s; {os.getloadavg()}"
        )
        print("\n| | done | dwell p50 ms | p99 ms | claimed to done, p50 ms | p99 ms |\n|---|--|--|--|--|--|")
        alone = bench.steady(seconds, 0, bench.light)
        print(row("alone", alone), flush=True)
        beside = bench.steady(seconds, heavy_s, bench.light)
        print(row("beside the flood", beside), flush=True)
        behind = bench.steady(seconds, heavy_s, [bench.flood] * LIGHT_TENANTS)
        print(row("in one line with it", behind), flush=True)
        print(row("alone again", bench.steady(seconds, 0, bench.light)), flush=True)
        for percent in (50, 99):
            most = 2 * alone.at(percent) + alone.service_ms
            print(f"p{percent} beside the flood: {beside.at(percent):.0f} ms; goal {most:.0f} ms; {os.getloadavg()}")


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))
