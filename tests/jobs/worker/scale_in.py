"""Load on the workers of one pool while workers come and go: callers who wait, and jobs. Nothing may fail or count."""

import gc
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from django.conf import settings
from django.db import close_old_connections

from inference.core.calls import Call
from inference.core.contracts import TensorInput
from inference.engine.engine import Engine, local_engine
from inference.rpc import LaneClient
from inference.workers.heartbeats import live_workers
from jobs.core.models import Event, Job, Page
from jobs.queue.release import release_version, waiting_versions
from jobs.submission.services import JobRequest, submit_job
from jobs.worker.queue_service import QueueService
from jobs.worker.versions import VersionCatalog
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.identity.identity import Identity
from tests.fixtures import unique
from tests.inference.workers.placement.models import INPUTS, ONE_ROW, PoolOfModels
from tests.waiting import eventually

CALL_S = 60.0
PAUSE_S = 0.01
RELEASE_EVERY_S = 0.2


@dataclass
class Load:
    """Callers in threads, and a thread that keeps some jobs unfinished and announces their pages."""

    identity: Identity
    keys: Sequence[str]
    callers: int = 3
    unfinished_jobs: int = 8
    calls: int = 0
    failures: list[str] = field(default_factory=list)
    slowest_s: float = 0.0
    cold_calls: int = 0
    """The calls that waited for a model to be loaded."""
    jobs: list[Job] = field(default_factory=list)
    _stopping: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def running(self) -> "Iterator[Load]":
        threads = [threading.Thread(target=self._call_on, args=[number]) for number in range(self.callers)]
        threads.append(threading.Thread(target=self._submit_on))
        for thread in threads:
            thread.start()
        try:
            yield self
        finally:
            self._stopping.set()
            for thread in threads:
                thread.join()

    def counted_attempts(self) -> int:
        """Return the attempts of pages beyond the one that each needs, and those that events count as lost."""
        with unit_of_work(self.identity.tenant_id):
            attempts = Page.objects.filter(attempt__gt=1).count()
            lost = Event.objects.filter(type="page.requeued").exclude(data__reason="handed_back").count()
        return attempts + lost

    def handed_back(self) -> int:
        with unit_of_work(self.identity.tenant_id):
            return Event.objects.filter(type="page.requeued", data__reason="handed_back").count()

    def unfinished(self) -> int:
        with unit_of_work(self.identity.tenant_id):
            return Job.objects.filter(state__in=["queued", "running"]).count()

    def failed_jobs(self) -> int:
        with unit_of_work(self.identity.tenant_id):
            return Job.objects.exclude(state__in=["queued", "running", "succeeded"]).count()

    def wait_for_jobs(self, timeout_s: float = 120.0) -> None:
        """Wait until all jobs have ended, once no more are submitted."""

        def ended() -> bool:
            release_all()
            return self.unfinished() == 0

        eventually(ended, "the end of all jobs", timeout_s)

    def _call_on(self, number: int) -> None:
        client = LaneClient(settings.MAAS_REDIS_URL)
        work = TensorInput({"x": np.ones((1, INPUTS), np.float32)})
        while not self._stopping.is_set():
            key = self.keys[(number + self.calls) % len(self.keys)]
            began_s = time.monotonic()
            try:
                answer = client.call(key, work, {}, Call(tenant=f"caller {number}", deadline_s=began_s + CALL_S))
            except Exception as error:
                self._note(time.monotonic() - began_s, failure=repr(error))
            else:
                self._note(time.monotonic() - began_s, is_cold=answer.spent.load > 0)
            time.sleep(PAUSE_S)
        client.close()

    def _note(self, seconds: float, *, failure: str = "", is_cold: bool = False) -> None:
        with self._lock:
            self.calls += 1
            self.cold_calls += is_cold
            self.slowest_s = max(self.slowest_s, seconds)
            if failure:
                self.failures.append(failure)

    def _submit_on(self) -> None:
        while not self._stopping.is_set():
            for _ in range(self.unfinished_jobs - self.unfinished()):
                request = JobRequest(
                    model=self.keys[len(self.jobs) % len(self.keys)], input=ONE_ROW, cache_control="no-store"
                )
                self.jobs.append(submit_job(identity=self.identity, request=request))
            release_all()
            self._stopping.wait(RELEASE_EVERY_S)
        close_old_connections()


def release_all() -> None:
    """Announce waiting pages, as the scheduler does."""
    with operator_work():
        waiting = waiting_versions()
    for version_id, key in waiting:
        release_version(version_id, key)


class Drains:
    """Workers in this process: one serves, and whenever another has joined it, the one with less work leaves."""

    def __init__(self, pool: PoolOfModels, *, stop_s: float = 5.0) -> None:
        self._pool = pool
        self._stop_s = stop_s
        # The models stay in the memory of an engine, so that a worker can join within a second.
        self._engines = [local_engine(memory_bytes=500_000_000) for _ in range(2)]
        self._services: list[tuple[QueueService, str]] = []
        self.longest_leave_s = 0.0

    def __enter__(self) -> Self:
        self._join(self._engines[0])
        eventually(lambda: self._services[0][0].settled, "a worker with all models", 60)
        return self

    def __exit__(self, *_: object) -> None:
        while self._services:
            self._leave()

    def replace_worker(self) -> None:
        """Let a worker join, and the other leave as soon as it is there."""
        self._join(self._engines[1])
        self._engines.reverse()
        self._leave()

    def _join(self, engine: Engine) -> None:
        name = unique("worker")
        service = QueueService(name=name, engine=engine, versions=VersionCatalog(), pools=frozenset({self._pool.name}))
        service.start()
        service.serve(lambda: None)
        self._services.append((service, name))
        eventually(lambda: name in {worker.name for worker in live_workers()}, "a worker", 30)

    def _leave(self) -> None:
        service, _ = self._services.pop(0)
        began_s = time.monotonic()
        service.leave(began_s + self._stop_s)
        service.end(began_s + self._stop_s)
        self.longest_leave_s = max(self.longest_leave_s, time.monotonic() - began_s)
        # The connections of its threads, which have ended, are only closed when they are collected.
        gc.collect()
