"""The worker process. It starts the models, leases and consumers, and stops them in order."""

import threading
import time
from collections.abc import Callable, Mapping
from uuid import UUID

import dramatiq
import structlog
from django.conf import settings
from django.db import close_old_connections

from inference.core.control import DEMAND, ControlListener
from inference.engine.engine import local_engine
from inference.registry.hosting import HostedHours
from inference.registry.isolation import pause_version, stays_paused
from inference.registry.profiles import PostgresProfiles
from inference.rpc.keys import CANCEL_WORD
from inference.workers.brokers import PAGE_ACTOR, QueueBroker, build_broker, start_worker
from inference.workers.heartbeats import Heartbeat, worker_name
from inference.workers.placement.affinity import Affinity, queue_names
from inference.workers.placement.heartbeat import PagesNow
from inference.workers.placement.loader import LoadTimes
from inference.workers.placement.middleware import AffinityMiddleware
from inference.workers.placement.page_counts import QueueTally
from inference.workers.placement.resident_models import Shelf
from jobs.batches.line_calls import Wording
from jobs.batches.notification import BATCHES
from jobs.documents.reading import reader, require_sandbox
from jobs.events.changes import CANCEL
from jobs.queue.demand import pages_demand
from jobs.worker.archives import ArchiveWorker
from jobs.worker.batch_limits import FollowedLimits
from jobs.worker.batches import BatchWorker
from jobs.worker.figures import WorkerNews
from jobs.worker.leases import Leases
from jobs.worker.metrics import PAGES_HELD, RESIDENT_BYTES, RESIDENT_MODELS
from jobs.worker.model_tasks import ModelChecks, ModelFactory
from jobs.worker.page_embedder import PageEmbedder
from jobs.worker.page_runner import PageRunner
from jobs.worker.rpc_server import RpcServer
from jobs.worker.versions import VersionCatalog
from tenants.core.own_folder import keep_temporary_files_in_own_folder

log = structlog.get_logger(__name__)
LOOK_EVERY_S = 1.0
READER_TIMEOUT_S = 20.0
CHECKS_AT_ONCE = 2
"""The threads that check uploads. An owner has one of them at a time, so a file that takes long holds up no others."""


class WorkerHung(RuntimeError):
    """The error of a process with hung threads. Native code cannot be ended, so the process must be."""


class WorkerDeaf(RuntimeError):
    """The error of a process that would stay alive but take no pages. It is better to end it and start it again."""


