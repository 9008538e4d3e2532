"""Assembles the parts of the web process, starts what runs beside requests, and stops it."""

import asyncio
import os
from contextlib import ExitStack
from importlib import import_module
from threading import Thread
from typing import TYPE_CHECKING, Any

import structlog
from django.conf import settings

from inference.cache.generations import Generations
from inference.cache.result_cache import ResultCache
from inference.gateway.absent_workers import AbsentWorkers
from inference.gateway.gateway import Gateway
from inference.gateway.inference import Inference
from inference.gateway.kept_replies import KeptReplies
from inference.gateway.known_results import KnownResults
from inference.gateway.open_inference.routes import OpenInference
from inference.gateway.openai.embeddings import Embeddings
from inference.gateway.room import Room
from inference.gateway.targets import Targets
from inference.registry.selectors import remembering_versions
from inference.rpc import AsyncLaneClient
from inference.sandbox import SandboxUnavailable
from jobs.documents.reading import reader, require_sandbox
from jobs.intake.fetches import Fetches
from jobs.intake.fetching import Fetcher
from jobs.intake.inspections import Inspections
from jobs.intake.intake import Intake, places_for
from jobs.intake.spool import Spool
from jobs.intake.uploads import Uploads
from jobs.queue.release import releasing_apart
from jobs.scaling.next_workers import next_worker_of
from jobs.streaming.authorizer import Authorizer
from jobs.streaming.credential_checks import EVERY_S, CredentialChecks
from jobs.streaming.credentials import Sessions
from jobs.streaming.event_waits import EventWaits
from jobs.streaming.following import Following
from jobs.streaming.hub import Hub
from jobs.streaming.open_connections import MOST as MAX_OPEN
from jobs.streaming.open_connections import OpenConnections
from jobs.streaming.polling import Rounds
from jobs.streaming.routing import Sockets
from jobs.streaming.streams import Streams
from jobs.streaming.waits import Waits
from jobs.uploads.background_finishing import Finishing
from jobs.uploads.resumable import Resumable
from maas.process.collector import settle_collector
from maas.process.errors import LaunchError, require_cell_secret
from maas.process.health import Health, ReadinessProbe, web_checks
from maas.process.keeping_redis import refuse_evicting_servers
from maas.web.django_mount import DjangoMount
from maas.web.drained_connections import closing
from maas.web.fast_calls import FastCalls
from maas.web.guard.body import Deadlines
from maas.web.guard.guard import EdgeGuard
from maas.web.guard.journal import Journal
from maas.web.guard.key_use import KeyUse
from maas.web.guard.keys import KeyRing
from maas.web.stop_signals import Parting, on_stop_signal
from tenants.billing.ledger.call_holds import CallHolds
from tenants.billing.metering.stream import MeterStream
from tenants.core.asgi.credentials import UnknownCallers
from tenants.core.asgi.protocol import App, Receive, Scope, Send
from tenants.core.asgi.stopping import Stop
from tenants.core.asgi.threads import BoundedThreads, DatabaseThreads
from tenants.core.changes.feed import ChangeFeed
from tenants.limits.rates.desk import Desk

if TYPE_CHECKING:
    from maas.web.cells.front import CellFront
    from maas.web.grpc.port import GrpcPort

log = structlog.get_logger(__name__)
REMEMBERED_S = 0.8
"""Seconds for which versions are cached. A paused model, a new price and another current version take effect for jobs
within a second, as for calls.
"""


