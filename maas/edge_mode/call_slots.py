"""Limits how many calls may be in progress at once, and owns the threads that work for them."""

import asyncio
import contextvars
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import ParamSpec, TypeVar

from tenants.core.asgi.threads import Overloaded

P = ParamSpec("P")
R = TypeVar("R")
WAITING_EACH = 2
"""Calls in progress beyond each one that is worked on: enough that no thread idles while a body arrives."""


class CallSlot:
    """The slot of one call. It is released when the call has its response and all its threads are done."""

    def __init__(self, threads: ThreadPoolExecutor) -> None:
        self._threads = threads
        self.working: set[Future[object]] = set()

    async def run(self, work: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        context = contextvars.copy_context()
        future = self._threads.submit(context.run, lambda: work(*args, **kwargs))
        self.working.add(future)  # type: ignore[arg-type]  # a set of futures of anything
        return await asyncio.wrap_future(future)


class CallSlots:
    """The slots for calls in one event loop. It refuses a call at once rather than let a queue grow."""

    def __init__(self, at_once: int) -> None:
        self._most = at_once * (1 + WAITING_EACH)
        self._taken = 0
        self._empty = asyncio.Event()
        self._empty.set()
        self._threads = ThreadPoolExecutor(at_once, thread_name_prefix="edge")

    @asynccontextmanager
    async def take(self) -> AsyncIterator[CallSlot]:
        if self._taken >= self._most:
            raise Overloaded(
                f"{self._taken} calls are inside already. Try again.", extra={"retry_after_s": 1}
            )
        self._taken += 1
        self._empty.clear()
        place = CallSlot(self._threads)
        try:
            yield place
        finally:
            self._leave(place)

    async def wait_until_empty(self) -> None:
        await self._empty.wait()

    def _give_back(self) -> None:
        self._taken -= 1
        if not self._taken:
            self._empty.set()

    def _leave(self, place: CallSlot) -> None:
        """Release a slot. It stays taken while threads of a caller that has disconnected still work."""
        left = [future for future in place.working if not future.cancel() and not future.done()]
        if not left:
            self._give_back()
            return
        loop = asyncio.get_running_loop()
        waiting = len(left)

        def one_ended() -> None:
            nonlocal waiting
            waiting -= 1
            if not waiting:
                self._give_back()

        for future in left:
            future.add_done_callback(lambda _: loop.call_soon_threadsafe(one_ended))