class WorkerProcess:
    """A worker process. `run` returns when `stopping` is set and every page is finished or handed back.

    A worker that is asked to drain leaves its queues, finishes what it holds, and continues its heartbeats until it is
    asked to resume.
    """

    def __init__(self, *, stopping: threading.Event, wording: Wording, name: str | None = None) -> None:
        """Create the process. `wording` describes the refusal of a call, for the lines of batches."""
        self._stopping = stopping
        self.name = name or worker_name()
        self._hosting = HostedHours()
        self._engine = local_engine(
            memory_bytes=settings.MAAS_MODEL_MEMORY or None,
            tensorrt_cache=settings.MAAS_HOME / "tensorrt" if settings.MAAS_TENSORRT else None,
            profiles=PostgresProfiles(),
            packed=settings.MAAS_PACKED,
            hosting=self._hosting,
        )
        self._engine.host.on_paused(pause_version)
        self._engine.host.pause_while(stays_paused)
        self._versions = VersionCatalog()
        self._news = WorkerNews(self._engine, self.name)
        self._limits = FollowedLimits(self._engine.batchers)
        self._leases = Leases(settings.MAAS_LEASE_S, settings.MAAS_PAGE_LIMIT_S)
        tally, load_times = QueueTally(), LoadTimes()
        self._lane = RpcServer(
            settings.MAAS_REDIS_URL,
            engine=self._engine,
            versions=self._versions,
            slots=settings.MAAS_WORKER_THREADS,
            tally=tally,
            load_times=load_times,
            sockets=settings.MAAS_WORKER_SOCKETS,
        )
        self._affinity = Affinity(
            Heartbeat(self.name, self._engine.describe()),
            shelf=Shelf(self._engine, self._versions.get),
            tally=tally,
            pools=frozenset(settings.MAAS_WORKER_POOLS),
            pages=self._pages_now,
            demand=[pages_demand, self._lane.demand],
            load_times=load_times,
        )
        self._middleware = AffinityMiddleware(self._affinity, tally)
        self._broker = build_broker(settings.MAAS_BROKER_URL, middleware=[self._middleware])
        self._runner = PageRunner(self._engine, self._leases, self._versions, self.name, hefts=tally.hefts)
        self._batches = BatchWorker(settings.MAAS_REDIS_URL, worker=self.name, wording=wording)
        self._archives = ArchiveWorker(self.name)
        self._model_tasks: tuple[ModelChecks | ModelFactory, ...] = (
            *(ModelChecks(self.name) for _ in range(CHECKS_AT_ONCE)),
            ModelFactory(self.name),
        )
        self._embedder = PageEmbedder(self._engine, self._versions, settings.MAAS_WORKER_POOLS)
        self._control = ControlListener(
            settings.MAAS_REDIS_URL,
            {
                DEMAND: lambda _: self._affinity.wake(),
                CANCEL: self._hear_cancel,
                CANCEL_WORD: self._lane.hear_cancel,
                BATCHES: self._batches.hear,
            },
        )
        self._running = False

    @property
    def ready(self) -> bool:
        """Return whether all models are in memory, or cannot be. Pages are taken sooner, model by model."""
        return self._running and self._affinity.settled.is_set()

    def run(self) -> None:
        keep_temporary_files_in_own_folder()
        require_sandbox()
        reader().wait_until_warm(READER_TIMEOUT_S)
        isolation = str(reader().isolation)
        log.info("worker_starting", worker=self.name, provider=self._engine.describe(), isolation=isolation)
        register_page_actor(self._broker, self._runner)
        self._leases.start()
        self._control.start()
        consumers = start_worker(self._broker, threads=settings.MAAS_WORKER_THREADS)
        self._lane.start()
        self._batches.start()
        self._archives.start()
        for tasks in self._model_tasks:
            tasks.start()
        self._embedder.start()

        def serve(model_keys: frozenset[str]) -> None:
            if not self._running:
                return
            consumers.set_queues(queue_names(model_keys))
            self._lane.serve(model_keys)

        # This runs in the thread that has just read the models from the database, so that no further connection is
        # held.
        self._running = True
        self._affinity.consume_with(serve, lambda _: self._limits.look())
        try:
            self._watch()
        finally:
            self._running = False
            log.info("worker_stopping", pages_in_flight=self._leases.count)
            ends_s = time.monotonic() + settings.MAAS_WORKER_STOP_S
            self._lane.serve(())
            consumers.stop(settings.MAAS_WORKER_STOP_S)
            # This is the first step: a page that is not handed back waits for the end of its lease and loses an
            # attempt.
            self._quietly(self._leases.hand_back_all)
            self._embedder.stop(max(0.2, ends_s - time.monotonic()))
            for tasks in self._model_tasks:
                tasks.stop(max(0.2, ends_s - time.monotonic()))
            self._archives.stop(max(0.2, ends_s - time.monotonic()))
            self._batches.stop(max(0.2, ends_s - time.monotonic()))
            self._lane.stop(max(0.2, ends_s - time.monotonic()))
            self._control.stop()
            self._leases.stop()
            self._affinity.end()
            self._quietly(self._engine.host.stop)
            reader().close()
        if self._leases.hung:
            raise WorkerHung(f"{self._leases.hung} pages ran for more than {settings.MAAS_PAGE_LIMIT_S} s")
        if self._middleware.failed is not None:
            raise WorkerDeaf("the choice of models did not start") from self._middleware.failed

    def _watch(self) -> None:
        announced = False
        while not self._leases.hung and self._middleware.failed is None:
            if not announced and self.ready:
                announced = True
                log.info("worker_ready", models=len(self._engine.resident()))
            self._count()
            self._quietly(self._news.look)
            self._quietly(self._drop_unpaid)
            if self._stopping.wait(LOOK_EVERY_S):
                return

    def _drop_unpaid(self) -> None:
        for key in self._hosting.unpaid():
            self._engine.drop(key)

    def _pages_now(self) -> PagesNow:
        return PagesNow(held=self._leases.count, done=self._leases.ended)

    def _count(self) -> None:
        sessions = self._engine.host.resident()
        PAGES_HELD.set(self._leases.count)
        RESIDENT_MODELS.set(len(sessions))
        RESIDENT_BYTES.set(sum(session.weight_bytes for session in sessions))

    def _hear_cancel(self, about: Mapping[str, str]) -> None:
        self._leases.cancel_job(UUID(about["job"]))

    def _quietly(self, step: Callable[[], object]) -> None:
        try:
            step()
        except Exception:
            log.exception("worker_step_failed")
        finally:
            close_old_connections()


def register_page_actor(broker: QueueBroker, runner: PageRunner) -> None:
    """Register the only actor, for all queues. Its message has only two ids. It may be lost, late or repeated."""

    @dramatiq.actor(broker=broker, actor_name=PAGE_ACTOR, queue_name="infer")
    def run_page(tenant_id: str, page_id: str) -> None:
        close_old_connections()
        try:
            runner.run(tenant_id=UUID(tenant_id), page_id=UUID(page_id))
        finally:
            close_old_connections()
