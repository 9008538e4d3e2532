"""Puts the parts of the web process together, starts what runs beside requests, and stops it."""

import structlog
from django.conf import settings

from jobs.documents.reading import reader
from jobs.live.hub import Hub
from jobs.live.inspections import Inspections
from jobs.live.protocol import Receive, Scope, Send
from jobs.live.routing import Sockets
from jobs.live.spool import Spool
from jobs.live.stopping import Stop
from jobs.live.threads import BoundedThreads, DatabaseThreads
from jobs.live.uploads import Uploads
from jobs.live.waits import Waits
from maas.django_mount import DjangoMount
from maas.edge.body import Deadlines
from maas.edge.guard import EdgeGuard
from maas.health import Health, ReadinessProbe, web_checks
from maas.stop_signals import on_stop_signal

log = structlog.get_logger(__name__)


class Front:
    """The ASGI application."""

    def __init__(self, *, redis_url: str, web_threads: int, deadlines: Deadlines | None = None) -> None:
        self._hub = Hub(redis_url)
        self._keys = DatabaseThreads("keys", 2)
        self._events = DatabaseThreads("events", 4)
        self._writes = BoundedThreads("spool", 4)
        self._spool = Spool(settings.MAAS_SPOOL, self._writes)
        self._stop = Stop()
        self._inspections = Inspections(
            reader, self._keys, self._stop, children=settings.MAAS_READER_CHILDREN
        )
        self.django = DjangoMount(threads=web_threads, spool=self._spool)
        live = Waits(Uploads(self.django, self._spool, self._inspections), self._hub)
        self._http = Health(live, ReadinessProbe(web_checks()))
        self._sockets = Sockets(self._hub, self._events)
        self._guarded = EdgeGuard(self._by_protocol, self._keys, self._stop, deadlines)

    @classmethod
    def from_settings(cls) -> "Front":
        return cls(redis_url=settings.MAAS_REDIS_URL, web_threads=settings.MAAS_WEB_THREADS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        else:
            await self._guarded(scope, receive, send)

    async def _by_protocol(self, scope: Scope, receive: Receive, send: Send) -> None:
        inner = self._sockets if scope["type"] == "websocket" else self._http
        await inner(scope, receive, send)

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                self._spool.prepare()
                self._hub.start()
                on_stop_signal(self._let_go)
                log.info("web_ready", threads=settings.MAAS_WEB_THREADS)
                await send({"type": "lifespan.startup.complete"})
            else:
                self._close()
                await send({"type": "lifespan.shutdown.complete"})
                return

    def _let_go(self) -> None:
        """The server stops once every request has ended: none may wait for its time or its caller."""
        self._hub.close()
        self._stop.tell()

    def _close(self) -> None:
        self._hub.close()
        self._inspections.close()
        self.django.close()
        for threads in (self._keys, self._events, self._writes):
            threads.close()
        self._spool.close()
