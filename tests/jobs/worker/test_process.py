"""Tests of worker processes as they are started, with real queues: killed, short of memory, stopped."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest

from inference.workers.heartbeats import EXPIRES_S, WorkerReport, live_workers
from jobs.core.models import Job, Page
from jobs.queue.release import release_version, waiting_versions
from jobs.submission.services import JobRequest, submit_job
from tenants.core.db.unit_of_work import unit_of_work
from tenants.identity.identity import Identity
from tests.inference.workers.placement.models import ONE_ROW, PoolOfModels, pool_of_models
from tests.kept_cluster import PROJECT
from tests.waiting import eventually

MB = 1_000_000
HELD_BYTES = 4_400_000
"""The memory in bytes that a model of one megabyte takes, as the session host measures it alone. Beside others it is
less.
"""
LOAD_AND_NOTICE_S = 10.0
"""Seconds for the load itself on a busy machine, and one second until the next look."""

StartWorker = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[StartWorker]:
    started: list[subprocess.Popen[bytes]] = []

    def begin(pool: PoolOfModels, **variables: str) -> "subprocess.Popen[bytes]":
        env = {**os.environ, "MAAS_WORKER_POOLS": pool.name, **variables}
        with (tmp_path / f"worker-{len(started)}.log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "manage.py", "worker"], cwd=PROJECT, env=env, stdout=log, stderr=log
            )
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.wait()


def report_of(process: "subprocess.Popen[bytes]") -> WorkerReport | None:
    return next((worker for worker in live_workers() if worker.pid == process.pid), None)


def serving(process: "subprocess.Popen[bytes]") -> set[str]:
    report = report_of(process)
    return set(report.serving) if report else set()


def submit(identity: Identity, key: str) -> Job:
    return submit_job(identity=identity, request=JobRequest(model=key, input=ONE_ROW, cache_control="no-store"))


def done(identity: Identity, *jobs: Job) -> bool:
    with unit_of_work(identity.tenant_id):
        states = Job.objects.filter(id__in=[job.id for job in jobs]).values_list("state", flat=True)
        assert not {"failed", "expired"} & set(states)
        return list(states) == ["succeeded"] * len(jobs)


def workers_of(identity: Identity, job: Job) -> set[str]:
    with unit_of_work(identity.tenant_id):
        return set(Page.objects.filter(job=job).values_list("worker", flat=True))


def test_a_killed_workers_model_is_served_by_another_within_a_heartbeat_and_a_load(
    start: StartWorker, identity: Identity, tmp_path: Path
) -> None:
    pool = pool_of_models(1, tmp_path)
    (key,) = pool.keys
    first = start(pool)
    eventually(lambda: key in serving(first), "a home for the model")
    second = start(pool)
    eventually(lambda: report_of(second), "a second worker")
    job = submit(identity, key)
    eventually(lambda: done(identity, job), "the first job")
    assert workers_of(identity, job) == {f"{os.uname().nodename}-{first.pid}"}
    assert not serving(second)
    first.kill()
    first.wait()
    killed_s = time.monotonic()
    again = submit(identity, key)
    eventually(lambda: done(identity, again), "the second job", EXPIRES_S + LOAD_AND_NOTICE_S)
    assert workers_of(identity, again) == {f"{os.uname().nodename}-{second.pid}"}
    assert time.monotonic() - killed_s < EXPIRES_S + LOAD_AND_NOTICE_S


@pytest.mark.parametrize(
    ("models", "held"), [(24, 4), pytest.param(200, 10, marks=pytest.mark.long)], ids=["24", "200"]
)
def test_more_models_than_memory_holds_are_served_by_one_worker(
    models: int, held: int, start: StartWorker, identity: Identity, tmp_path: Path
) -> None:
    pool = pool_of_models(models, tmp_path, size_bytes=MB)
    worker = start(pool, MAAS_MODEL_MEMORY=str(held * HELD_BYTES), MAAS_WORKER_THREADS="8")
    eventually(lambda: len(serving(worker)) > held // 2, "models in memory")
    jobs = [submit(identity, key) for key in pool.keys]
    max_threads, process = 0, psutil.Process(worker.pid)

    def all_done() -> bool:
        nonlocal max_threads
        max_threads = max(max_threads, process.num_threads())
        # No scheduler runs here, which would repeat a release that met a locked row.
        for version_id, version_key in waiting_versions():
            release_version(version_id, version_key)
        return done(identity, *jobs)

    eventually(all_done, "a page of every model", 240)
    report = report_of(worker)
    assert report is not None
    # More models would fit by their weights alone. The additional memory of their runs was measured while others ran.
    assert len(report.models) <= HELD_BYTES * held // MB
    assert report.free_bytes >= 0
    # A worker has eight threads for pages, as many for RPCs, a dozen of its own, and four for each model in memory.
    # A session that was evicted ends its threads a moment later.
    assert max_threads < 120 + 4 * held


def test_a_worker_that_is_told_to_stop_withdraws_its_heartbeat_and_ends(start: StartWorker, tmp_path: Path) -> None:
    pool = pool_of_models(1, tmp_path)
    worker = start(pool)
    eventually(lambda: serving(worker), "a home for the model")
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(15) == 0
    assert report_of(worker) is None
