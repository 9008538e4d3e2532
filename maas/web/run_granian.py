"""Starts the web process as granian on a loop whose signal handlers are readable: `python -m maas.web.run_granian …`

It takes granian's own flags. `--loop uvloop` and `auto` give that loop. With another server, or with `--loop asyncio`,
the application runs as well, but serves fewer calls.
"""

import asyncio
from collections.abc import Callable
from typing import TypeVarTuple

import uvloop
from granian import loops
from granian.cli import entrypoint

Args = TypeVarTuple("Args")


class HearingLoop(uvloop.Loop):
    """An event loop that stores signal handlers where asyncio's does. uvloop hides them from code that calls them."""

    def __init__(self) -> None:
        super().__init__()
        self._signal_handlers: dict[int, asyncio.Handle] = {}

    def add_signal_handler(self, sig: int, callback: Callable[[*Args], object], *args: *Args) -> None:
        super().add_signal_handler(sig, callback, *args)
        self._signal_handlers[sig] = asyncio.Handle(callback, args, self)


@loops.register("auto")
@loops.register("uvloop")
def hearing_loop() -> asyncio.AbstractEventLoop:
    loop = HearingLoop()
    asyncio.set_event_loop(loop)
    return loop


if __name__ == "__main__":
    entrypoint()  # type: ignore[no-untyped-call]
