"""Ends waits for other parties when the process is told to stop, so that the process can end by itself."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import Any, TypeVar

from tenants.core.errors import DomainError

T = TypeVar("T")
LOOKED_EVERY_S = 0.1


class Restarting(DomainError):
    code = "restarting"
    gate = "draining"

    def __init__(self) -> None:
        super().__init__(
            "The service is being restarted, and nothing was done. Send this again.",
            extra={"retry_after_s": 1},
        )


@dataclass(slots=True, eq=False)
class _Wait:
    task: "asyncio.Task[Any]"
    until_s: float
    ended: bool = False

    def end(self) -> None:
        if not self.ended:
            self.ended = True
            self.task.cancel()


@dataclass(slots=True, eq=False)
class Limit:
    """The time limit of one block. A generator would take three times as long, and every call has a limit."""

    _timeout: asyncio.Timeout
    _limits: set[asyncio.Timeout]

    async def __aenter__(self) -> None:
        self._limits.add(self._timeout)
        await self._timeout.__aenter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._limits.discard(self._timeout)
        await self._timeout.__aexit__(kind, error, trace)


class Stop:
    def __init__(self) -> None:
        self.draining = False
        """A flag of a process that still serves incoming requests but should receive no further requests."""
        self.leaving = False
        """A flag of a process that lets running requests end and waits for no further requests."""
        self.told = False
        self._limits: set[asyncio.Timeout] = set()
        self._rests: set[asyncio.Timeout] = set()
        self._waits: set[_Wait] = set()
        self._look: asyncio.TimerHandle | None = None

    def drain(self) -> None:
        self.draining = True

    def leave(self) -> None:
        """End the waits for further requests. Call this in the running loop."""
        self.draining = self.leaving = True
        _end(self._rests)

    def tell(self) -> None:
        """End all waits and limits. Call this in the running loop."""
        self.leave()
        self.told = True
        _end(self._limits)
        for wait in self._waits:
            wait.end()

    def rest(self, seconds: float | None = None) -> Limit:
        """Return a limit for a wait for further requests. Raises TimeoutError then, or when the process leaves."""
        return Limit(asyncio.timeout(0 if self.leaving else seconds), self._rests)

    def limit(self, seconds: float | None = None) -> Limit:
        """Return a limit for a block. Raises TimeoutError then, or when the process is told to stop."""
        return Limit(asyncio.timeout(0 if self.told else seconds), self._limits)

    async def wait(self, until_s: float, receive: Callable[[], Awaitable[T]]) -> T:
        """Wait for `receive`. Raises TimeoutError soon after `until_s` (monotonic), or when the process shall stop.

        Waits that rarely last share one timer, because a timer for each costs more than such a wait.
        """
        task = asyncio.current_task()
        assert task is not None
        wait, cancelling = _Wait(task, until_s), task.cancelling()
        self._waits.add(wait)
        if self.told:
            asyncio.get_running_loop().call_soon(self._end_overdue)
        elif self._look is None:
            self._look = asyncio.get_running_loop().call_later(LOOKED_EVERY_S, self._look_again)
        try:
            return await receive()
        except asyncio.CancelledError:
            if wait.ended and task.uncancel() <= cancelling:
                raise TimeoutError from None
            raise
        except BaseException:
            if wait.ended:
                task.uncancel()
            raise
        finally:
            self._waits.discard(wait)

    def _look_again(self) -> None:
        self._look = None
        try:
            self._end_overdue()
        finally:
            if self._waits:
                self._look = asyncio.get_running_loop().call_later(LOOKED_EVERY_S, self._look_again)

    def _end_overdue(self) -> None:
        now_s = time.monotonic()
        for wait in tuple(self._waits):
            if self.told or wait.until_s <= now_s:
                wait.end()


def _end(limits: Iterable[asyncio.Timeout]) -> None:
    now_s = asyncio.get_running_loop().time()
    for limit in limits:
        if not limit.expired():
            limit.reschedule(now_s)
