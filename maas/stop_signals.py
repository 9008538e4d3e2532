"""Hears that the process is to stop while the server still waits for requests to end.

Servers send `lifespan.shutdown` only after the last request; a request that waits would hold that up for its minute.
"""

import asyncio
import signal
import threading
from collections.abc import Callable
from types import FrameType


def on_stop_signal(do: Callable[[], None]) -> None:
    """Calls `do` in the running loop on SIGTERM and SIGINT, beside whatever the server does on them."""
    if threading.current_thread() is not threading.main_thread():
        return
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        _chain(number, lambda: loop.call_soon_threadsafe(do))


def _chain(number: int, do: Callable[[], object]) -> None:
    # asyncio's own handlers are called by way of a pipe and stay in force under this one.
    before = signal.getsignal(number)

    def handle(caught: int, frame: FrameType | None) -> None:
        do()
        if callable(before):
            before(caught, frame)

    signal.signal(number, handle)
