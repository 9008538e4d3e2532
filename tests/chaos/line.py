"""A relay of bytes between two processes. It can be cut, closed, stalled, slowed, or made to lose responses.

It stands before each web process, and if a run asks for it, before each service that the product itself uses.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

Ends = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Connect = Callable[[], Awaitable[Ends]]
_HOST = "127.0.0.1"


def to_port(port: int) -> Connect:
    return lambda: asyncio.open_connection(_HOST, port)


async def to_nowhere() -> Ends:
    raise ConnectionRefusedError


def to_socket(path: Path) -> Connect:
    return lambda: asyncio.open_unix_connection(str(path))


class Line:
    def __init__(self, connect: Connect) -> None:
        self._connect = connect
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._cut = False
        self._deaf = False
        self._delay_s = 0.0
        self._ends: set[asyncio.StreamWriter] = set()
        self._robbed: set[asyncio.StreamWriter] = set()
        """The near ends that a response never reached. The next bytes would be mistaken for that response."""
        self._server: asyncio.Server | None = None
        self.port = 0

    async def open(self) -> None:
        self._server = await asyncio.start_server(self._accept, _HOST, self.port, backlog=1024)
        self.port = int(self._server.sockets[0].getsockname()[1])

    def cut(self) -> None:
        """Drop all traffic in progress, and hang up on new connections."""
        self._cut = True
        self._break(self._ends)

    def refuse(self) -> None:
        """Drop all traffic in progress, and refuse new connections."""
        if self._server is not None:
            self._server.close()
        self._server = None
        self._break(self._ends)

    def stall(self) -> None:
        self._flowing.clear()

    def slow(self, delay_s: float) -> None:
        """Delay each piece by so much, in both directions."""
        self._delay_s = delay_s

    def deafen(self) -> None:
        """Let requests arrive and take effect, but lose their responses, and then the connection."""
        self._deaf = True

    def lead(self, connect: Connect) -> None:
        """Drop all traffic in progress, and lead new connections elsewhere."""
        self._connect = connect
        self._break(self._ends)

    async def mend(self) -> None:
        self._cut = self._deaf = False
        self._delay_s = 0.0
        self._break(self._robbed)
        self._flowing.set()
        if self._server is None:
            await self.open()

    def close(self) -> None:
        self._flowing.set()
        if self._server is not None:
            self._server.close()
        self._break(self._ends)

    def _break(self, ends: set[asyncio.StreamWriter]) -> None:
        for end in ends:
            end.transport.abort()
        ends.clear()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._ends.add(writer)
        try:
            if not self._cut:
                await self._relay(reader, writer)
        except OSError:
            pass
        finally:
            self._hang_up(writer)

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await self._connect()
        self._ends.add(far_writer)
        try:
            await asyncio.gather(
                self._carry(reader, far_writer, answers=False), self._carry(far_reader, writer, answers=True)
            )
        finally:
            self._hang_up(far_writer)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, answers: bool) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                await self._flowing.wait()
                if self._delay_s:
                    await asyncio.sleep(self._delay_s)
                if answers and self._deaf:
                    self._robbed.add(writer)
                elif writer not in self._robbed:
                    writer.write(data)
                    await writer.drain()
        writer.close()

    def _hang_up(self, writer: asyncio.StreamWriter) -> None:
        self._ends.discard(writer)
        self._robbed.discard(writer)
        writer.transport.abort()
