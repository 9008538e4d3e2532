"""Serves an ASGI application by granian, on a port on which other processes may listen as well."""

import signal
import socket
from collections.abc import Awaitable, Callable

import uvloop
from granian._granian import SocketHolder
from granian.constants import Interfaces
from granian.errors import FatalError
from granian.http import HTTP1Settings, HTTP2Settings
from granian.log import LogLevels
from granian.server.embed import Server

from tenants.core.asgi.protocol import App, Message, Receive, Scope, Send

BACKLOG = 4096
REQUESTS = 16384
"""The most requests in progress. Waits, streams and sockets count while they last. The guard has its own limits."""


class SharedPortServer(Server):
    """A granian server in the running loop. It serves a socket that its parent has opened for several processes, so a
    connection that no process has accepted yet is not lost when one of them ends.
    """

    def __init__(self, app: App, listener: socket.socket) -> None:
        super().__init__(
            app,
            interface=Interfaces.ASGI,
            backlog=BACKLOG,
            backpressure=REQUESTS,
            http1_settings=HTTP1Settings(),
            http2_settings=HTTP2Settings(),
            log_level=LogLevels.error,
        )
        self._listener = listener

    def _init_shared_socket(self) -> None:
        self._shd = SocketHolder(self._listener.detach(), False, BACKLOG)  # type: ignore[call-arg, assignment]


class Announced:
    """A layer around the application that tells when it has started."""

    def __init__(self, inner: App, tell: Callable[[], None]) -> None:
        self._inner = inner
        self._tell = tell

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        return self._inner(scope, receive, self._telling(send) if scope["type"] == "lifespan" else send)

    def _telling(self, send: Send) -> Send:
        async def tell(message: Message) -> None:
            await send(message)
            if message["type"] == "lifespan.startup.complete":
                self._tell()

        return tell


def serve(application: App, listener: socket.socket) -> int:
    """Serve the application until a signal arrives, and return the exit status."""
    server = SharedPortServer(application, listener)
    for number in (signal.SIGTERM, signal.SIGINT):
        # The application handles these signals as soon as it runs, and calls this when it has let go of its requests.
        signal.signal(number, lambda *_: server.stop())  # type: ignore[no-untyped-call]
    try:
        uvloop.run(server.serve())
    except FatalError:
        # The application did not start, and has logged the reason.
        return 1
    return 0
