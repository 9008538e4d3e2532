"""A connection between two cells: a TCP proxy that delays what it carries, and can be cut and healed."""

import asyncio
import threading
from contextlib import suppress
from types import TracebackType
from typing import Self

from maas.local.supervisor.ports import free_port


class Link:
    """Carries connections to a port. `delay_s` is the time of one way, so a round trip takes twice as long."""

    def __init__(self, to_port: int, *, delay_s: float = 0.0) -> None:
        self._to_port = to_port
        self._delay_s = delay_s
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.carried_bytes = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="link", daemon=True)
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._carries = asyncio.Event()

    def __enter__(self) -> Self:
        self._thread.start()
        self.heal()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.cut()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def cut(self) -> None:
        """End all connections, and refuse new ones."""
        asyncio.run_coroutine_threadsafe(self._cut(), self._loop).result(10)

    def freeze(self) -> None:
        """Carry nothing more and say nothing, as if packets were dropped."""
        self._loop.call_soon_threadsafe(self._carries.clear)

    def set_delay(self, delay_s: float) -> None:
        self._delay_s = delay_s

    def heal(self) -> None:
        asyncio.run_coroutine_threadsafe(self._heal(), self._loop).result(10)

    async def _heal(self) -> None:
        self._carries.set()
        if self._server is None:
            self._server = await asyncio.start_server(self._accept, "127.0.0.1", self.port, backlog=1024)

    async def _cut(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None
        for writer in list(self._writers):
            writer.transport.abort()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.sleep(0)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._to_port)
        except OSError:
            writer.transport.abort()
            return
        both = {writer, far_writer}
        self._writers |= both
        ways = {
            asyncio.ensure_future(self._carry(reader, far_writer)),
            asyncio.ensure_future(self._carry(far_reader, writer)),
        }
        self._tasks |= ways
        try:
            await asyncio.wait(ways)
        finally:
            self._tasks -= ways
            self._writers -= both
            for end in both:
                end.transport.abort()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carry one way. Parts on the way are written in their order, each after the delay."""
        sent: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(maxsize=4096)
        deliver = asyncio.ensure_future(self._deliver(sent, writer))
        try:
            while data := await reader.read(65_536):
                await sent.put((self._loop.time() + self._delay_s, data))
            await sent.put((self._loop.time() + self._delay_s, b""))
            await deliver
        except OSError:
            pass
        finally:
            deliver.cancel()

    async def _deliver(self, sent: "asyncio.Queue[tuple[float, bytes]]", writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while True:
                at_s, data = await sent.get()
                if (left_s := at_s - self._loop.time()) > 0:
                    await asyncio.sleep(left_s)
                await self._carries.wait()
                if not data:
                    writer.write_eof()
                    return
                self.carried_bytes += len(data)
                writer.write(data)
                await writer.drain()
