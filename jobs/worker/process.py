"""The worker process: models, leases and consumers, put together and taken apart in order."""

import threading
from collections.abc import Callable

import structlog
from django.conf import settings
from django.db import close_old_connections

from inference.brokers import BrokerUnavailable, build_broker, start_worker
from inference.registry.selectors import served_versions
from inference.runtime.engine import local_engine
from jobs.actors import register_page_actor
from jobs.dispatch.release import waiting_versions
from jobs.dispatch.workers import Heartbeat, worker_name
from jobs.documents.reading import reader
from jobs.worker.leases import Leases
from jobs.worker.metrics import PAGES_HELD, RESIDENT_BYTES, RESIDENT_MODELS
from jobs.worker.page_runner import PageRunner
from jobs.worker.versions import VersionCatalogue

log = structlog.get_logger(__name__)
BEAT_S = 2.0
READER_PATIENCE_S = 20.0
GRACE_S = 3.5
"""The supervisor gives six seconds; consumers need up to two to notice, connections the rest."""


class WorkerHung(RuntimeError):
    """Threads in native code cannot be ended; the process must be, and its supervisor starts another."""


class WorkerProcess:
    """`run` returns when `stopping` is set and every page is finished or handed back."""

    def __init__(self, *, stopping: threading.Event, preload: bool = True) -> None:
        self._stopping = stopping
        self._preload = preload
        self.name = worker_name()
        self._engine = local_engine(memory_bytes=settings.MAAS_MODEL_MEMORY or None)
        self._versions = VersionCatalogue()
        self._leases = Leases(settings.MAAS_LEASE_S, settings.MAAS_PAGE_LIMIT_S)
        self._heartbeat = Heartbeat(self.name, self._engine.describe())
        self._broker = build_broker(settings.MAAS_BROKER_URL)
        self.ready = False

    def run(self) -> None:
        reader().wait_until_warm(READER_PATIENCE_S)
        isolation = str(reader().isolation)
        log.info("worker_starting", worker=self.name, provider=self._engine.describe(), isolation=isolation)
        if self._preload:
            self._load_models()
        register_page_actor(self._broker, PageRunner(self._engine, self._leases, self._versions, self.name))
        self._leases.start()
        consumers = start_worker(self._broker, threads=settings.MAAS_WORKER_THREADS, queues=self._queues())
        self.ready = True
        log.info("worker_ready", queues=len(consumers.queues))
        try:
            while not self._stopping.wait(BEAT_S) and not self._leases.hung:
                self._quietly(lambda: consumers.set_queues(self._queues()))
                self._quietly(self._report)
        finally:
            self.ready = False
            log.info("worker_stopping", pages_held=self._leases.count)
            consumers.stop(GRACE_S)
            self._leases.stop()
            self._quietly(self._leases.hand_back_all)
            self._heartbeat.end()
            reader().close()
        if self._leases.hung:
            raise WorkerHung(f"{self._leases.hung} pages ran for more than {settings.MAAS_PAGE_LIMIT_S} s")

    def _load_models(self) -> None:
        for version in served_versions():
            try:
                self._engine.load(self._versions.get(version.id))
            except Exception:
                # One broken model must not keep the others from being served.
                log.exception("model_not_loaded", model=version.key)

    def _queues(self) -> list[str]:
        """Versions that may be asked for, and retired ones that still have work waiting."""
        served = {version.queue_name for version in served_versions()}
        return sorted(served | {f"infer.{key}" for _, key in waiting_versions()})

    def _report(self) -> None:
        sessions = self._engine.host.resident()
        PAGES_HELD.set(self._leases.count)
        RESIDENT_MODELS.set(len(sessions))
        RESIDENT_BYTES.set(sum(session.weight_bytes for session in sessions))
        resident = tuple(model.key for model in self._engine.resident())
        self._heartbeat.beat(resident=resident, pages_held=self._leases.count)

    def _quietly(self, step: Callable[[], None]) -> None:
        """The database or the broker may be away for a while; the worker outlives it."""
        try:
            step()
        except BrokerUnavailable as error:
            log.warning("broker_unavailable", error=str(error))
        except Exception:
            log.exception("worker_step_failed")
        finally:
            close_old_connections()
