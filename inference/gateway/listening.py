"""A caller who waits on a connection, as a call that ends with it."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from inference.calls import Call
from inference.errors import DeadlinePassed
from tenants.asgi.protocol import ClientGone, Receive, until_disconnect
from tenants.asgi.stopping import Restarting, Stop


@asynccontextmanager
async def listened_call(
    receive: Receive, stop: Stop, *, deadline_s: float, tenant: str = ""
) -> AsyncIterator[Call]:
    """Once the body is here. Ends when its time is up, the caller hangs up, or the process stops."""
    call = Call(tenant=tenant, deadline_s=time.monotonic() + deadline_s)
    task = asyncio.current_task()
    assert task is not None
    gone = asyncio.ensure_future(until_disconnect(receive))
    waits = True

    def leave(ended: "asyncio.Future[None]") -> None:
        # Who hangs up in the moment of the answer must not end what comes after it.
        if waits and not ended.cancelled():
            task.cancel()

    gone.add_done_callback(leave)
    try:
        async with stop.limit(deadline_s):
            yield call
    except TimeoutError:
        if stop.told:
            raise Restarting from None
        raise DeadlinePassed(f"the answer was not there within {deadline_s:g} s") from None
    except asyncio.CancelledError:
        if gone.done() and not gone.cancelled():
            task.uncancel()
            raise ClientGone from None
        raise
    finally:
        waits = False
        call.cancel()
        gone.cancel()
