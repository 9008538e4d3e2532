"""Maps paths to sockets."""

from contextlib import ExitStack

from jobs.streaming.authorizer import Authorizer
from jobs.streaming.closing import Closable
from jobs.streaming.consumers import LEAVING, EventsConsumer
from jobs.streaming.credential_checks import CredentialChecks
from jobs.streaming.hub import Hub
from jobs.streaming.open_connections import OpenConnections
from tenants.core.asgi.protocol import App, Receive, Scope, Send
from tenants.core.asgi.threads import DatabaseThreads
from tenants.core.errors import NotFound


class Sockets:
    def __init__(
        self,
        hub: Hub,
        threads: DatabaseThreads,
        authorizer: Authorizer,
        seats: OpenConnections,
        credential_checks: CredentialChecks,
    ) -> None:
        events = EventsConsumer.as_asgi(
            hub=hub, authorizer=authorizer, threads=threads, seats=seats, credential_checks=credential_checks
        )
        self._at: dict[str, App] = {"/ws/v1/events": events}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self._at.get(scope["path"])
        if app is None:
            raise NotFound(f"There is no WebSocket at this URL. Use one of: {', '.join(sorted(self._at))}.")
        socket = Closable(receive, send)
        with ExitStack() as leaving:
            await app({**scope, LEAVING: leaving}, socket.receive, socket.send)
