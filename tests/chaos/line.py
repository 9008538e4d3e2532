"""What lies between callers and a web process: a relay of bytes that can be cut or stalled."""

import asyncio
from contextlib import suppress


class Line:
    def __init__(self, to_port: int) -> None:
        self._to_port = to_port
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._cut = False
        self._ends: set[asyncio.StreamWriter] = set()
        self.port = 0

    async def open(self) -> None:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = int(self._server.sockets[0].getsockname()[1])

    def cut(self) -> None:
        """Answers that are under way are lost, and whoever asks anew is hung up on."""
        self._cut = True
        self._break()

    def stall(self) -> None:
        self._flowing.clear()

    def mend(self) -> None:
        self._cut = False
        self._flowing.set()

    def close(self) -> None:
        self.mend()
        self._server.close()
        self._break()

    def _break(self) -> None:
        for end in self._ends:
            end.transport.abort()
        self._ends.clear()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._ends.add(writer)
        try:
            if not self._cut:
                await self._connect(reader, writer)
        except OSError:
            pass
        finally:
            self._hang_up(writer)

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._to_port)
        self._ends.add(far_writer)
        try:
            await asyncio.gather(self._carry(reader, far_writer), self._carry(far_reader, writer))
        finally:
            self._hang_up(far_writer)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                await self._flowing.wait()
                writer.write(data)
                await writer.drain()
        writer.close()

    def _hang_up(self, writer: asyncio.StreamWriter) -> None:
        self._ends.discard(writer)
        writer.transport.abort()