class Front:
    """The ASGI application of the web process."""

    def __init__(self, *, redis_url: str, web_threads: int, deadlines: Deadlines | None = None) -> None:
        self._hub = Hub(redis_url)
        self._keys = DatabaseThreads("keys", 2)
        self._models = DatabaseThreads("models", 2)
        self._changes = ChangeFeed(DatabaseThreads("changes", 1))
        self._hub.hear_of_access(lambda _: self._changes.read_soon())
        # Each socket and stream has at most one query in progress, and all of them may be notified at the same moment.
        self._events = DatabaseThreads("events", 4, waiting=2 * MAX_OPEN)
        self._writes = BoundedThreads("spool", 4)
        self._spool = Spool(settings.MAAS_SPOOL, self._writes)
        self._stop = Stop()
        self._inspections = Inspections(reader, self._keys, self._stop, children=settings.MAAS_READER_CHILDREN)
        intake = Intake(places_for(web_threads, len(os.sched_getaffinity(0))))
        self.django = DjangoMount(threads=web_threads, spool=self._spool, intake=intake)
        self._unknown_callers = UnknownCallers()
        self._people = DatabaseThreads("people", 2)
        sessions = Sessions(self._people, self._unknown_callers)
        authorizer = Authorizer(self._events, sessions, self._unknown_callers)
        self._seats = seats = OpenConnections()
        self._rounds = Rounds(self._hub, self._events)
        uploads = Uploads(self.django, self._spool, self._inspections, intake)
        self._fetcher = Fetcher(self._stop, places=settings.MAAS_FETCHES, within_s=settings.MAAS_FETCH_S)
        self._finishing = Finishing(self._spool, self._inspections, self._keys, self._stop)
        self._resumable = Resumable(
            Fetches(uploads, self._spool, self._fetcher, self._inspections, self._keys),
            self._spool,
            self._finishing,
        )
        waits = Waits(self._resumable, self._hub)
        credential_checks = CredentialChecks(authorizer)
        self._hub.hear_of_access(credential_checks.look_again)
        event_waits = EventWaits(
            waits,
            authorizer=authorizer,
            seats=seats,
            hub=self._hub,
            threads=self._events,
            credential_checks=credential_checks,
        )
        live = Streams(event_waits, authorizer, seats, Following(self._hub, self._events, credential_checks))
        self._absent_workers = AbsentWorkers(next_worker_of)
        self._lane = AsyncLaneClient(
            redis_url, sockets=settings.MAAS_WORKER_SOCKETS, too_far=self._absent_workers.too_far
        )
        self._cache = _result_cache()
        self._targets = Targets(self._models, self._changes)
        self._known_results = KnownResults(self._lane, self._cache, Generations(self._models, self._changes))
        # This uses the other half of the memory. Whole responses are larger than their content, but they are found
        # sooner.
        self._replies = KeptReplies(self._known_results, self._cache, _memory_bytes() // 2)
        self._meter = MeterStream(redis_url)
        self._room = Room()
        self._desk = Desk(redis_url)
        self._call_holds = CallHolds(self._models, redis_url)
        self._health = Health(self._gateway(live), ReadinessProbe(web_checks()), self._stop)
        self._sockets = Sockets(self._hub, self._events, authorizer, seats, credential_checks)
        self._journal = Journal(settings.MAAS_CACHE_URL, KeyUse(DatabaseThreads("key-use", 1)))
        keys = KeyRing(self._keys, self._unknown_callers, self._changes)
        self._guarded = EdgeGuard(
            self._by_protocol,
            keys,
            sessions,
            self._stop,
            self._journal,
            desk=self._desk,
            intake=intake,
            deadlines=deadlines,
        )
        self._calls = FastCalls(
            self._guarded,
            keys=keys,
            desk=self._desk,
            journal=self._journal,
            stop=self._stop,
            targets=self._targets,
            known=self._known_results,
            replies=self._replies,
            lane=self._lane,
            meter=self._meter,
            book=self._book,
            call_holds=self._call_holds,
            room=self._room,
            deadlines=deadlines or Deadlines(),
        )
        self._cells = _cell_front(self._calls, self._stop)
        self._served: App = self._cells or self._calls
        self._grpc = self._grpc_port(sessions)
        self._running = ExitStack()

    @classmethod
    def from_settings(cls) -> "Front":
        return cls(redis_url=settings.MAAS_REDIS_URL, web_threads=settings.MAAS_WEB_THREADS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        else:
            await self._served(scope, receive, closing(scope, send) if self._stop.draining else send)

    def _gateway(self, inner: App) -> Gateway:
        inference = Inference(self._targets, self._known_results, self._absent_workers)
        open_inference = OpenInference(inference, self._replies)
        self._book = open_inference.book
        return Gateway(
            inner,
            self._stop,
            self._meter,
            embeddings=Embeddings(inference, self._replies),
            open_inference=open_inference,
            grpc=_only_with_grpc(
                "inference.gateway.open_inference.grpc.service", "GrpcInference", inference, open_inference
            ),
            call_holds=self._call_holds,
            room=self._room,
        )

    def _grpc_port(self, sessions: Sessions) -> "GrpcPort | None":
        """Return the gRPC port with its own authorizer. There are few gRPC streams, so the key of each can be checked
        every time.
        """
        credential_checks = CredentialChecks(
            Authorizer(self._events, sessions, self._unknown_callers, recheck_s=EVERY_S)
        )
        app = _with_cells("OnlyHere", self._guarded, settings.MAAS_CELLS) or self._guarded
        self._hub.hear_of_access(credential_checks.look_again)
        port: GrpcPort | None = _only_with_grpc("maas.web.grpc.port", "GrpcPort", app, self._stop, credential_checks)
        return port

    async def _by_protocol(self, scope: Scope, receive: Receive, send: Send) -> None:
        inner = self._sockets if scope["type"] == "websocket" else self._health
        await inner(scope, receive, send)

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                try:
                    await self._start()
                except LaunchError as error:
                    log.error("web_not_started", error=str(error))
                    await send({"type": "lifespan.startup.failed", "message": str(error)})
                    return
                log.info("web_ready", threads=settings.MAAS_WEB_THREADS)
                await send({"type": "lifespan.startup.complete"})
            else:
                await self._tell_last_words()
                self._close()
                await send({"type": "lifespan.shutdown.complete"})
                return

    async def _start(self) -> None:
        require_cell_secret(settings.MAAS_CELLS)
        await asyncio.gather(asyncio.to_thread(refuse_evicting_servers), _start_sandbox())
        if self._grpc is not None:
            await self._grpc.start(settings.MAAS_HOST, settings.MAAS_GRPC_PORT)
        self._spool.prepare()
        self._hub.start()
        self._rounds.start()
        self._journal.start()
        self._changes.start()
        self._running.enter_context(releasing_apart())
        self._running.enter_context(remembering_versions(REMEMBERED_S))
        settle_collector()
        on_stop_signal(
            Parting(
                drain=self._drain,
                let_go=self._let_go,
                cut=self._stop.tell,
                saying_goodbye=self._any_seated,
                drain_s=settings.MAAS_DRAIN_S,
                finish_s=settings.MAAS_FINISH_S,
            )
        )

    def _drain(self) -> None:
        """Keep serving all requests, but report on `/readyz` that no more should be sent."""
        self._stop.drain()
        log.info("web_draining", seconds=settings.MAAS_DRAIN_S)

    def _any_seated(self) -> bool:
        return self._seats.open > 0

    def _let_go(self) -> None:
        """End what waits for something that may never happen. The server stops only when every request has ended."""
        self._hub.close()
        self._stop.leave()
        if self._grpc is not None:
            self._grpc.begin_to_stop(settings.MAAS_FINISH_S)

    async def _tell_last_words(self) -> None:
        """Close the parts concurrently. A Redis that does not respond costs each of them its timeout, and only seconds
        are left.

        A gRPC caller that does not read its response is waited for here as well: the response was made and counted
        before.
        """
        ends = (
            *(() if self._grpc is None else (self._grpc.stop(),)),
            *(() if self._cells is None else (self._cells.close(),)),
            self._lane.close(),
            self._meter.close(),
            self._cache.close(),
            self._journal.stop(),
            self._desk.close(),
            self._call_holds.close(),
        )
        for failure in await asyncio.gather(*ends, return_exceptions=True):
            if isinstance(failure, BaseException):
                log.error("component_not_closed", exc_info=failure)

    def _close(self) -> None:
        self._running.close()
        self._hub.close()
        self._rounds.close()
        self._changes.close()
        self._unknown_callers.close()
        self._fetcher.close()
        self._resumable.close()
        self._finishing.close()
        self._inspections.close()
        self.django.close()
        for threads in (self._keys, self._people, self._models, self._events, self._writes):
            threads.close()
        self._spool.close()


async def _start_sandbox() -> None:
    """Start the child processes that open documents. Wait for them only if the process requires their sandbox
    layers.
    """
    if not settings.MAAS_SANDBOX_NEEDS:
        Thread(target=reader, name="reader-start", daemon=True).start()
        return
    try:
        await asyncio.to_thread(require_sandbox)
    except SandboxUnavailable as error:
        raise LaunchError(str(error)) from error


def _memory_bytes() -> int:
    return int(settings.MAAS_CACHE_MEMORY_BYTES // settings.MAAS_WEB_PROCESSES)


def _result_cache() -> ResultCache:
    return ResultCache(
        settings.MAAS_CACHE_URL,
        secret=settings.MAAS_KEY_PEPPER or settings.SECRET_KEY,
        memory_bytes=_memory_bytes() // 2,
        tenant_bytes=settings.MAAS_CACHE_TENANT_BYTES,
    )


def _only_with_grpc(module: str, name: str, *given: object) -> Any:
    """Build an object of the gRPC part only if gRPC is enabled. Its libraries take a tenth more memory, and time at the
    start.
    """
    return getattr(import_module(module), name)(*given) if settings.MAAS_GRPC_PORT else None


def _with_cells(name: str, *given: object) -> Any:
    """Build an object that sees requests first, only where there are cells. Other installations pay nothing for it."""
    return getattr(import_module("maas.web.cells.front"), name)(*given) if settings.MAAS_CELLS else None


def _cell_front(calls: App, stop: Stop) -> "CellFront | None":
    front: CellFront | None = _with_cells("CellFront", calls, settings.MAAS_CELLS, stop)
    return front
