"""The worker process. It starts the models, leases and consumers, and stops them in order."""

import threading
import time
from collections.abc import Callable, Mapping
from uuid import UUID

import structlog
from django.conf import settings
from django.db import close_old_connections

from inference.core.control import DEMAND, ControlListener
from inference.engine.engine import local_engine
from inference.registry.hosting import HostedHours
from inference.registry.isolation import pause_version, stays_paused
from inference.registry.profiles import PostgresProfiles
from inference.rpc.keys import CANCEL_WORD
from inference.workers.heartbeats import worker_name
from jobs.batches.line_calls import Wording
from jobs.batches.notification import BATCHES
from jobs.documents.reading import reader, require_sandbox
from jobs.events.changes import CANCEL
from jobs.worker.archives import ArchiveWorker
from jobs.worker.batch_limits import FollowedLimits
from jobs.worker.batches import BatchWorker
from jobs.worker.figures import WorkerNews
from jobs.worker.leases import Leases
from jobs.worker.metrics import PAGES_HELD, RESIDENT_BYTES, RESIDENT_MODELS
from jobs.worker.model_tasks import ModelChecks, ModelFactory
from jobs.worker.page_embedder import PageEmbedder
from jobs.worker.queue_service import LEAST_S, QueueService
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
            gpu_share=settings.MAAS_GPU_SHARE,
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
        self._queues = QueueService(
            name=self.name,
            engine=self._engine,
            versions=self._versions,
            pools=frozenset(settings.MAAS_WORKER_POOLS),
        )
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
                DEMAND: lambda _: self._queues.affinity.wake(),
                CANCEL: self._hear_cancel,
                CANCEL_WORD: self._queues.lane.hear_cancel,
                BATCHES: self._batches.hear,
            },
        )

    @property
    def _leases(self) -> Leases:
        return self._queues.leases

    @property
    def ready(self) -> bool:
        """Return whether all models are in memory, or cannot be. Pages are taken sooner, model by model."""
        return self._queues.settled

    def run(self) -> None:
        keep_temporary_files_in_own_folder()
        require_sandbox()
        reader().wait_until_warm(READER_TIMEOUT_S)
        isolation = str(reader().isolation)
        log.info("worker_starting", worker=self.name, provider=self._engine.describe(), isolation=isolation)
        self._control.start()
        self._queues.start()
        self._batches.start()
        self._archives.start()
        for tasks in self._model_tasks:
            tasks.start()
        self._embedder.start()
        self._queues.serve(self._limits.look)
        try:
            self._watch()
        finally:
            self._stop()
        if self._leases.hung:
            raise WorkerHung(f"{self._leases.hung} pages ran for more than {settings.MAAS_PAGE_LIMIT_S} s")
        if self._queues.failed is not None:
            raise WorkerDeaf("the choice of models did not start") from self._queues.failed

    def _stop(self) -> None:
        log.info("worker_stopping", pages_in_flight=self._leases.count)
        ends_s = time.monotonic() + settings.MAAS_WORKER_STOP_S
        # A worker that stops because it failed is of no use to its callers.
        self._quietly(lambda: self._queues.leave(ends_s, hands_over=self._stopping.is_set()))
        for beside in (self._embedder, *self._model_tasks, self._archives, self._batches):
            beside.stop(max(LEAST_S, ends_s - time.monotonic()))
        self._quietly(lambda: self._queues.end(ends_s))
        self._control.stop()
        self._quietly(self._engine.host.stop)
        reader().close()

    def _watch(self) -> None:
        announced = False
        while not self._leases.hung and self._queues.failed is None:
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
