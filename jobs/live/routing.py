"""Which socket lives at which address."""

from jobs.errors import NotFound
from jobs.live.closing import Closable
from jobs.live.consumers import EventsConsumer
from jobs.live.doorman import Doorman
from jobs.live.hub import Hub
from jobs.live.protocol import App, Receive, Scope, Send
from jobs.live.threads import DatabaseThreads


class Sockets:
    def __init__(self, hub: Hub, threads: DatabaseThreads) -> None:
        events = EventsConsumer.as_asgi(hub=hub, doorman=Doorman(threads), threads=threads)
        self._at: dict[str, App] = {"/ws/v1/events": events}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self._at.get(scope["path"])
        if app is None:
            raise NotFound(f"There is no socket at this address; there are {sorted(self._at)}.")
        socket = Closable(receive, send)
        await app(scope, socket.receive, socket.send)
