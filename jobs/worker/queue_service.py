"""Takes pages and calls from the queues of the models that this worker is to serve, and leaves them in order."""

import threading
import time
from collections.abc import Callable

import dramatiq
import structlog
from django.conf import settings
from django.db import close_old_connections

from inference.engine.engine import Engine
from inference.workers.brokers import build_broker, start_worker
from inference.workers.brokers.worker import QueueWorker
from inference.workers.heartbeats import Heartbeat
from inference.workers.placement.affinity import Affinity, queue_names
from inference.workers.placement.heartbeat import PagesNow
from inference.workers.placement.loader import LoadTimes
from inference.workers.placement.middleware import AffinityMiddleware
from inference.workers.placement.page_counts import QueueTally
from inference.workers.placement.resident_models import Shelf
from jobs.queue.demand import pages_demand
from jobs.worker.leases import Leases
from jobs.worker.page_actor import register_page_actor
from jobs.worker.page_runner import PageRunner
from jobs.worker.rpc_server import RpcServer
from jobs.worker.versions import VersionCatalog

log = structlog.get_logger(__name__)
HAND_OVER_SHARE = 0.5
"""The share of the time to stop in which other workers may load the models in use before this one leaves them."""
LEAST_S = 0.2
LATE_S = 5.0
"""Seconds after the time to stop in which pages may still be handed back."""


class QueueService:
    """The work on pages and synchronous calls. It is started once and stopped once."""

    def __init__(self, *, name: str, engine: Engine, versions: VersionCatalog, pools: frozenset[str]) -> None:
        tally, load_times = QueueTally(), LoadTimes()
        self.leases = Leases(settings.MAAS_LEASE_S, settings.MAAS_PAGE_LIMIT_S)
        self.lane = RpcServer(
            settings.MAAS_REDIS_URL,
            engine=engine,
            versions=versions,
            slots=settings.MAAS_WORKER_THREADS,
            tally=tally,
            load_times=load_times,
            sockets=settings.MAAS_WORKER_SOCKETS,
        )
        self.affinity = Affinity(
            Heartbeat(name, engine.describe()),
            shelf=Shelf(engine, versions.get),
            tally=tally,
            pools=pools,
            pages=lambda: PagesNow(held=self.leases.count, done=self.leases.ended),
            demand=[pages_demand, self.lane.demand],
            load_times=load_times,
        )
        self._middleware = AffinityMiddleware(self.affinity, tally)
        broker = build_broker(settings.MAAS_BROKER_URL, middleware=[self._middleware])
        self._broker: dramatiq.Broker = broker
        register_page_actor(broker, PageRunner(engine, self.leases, versions, name, hefts=tally.hefts))
        self._start_consumers: Callable[[], QueueWorker] = lambda: start_worker(
            broker, threads=settings.MAAS_WORKER_THREADS
        )
        self._serves = False

    @property
    def failed(self) -> BaseException | None:
        """The error that keeps the worker from choosing its models."""
        return self._middleware.failed

    @property
    def settled(self) -> bool:
        """Return whether all models are in memory, or cannot be. Pages are taken sooner, model by model."""
        return self._serves and self.affinity.settled.is_set()

    def start(self) -> None:
        self.leases.start()
        self._consumers = self._start_consumers()
        self.lane.start()

    def serve(self, on_look: Callable[[], None]) -> None:
        """Begin to choose models and take their work. `on_look` is called in the thread that has just read the models
        from the database, so that no further connection is held.
        """
        self._serves = True
        self.affinity.consume_with(self._follow, lambda *_: on_look())

    def _follow(self, page_keys: frozenset[str], call_keys: frozenset[str]) -> None:
        if self._serves:
            self._consumers.set_queues(queue_names(page_keys))
            self.lane.serve(call_keys)
            if not self._serves:
                # The worker left its queues meanwhile.
                self.lane.serve(())

    def leave(self, ends_s: float, *, hands_over: bool = True) -> None:
        """Take nothing new, finish pages until `ends_s`, and hand back the rest. Calls are finished by `end`.

        Calls of models in use go on for a part of that time, until another worker has loaded them. Whatever waits or
        hangs, pages are handed back at `ends_s`. Otherwise they would wait for the end of their leases and lose an
        attempt.
        """
        began_s = time.monotonic()
        at_the_end = threading.Timer(max(LEAST_S, ends_s - began_s), self._hand_back)
        at_the_end.daemon = True
        at_the_end.start()
        try:
            if hands_over:
                self.affinity.leave(HAND_OVER_SHARE * max(0.0, ends_s - began_s))
            self._serves = False
            self.lane.serve(())
            self._consumers.stop(max(LEAST_S, ends_s - time.monotonic()))
        finally:
            at_the_end.cancel()
            self._hand_back()
            at_the_end.join(LATE_S)

    def end(self, ends_s: float) -> None:
        """Finish calls until `ends_s`, give back the rest, and withdraw the heartbeat."""
        self.lane.stop(max(LEAST_S, ends_s - time.monotonic()))
        self.leases.stop()
        self.affinity.end()

    def _hand_back(self) -> None:
        try:
            self.leases.hand_back_all()
        except Exception:
            log.exception("worker_step_failed")
        finally:
            close_old_connections()
