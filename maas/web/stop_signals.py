"""Reacts to a stop signal while the server still waits for requests to end.

Servers send `lifespan.shutdown` only after the last request, so a waiting request would delay it for its minute. They
also stop accepting connections at once, while a load balancer sends callers until `/readyz` has reported that the
process is not ready.
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
"""Seconds for sockets to announce that they close. The server cuts off their messages when it stops."""


@dataclass(frozen=True)
class Parting:
    drain: Act
    let_go: Act
    """Ends requests that wait for more to happen."""
    cut: Act
    saying_goodbye: Callable[[], bool]
    drain_s: float
    finish_s: float


def on_stop_signal(parting: Parting) -> None:
    """Handle SIGTERM and SIGINT: call `drain` in the running loop, `drain_s` later `let_go`, and `finish_s` after that
    `cut`.

    Each further signal triggers the next of them at once. The server's own reaction to a signal follows `let_go`.
    SIGHUP comes when other processes serve the port already, so nobody has to know in advance.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    loop = asyncio.get_running_loop()
    numbers = (signal.SIGTERM, signal.SIGINT)
    if any(_is_hidden(loop, number) for number in numbers):
        # Replacing a handler that cannot be called in turn would leave a server that never stops.
        log.warning("stop_signals_not_handled", loop=type(loop).__name__)
        return
    stop = _Stop(loop, parting)
    server = _server_s(loop, signal.SIGTERM)
    for number in numbers:
        loop.add_signal_handler(number, stop.hear, _server_s(loop, number))
    loop.add_signal_handler(signal.SIGHUP, stop.leave, server)


class _Stop:
    """The stop in progress, whichever signals arrive. A further signal shortens what the first has started."""

    def __init__(self, loop: asyncio.AbstractEventLoop, parting: Parting) -> None:
        self._loop = loop
        self._parting = parting
        self._next: asyncio.TimerHandle | None = None
        self._cut: asyncio.TimerHandle | None = None
        self._give_up_at_s = 0.0

    def hear(self, server: Act, *, drains: bool = True) -> None:
        """Handle a signal. `server` is the handler of the server, which is called too."""
        if self._cut is not None:
            self._cut.cancel()
            self._parting.cut()
            return
        hurries = self._next is not None or not drains or self._parting.drain_s <= 0
        if self._next is None:
            self._parting.drain()
        else:
            self._next.cancel()
        self._next = self._loop.call_later(0 if hurries else self._parting.drain_s, self._let_go, server)

    def leave(self, server: Act) -> None:
        """Skip the drain, and do not hurry a stop that has begun to wait for requests."""
        if self._cut is None:
            self.hear(server, drains=False)

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
    """Say whether the loop hides its handlers. uvloop's own loop calls the server's handler but does not reveal it."""
    return not hasattr(loop, "_signal_handlers") and (getattr(signal.getsignal(number), "__self__", None) is loop)


def _server_s(loop: asyncio.AbstractEventLoop, number: signal.Signals) -> Act:
    """Return the server's own reaction to a signal, however the server registered it."""
    # Loops have no public way to read their handlers. Without this, the server would refuse new connections at once.
    handle = getattr(loop, "_signal_handlers", {}).get(number)
    if handle is not None:
        run: Act = handle._run
        return run
    before = signal.getsignal(number)
    return lambda: before(number, None) if callable(before) else None
