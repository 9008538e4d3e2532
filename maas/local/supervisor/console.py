"""Shows the output of many processes on one terminal, each text line with the name of its process."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from typing import TextIO

NAME_WIDTH = 9
LONGEST_LINE_BYTES = 64 * 1024
_COLORS = ("36", "32", "33", "35", "34", "96", "92", "95")


class LineSplitter:
    """Splits chunks of bytes into whole text lines. A line without an end is cut, not buffered without limit."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, chunk: bytes) -> list[str]:
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        if len(self._rest) > LONGEST_LINE_BYTES:
            lines.append(self._rest)
            self._rest = b""
        return [line.decode(errors="replace").rstrip("\r") for line in lines]

    def finish(self) -> list[str]:
        rest, self._rest = self._rest, b""
        return [rest.decode(errors="replace")] if rest else []


class Console:
    """Writes text lines as `name | text`, in color on a terminal."""

    def __init__(self, stream: TextIO, *, color: bool | None = None) -> None:
        self._stream = stream
        self._color = stream.isatty() if color is None else color
        self._names: list[str] = ["up"]

    def line(self, name: str, text: str) -> None:
        self.plain(f"{self._prefix(name)} {text}")

    def say(self, text: str) -> None:
        """Write a text line from the supervisor itself."""
        self.line("up", text)

    def plain(self, text: str) -> None:
        """Write a text line without a name, ready to be copied."""
        # The reader of the output may have ended (`make up | head`). The children must keep running.
        with contextlib.suppress(BrokenPipeError, ValueError):
            self._stream.write(text + "\n")
            self._stream.flush()

    def _prefix(self, name: str) -> str:
        if name not in self._names:
            self._names.append(name)
        prefix = f"{name:<{NAME_WIDTH}} |"
        if not self._color:
            return prefix
        return f"\x1b[{_COLORS[self._names.index(name) % len(_COLORS)]}m{prefix}\x1b[0m"


@contextlib.asynccontextmanager
async def progress(console: Console, what: str, *, quiet_s: float = 0.4, every_s: float = 5.0) -> AsyncIterator[None]:
    """Write repeatedly that `what` is in progress, and at the end how long it took. Write nothing if it was quick."""
    started = time.monotonic()
    task = asyncio.ensure_future(_keep_saying(console, what, quiet_s, every_s))
    try:
        yield
    finally:
        task.cancel()
    if time.monotonic() - started > quiet_s:
        console.say(f"{what}: {time.monotonic() - started:.1f} s")


async def _keep_saying(console: Console, what: str, quiet_s: float, every_s: float) -> None:
    started = time.monotonic()
    await asyncio.sleep(quiet_s)
    console.say(f"{what} …")
    while True:
        await asyncio.sleep(every_s)
        console.say(f"{what} … {time.monotonic() - started:.0f} s")
