"""Gives workers up under load, and prints the figures as JSON. bench_scale_in runs it."""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import django

SERVING = 2
STOP_S, GRACE_S = 20, 30
"""As in deploy/kubernetes/base/worker.yaml."""
START_TIMEOUT_S = 120.0


def start_worker(pool: str) -> "subprocess.Popen[bytes]":
    variables = {
        "MAAS_WORKER_POOLS": pool,
        "MAAS_WORKER_STOP_S": str(STOP_S),
        "MAAS_MODEL_MEMORY": "500000000",
        "MAAS_READER_CHILDREN": "1",
    }
    return subprocess.Popen([sys.executable, "manage.py", "worker"], env={**os.environ, **variables}, stdout=sys.stderr)


class Fleet:
    """Worker processes of a pool. One more starts, and then one is given up."""

    def __init__(self, pool: str) -> None:
        self._pool = pool
        self._workers: dict[int, subprocess.Popen[bytes]] = {}
        self.longest_exit_s = 0.0
        self.killed = 0

    def start(self) -> None:
        worker = start_worker(self._pool)
        self._workers[worker.pid] = worker
        until_s = time.monotonic() + START_TIMEOUT_S
        while worker.pid not in self._living():
            assert worker.poll() is None, "the worker ended"
            assert time.monotonic() < until_s, "the worker did not start"
            time.sleep(0.1)

    def give_up(self, *, busiest: bool) -> None:
        costs = self._costs()
        pid = max(costs, key=lambda pid: costs[pid]) if busiest else min(costs, key=lambda pid: costs[pid])
        self._end(self._workers.pop(pid))

    def end_all(self) -> None:
        for worker in self._workers.values():
            worker.terminate()
        for worker in self._workers.values():
            worker.wait(GRACE_S)

    def _end(self, worker: "subprocess.Popen[bytes]") -> None:
        began_s = time.monotonic()
        worker.terminate()
        try:
            worker.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            self.killed += 1
            worker.kill()
            worker.wait()
        self.longest_exit_s = max(self.longest_exit_s, time.monotonic() - began_s)

    def _living(self) -> dict[int, Any]:
        from inference.workers.heartbeats import live_workers_with_long_timeout  # noqa: PLC0415

        return {report.pid: report for report in live_workers_with_long_timeout() if report.pid in self._workers}

    def _costs(self) -> dict[int, tuple[int, int]]:
        """Return the deletion cost of each worker, and the models that it serves, which decide between equals."""
        from inference.scaling.deletion import deletion_costs  # noqa: PLC0415
        from inference.scaling.signal import Costs, WorkerNow  # noqa: PLC0415

        living = self._living()
        workers = [
            WorkerNow(one.name, one.start_id, running=one.running, service_s=one.service_s) for one in living.values()
        ]
        learned = Costs()
        learned.learn(workers)
        costs = deletion_costs(workers, learned)
        return {pid: (costs[one.name], len(one.serving)) for pid, one in living.items()}


def give_up_processes(count: int, identity: Any, folder: Path) -> dict[str, float]:
    from tests.inference.workers.placement.models import pool_of_models  # noqa: PLC0415
    from tests.jobs.worker.scale_in import Load  # noqa: PLC0415

    pool = pool_of_models(3, folder)
    fleet, load = Fleet(pool.name), Load(identity, pool.keys)
    try:
        for _ in range(SERVING):
            fleet.start()
        wait_for_homes(set(pool.keys))
        with load.running():
            for number in range(count):
                fleet.start()
                fleet.give_up(busiest=number % 2 == 1)
        load.wait_for_jobs()
    finally:
        fleet.end_all()
    return {**figures(count, load), "longest exit": round(fleet.longest_exit_s, 2), "killed": fleet.killed}


def wait_for_homes(keys: set[str]) -> None:
    from inference.workers.heartbeats import live_workers_with_long_timeout  # noqa: PLC0415

    until_s = time.monotonic() + START_TIMEOUT_S
    while not keys <= {key for one in live_workers_with_long_timeout() for key in one.serving}:
        assert time.monotonic() < until_s, "the workers did not load the models"
        time.sleep(0.1)


def give_up_in_one_process(count: int, identity: Any, folder: Path) -> dict[str, float]:
    from tests.inference.workers.placement.models import pool_of_models  # noqa: PLC0415
    from tests.jobs.worker.scale_in import Drains, Load  # noqa: PLC0415

    pool = pool_of_models(2, folder)
    load = Load(identity, pool.keys)
    with Drains(pool) as drains:
        with load.running():
            for _ in range(count):
                drains.replace_worker()
        load.wait_for_jobs()
    return {**figures(count, load), "longest exit": round(drains.longest_leave_s, 2), "killed": 0}


def figures(count: int, load: Any) -> dict[str, float]:
    return {
        "count": count,
        "attempts counted": load.counted_attempts(),
        "calls": load.calls,
        "calls failed": len(load.failures),
        "calls that waited for a load": load.cold_calls,
        "slowest call": round(load.slowest_s, 2),
        "jobs": len(load.jobs),
        "jobs failed": load.failed_jobs(),
        "pages handed back": load.handed_back(),
    }


def main() -> None:
    django.setup()
    from tenants.authentication.selectors import identify_key  # noqa: PLC0415
    from tenants.onboarding.create_tenant import create_tenant  # noqa: PLC0415

    found = {}
    ways = (("processes", give_up_processes), ("in one process", give_up_in_one_process))
    for (name, give_up), count in zip(ways, map(int, sys.argv[1:3]), strict=True):
        made = create_tenant(name=name, email=f"{name.replace(' ', '-')}@example.com")
        with tempfile.TemporaryDirectory(prefix="maas-bench-") as folder:
            if count:
                found[name] = give_up(count, identify_key(made.key.text), Path(folder))
    print(json.dumps(found))
    sys.stdout.flush()
    os._exit(0)  # Threads of engines may still run.


if __name__ == "__main__":
    main()
