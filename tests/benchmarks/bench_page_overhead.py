"""Measure the time of a job of one page beyond its model's run, from acceptance to its end, on an idle product.

Run from the repository's root: python -m tests.benchmarks.bench_page_overhead [jobs]. It starts its own product.
"""

import json
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import psycopg

from jobs.core.states import TERMINAL
from tests.benchmarks.circumstances import circumstances
from tests.flows.caller import Caller
from tests.live_stack import LiveStack

JOBS = 100
PAUSE_S = 0.1
TEXT = b"A short note about the delivery of twelve apples.\n"

STEPS = """
SELECT job.created_at, job.finished_at, (ended.data->'timings'->>'read_ms')::float,
       (ended.data->'timings'->>'load_ms')::float + (ended.data->'timings'->>'run_ms')::float,
       queued.created_at, running.created_at
FROM jobs_job job
JOIN jobs_event ended ON ended.job_id = job.id AND ended.type = 'page.succeeded'
JOIN jobs_event queued ON queued.job_id = job.id AND queued.type = 'job.queued'
JOIN jobs_event running ON running.job_id = job.id AND running.type = 'page.running'
WHERE job.id = ANY(%s)
"""


@dataclass(frozen=True)
class PageTimes:
    """The times in milliseconds. The clocks are those of the web process and the database, on one machine."""

    accept: float
    """The time until the acceptance is written, but not yet committed."""
    wake: float
    """The time until a worker has claimed the page."""
    read: float
    model: float
    whole: float

    @property
    def overhead(self) -> float:
        return self.whole - self.model

    @property
    def end(self) -> float:
        return self.whole - self.accept - self.wake - self.read - self.model


def measure(jobs: int) -> list[PageTimes]:
    with (
        tempfile.TemporaryDirectory(prefix="bench-overhead-") as folder,
        LiveStack(Path(folder) / "var", variables={"MAAS_LOG_LEVEL": "WARNING"}) as stack,
    ):
        running = stack.wait_until_ready()
        with Caller(running.url, running.demo["MAAS_API_KEY"]) as caller:
            document = caller.upload(TEXT, "note.txt")["id"]
            for _ in range(5):
                run_job(caller, document)
            ids = [run_job(caller, document) for _ in range(jobs)]
        services = json.loads((running.home / "run" / "services.json").read_text())
        with psycopg.connect(services["MAAS_DATABASE_URL"], options="-c role=maas_operator") as connection:
            return [page_times(row) for row in connection.execute(STEPS, [ids])]


def run_job(caller: Caller, document: str) -> str:
    time.sleep(PAUSE_S)
    job_id = str(caller.submit("embed", document=document)["id"])
    # The server responds when the job has ended, so nothing polls while the clock runs.
    while caller.http.get(f"/v1/jobs/{job_id}", headers={"Prefer": "wait=10"}).json()["state"] not in TERMINAL:
        pass
    return job_id


def page_times(row: tuple[Any, ...]) -> PageTimes:
    created, finished, read, model, queued, running = row
    return PageTimes(ms(created, queued), ms(queued, running), read, model, ms(created, finished))


def ms(begin: datetime, end: datetime) -> float:
    return 1000 * (end - begin).total_seconds()


def main(jobs: int = JOBS) -> None:
    times = measure(jobs)
    print(circumstances())
    print(f"{len(times)} jobs one after another: a text document of one line, embedded\n")
    print("| part | p50 ms | p90 ms | p99 ms |")
    print("|---|--|--|--|")
    for name, words in (
        ("accept", "request to acceptance written"),
        ("wake", "to the worker's claim"),
        ("read", "reading the page in a child process"),
        ("model", "load and run of the model"),
        ("end", "writing the end, and what lies between"),
        ("whole", "accept to succeeded"),
        ("overhead", "accept to succeeded, less the model's time; goal: p50 at most 25"),
    ):
        values = [getattr(one, name) for one in times]
        figures = " | ".join(f"{np.percentile(values, percent):.1f}" for percent in (50, 90, 99))
        print(f"| {words} | {figures} |")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
