"""Sends skewed traffic to three workers and one pool of models, and prints the figures as JSON. bench_affinity runs
it.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import django
import numpy as np

MODELS, WORKERS, HELD_BY_EACH = 12, 3, 4
SIZE_BYTES = 20_000_000
JOBS, JOBS_PER_S = 500, 12.0
THREADS = 4
SEED = 7
TIMEOUT_S = 90.0


@dataclass(frozen=True)
class Figures:
    loads: int
    load_ms: float
    """The median time of one load."""
    p50_ms: float
    p95_ms: float
    """The time from acceptance to end."""


def measure(strategy: str, folder: Path) -> Figures:
    # These imports need Django's apps.
    from tests.inference.workers.placement.models import pool_of_models, room_for  # noqa: PLC0415

    memory_bytes = room_for(HELD_BY_EACH + 0.5, SIZE_BYTES)
    pool = pool_of_models(MODELS, folder, strategy=strategy, size_bytes=SIZE_BYTES)
    opened = folder / f"opened-{strategy}"
    opened.touch()
    workers = [start_worker(pool.name, opened, memory_bytes) for _ in range(WORKERS)]
    try:
        wait_until_all_serve(workers, pool.keys)
        took_ms = traffic(pool.keys)
    finally:
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.wait(30)
    loads_s = [float(line) for line in opened.read_text().split()]
    p50, p95 = np.percentile(took_ms, (50, 95))
    return Figures(len(loads_s), 1000 * float(np.median(loads_s)), float(p50), float(p95))


def start_worker(pool: str, opened: Path, memory_bytes: int) -> "subprocess.Popen[bytes]":
    settings = {
        "MAAS_WORKER_POOLS": pool,
        "MAAS_MODEL_MEMORY": str(memory_bytes),
        "MAAS_WORKER_THREADS": str(THREADS),
        "MAAS_READER_CHILDREN": "1",
    }
    command = [sys.executable, "-m", "tests.benchmarks.affinity_worker", str(opened)]
    return subprocess.Popen(command, env={**os.environ, **settings}, stdout=sys.stderr)


def wait_until_all_serve(workers: "list[subprocess.Popen[bytes]]", keys: list[str]) -> None:
    from inference.workers.heartbeats import live_workers  # noqa: PLC0415

    pids, deadline = {worker.pid for worker in workers}, time.monotonic() + TIMEOUT_S
    while True:
        living = [report for report in live_workers() if report.pid in pids]
        if len(living) == len(workers) and {key for one in living for key in one.serving} == set(keys):
            return
        assert time.monotonic() < deadline, "the workers did not take up all models"
        time.sleep(0.1)


def traffic(keys: list[str]) -> list[float]:
    """Send the same arrivals with the same choice of models for every strategy, and return the milliseconds of each
    job.
    """
    from jobs.core.models import Job  # noqa: PLC0415
    from jobs.submission.services import JobRequest, submit_job  # noqa: PLC0415
    from tenants.authentication.selectors import identify_key  # noqa: PLC0415
    from tenants.core.db.unit_of_work import unit_of_work  # noqa: PLC0415
    from tenants.onboarding.create_tenant import create_tenant  # noqa: PLC0415
    from tests.inference.workers.placement.models import ONE_ROW  # noqa: PLC0415

    made = create_tenant(name=keys[0], email=f"{keys[0].replace('@', '-')}@example.com")
    identity, dice = identify_key(made.key.text), random.Random(SEED)
    weights = [1 / (rank + 1) for rank in range(len(keys))]
    due_s = time.monotonic()
    for _ in range(JOBS):
        due_s += dice.expovariate(JOBS_PER_S)
        (key,) = dice.choices(keys, weights)
        time.sleep(max(0.0, due_s - time.monotonic()))
        submit_job(identity=identity, request=JobRequest(model=key, input=ONE_ROW))
    deadline = time.monotonic() + TIMEOUT_S
    while True:
        with unit_of_work(identity.tenant_id):
            jobs = list(Job.objects.values_list("state", "created_at", "finished_at"))
        if all(finished for _, _, finished in jobs):
            break
        assert time.monotonic() < deadline, "jobs were not done"
        time.sleep(0.2)
    assert {state for state, _, _ in jobs} == {"succeeded"}
    return [(finished - created).total_seconds() * 1000 for _, created, finished in jobs if finished]


def main() -> None:
    django.setup()
    figures = {}
    for strategy in ("sticky", "random"):
        with tempfile.TemporaryDirectory(prefix="maas-bench-") as folder:
            figures[strategy] = asdict(measure(strategy, Path(folder)))
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
