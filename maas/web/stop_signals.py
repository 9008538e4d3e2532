"""Hears that the process is to stop while the server still waits for requests to end.

Servers send `lifespan.shutdown` only after the last request; a request that waits would hold that up for its minute.
And they close their door at once, while a load balancer still sends callers to it until it has seen `/readyz` say no.
"""

import asyncio
import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass

import structlog

log = structlog.get_logger(__name__)
Act = Callable[[], None]
LOOK_EVERY_S = 0.05
GOODBYE_S = 2.0
"""For sockets to say that they close: the server cuts off what they say while it stops."""


@dataclass(frozen=True)
class Parting:
    """What a process does when it is to stop."""

    drain: Act
    let_go: Act
    """Ends what waits for more to happen."""
    cut: Act
    """Ends what is still under way."""
    saying_goodbye: Callable[[], bool]
    drain_s: float
    finish_s: float


def on_stop_signal(parting: Parting) -> None:
    """On SIGTERM and SIGINT calls `drain` in the running loop, `drain_s` later `let_go`, `finish_s` after that `cut`.

    Each further signal brings on the next of them at once. What the server itself does on a signal follows `let_go`.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    loop = asyncio.get_running_loop()
    numbers = (signal.SIGTERM, signal.SIGINT)
    if any(_is_hidden(loop, number) for number in numbers):
        # Whoever replaced a handler that cannot be called on would leave a server that never stops.
        log.warning("signals_left_to_server", loop=type(loop).__name__)
        return
    stop = _Stop(loop, parting)
    for number in numbers:
        loop.add_signal_handler(number, stop.hear, _server_s(loop, number))


class _Stop:
    """One, whichever signals come: another one shortens what the first has begun."""

    def __init__(self, loop: asyncio.AbstractEventLoop, parting: Parting) -> None:
        self._loop = loop
        self._parting = parting
        self._next: asyncio.TimerHandle | None = None
        self._cut: asyncio.TimerHandle | None = None
        self._give_up_at_s = 0.0

    def hear(self, server: Act) -> None:
        """`server` is what the server does on this signal."""
        if self._cut is not None:
            self._cut.cancel()
            self._parting.cut()
            return
        hurries = self._next is not None or self._parting.drain_s <= 0
        if self._next is None:
            self._parting.drain()
        else:
            self._next.cancel()
        self._next = self._loop.call_later(0 if hurries else self._parting.drain_s, self._let_go, server)

    def _let_go(self, server: Act) -> None:
        try:
            self._parting.let_go()
        finally:
            self._leave(server)

    def _leave(self, server: Act) -> None:
        self._cut = self._loop.call_later(self._parting.finish_s, self._parting.cut)
        self._give_up_at_s = self._loop.time() + GOODBYE_S
        self._end_soon(server)

    def _end_soon(self, server: Act) -> None:
        if self._parting.saying_goodbye() and self._loop.time() < self._give_up_at_s:
            self._loop.call_later(LOOK_EVERY_S, self._end_soon, server)
        else:
            server()


def _is_hidden(loop: asyncio.AbstractEventLoop, number: signal.Signals) -> bool:
    """The loop calls what the server gave it, and says of that to nobody what it is: uvloop's own."""
    return not hasattr(loop, "_signal_handlers") and (
        getattr(signal.getsignal(number), "__self__", None) is loop
    )


def _server_s(loop: asyncio.AbstractEventLoop, number: signal.Signals) -> Act:
    """What the server does on a signal, whichever way it asked to be called."""
    # Loops have no public way to read their handlers; without this the server would close its door at once.
    handle = getattr(loop, "_signal_handlers", {}).get(number)
    if handle is not None:
        run: Act = handle._run
        return run
    before = signal.getsignal(number)
    return lambda: before(number, None) if callable(before) else None
