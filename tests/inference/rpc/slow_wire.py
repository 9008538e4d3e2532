"""Relay a connection to a server whose answers can each be delayed, without a lower throughput."""

import asyncio
import threading
from types import TracebackType
from typing import Self
from urllib.parse import parse_qs, unquote, urlsplit


class SlowWire:
    """A relay in an event loop of its own. What is sent to the server passes immediately."""

    def __init__(self, target_url: str) -> None:
        self._target = urlsplit(target_url)
        self.delay_s = 0.0
        self.url = ""
        self._loop = asyncio.new_event_loop()
        self._tasks: set[asyncio.Task[None]] = set()

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._server = asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result()
        port = self._server.sockets[0].getsockname()[1]
        self.url = f"redis://127.0.0.1:{port}/{self._database}"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @property
    def _database(self) -> str:
        if self._target.scheme == "unix":
            return parse_qs(self._target.query)["db"][0]
        return self._target.path.lstrip("/")

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self._target.scheme == "unix":
            return await asyncio.open_unix_connection(unquote(self._target.path))
        return await asyncio.open_connection(self._target.hostname, self._target.port)

    async def _listen(self) -> asyncio.Server:
        return await asyncio.start_server(self._accept, "127.0.0.1", 0)

    async def _stop(self) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _accept(self, near: asyncio.StreamReader, to_near: asyncio.StreamWriter) -> None:
        far, to_far = await self._connect()
        for relay in (self._say(near, to_far), self._answer(far, to_near)):
            task = asyncio.create_task(relay)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _say(self, near: asyncio.StreamReader, to_far: asyncio.StreamWriter) -> None:
        try:
            while data := await near.read(65_536):
                to_far.write(data)
        except OSError:
            pass
        finally:
            to_far.close()

    async def _answer(self, far: asyncio.StreamReader, to_near: asyncio.StreamWriter) -> None:
        """Delay each piece by the delay at its arrival, and keep the pieces in order."""
        late: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
        handing = asyncio.create_task(self._hand_over(late, to_near))
        try:
            while data := await far.read(65_536):
                late.put_nowait((self._loop.time() + self.delay_s, data))
            late.put_nowait((self._loop.time() + self.delay_s, b""))
            await handing
        except OSError:
            pass
        finally:
            handing.cancel()
            to_near.close()

    async def _hand_over(self, late: "asyncio.Queue[tuple[float, bytes]]", to_near: asyncio.StreamWriter) -> None:
        while True:
            due_s, data = await late.get()
            await asyncio.sleep(max(0.0, due_s - self._loop.time()))
            if not data:
                return
            to_near.write(data)
