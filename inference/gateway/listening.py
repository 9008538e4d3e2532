"""Turn a client that waits on a connection into a call that ends with the connection."""

import asyncio
import time
from types import TracebackType

from inference.core.calls import Call
from inference.core.errors import DeadlinePassed
from tenants.core.asgi.protocol import ClientGone, Receive, until_disconnect
from tenants.core.asgi.stopping import Restarting, Stop


class ListenedCall:
    """A call that begins after the body has arrived. It ends when its deadline passes, the client disconnects, or the
    process stops.
    """

    __slots__ = ("_call", "_deadline_s", "_gone", "_limit", "_receive", "_stop", "_task", "_waits")

    def __init__(self, receive: Receive, stop: Stop, *, deadline_s: float, tenant: str = "") -> None:
        self._receive = receive
        self._stop = stop
        self._deadline_s = deadline_s
        self._call = Call(tenant=tenant, deadline_s=time.monotonic() + deadline_s)
        self._limit = stop.limit(deadline_s)
        self._waits = True

    async def __aenter__(self) -> Call:
        task = asyncio.current_task()
        assert task is not None
        self._task = task
        self._gone = asyncio.ensure_future(until_disconnect(self._receive))
        self._gone.add_done_callback(self._leave)
        await self._limit.__aenter__()
        return self._call

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # The exception itself is not kept: its traceback would keep this frame and everything that its callers hold in
        # memory.
        over = isinstance(error, TimeoutError)
        try:
            await self._limit.__aexit__(kind, error, trace)
        except TimeoutError:
            over = True
        finally:
            self._waits = False
            self._call.cancel()
            hung_up = self._gone.done() and not self._gone.cancelled()
            self._gone.cancel()
        if over:
            raise self._why_over() from None
        if hung_up and isinstance(error, asyncio.CancelledError):
            self._task.uncancel()
            raise ClientGone from None

    def _leave(self, gone: "asyncio.Future[None]") -> None:
        # A client that disconnects at the moment of the answer must not cancel what runs after it.
        if self._waits and not gone.cancelled():
            self._task.cancel()

    def _why_over(self) -> Exception:
        if self._stop.told:
            return Restarting()
        return DeadlinePassed(f"the answer was not there within {self._deadline_s:g} s")
