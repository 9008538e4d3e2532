"""A home cell whose connections a test ends at an exact moment, and a caller of it through this cell."""

import asyncio
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from maas.web.cells.front import CellFront
from tenants.api_keys.format import KeyParts
from tenants.cells.cells import Cell, Cells
from tenants.core.asgi.protocol import Message, Receive, Scope
from tenants.core.asgi.stopping import Stop

OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"
CLOSES = None
"""The reply of a home that ends the connection instead."""
SILENCE = b""


class ScriptedHome:
    """Replies to each request with the next reply, and ends the connection after those of `and_close`."""

    def __init__(self, *replies: bytes | None, and_close: bool = False) -> None:
        self._replies = deque(replies)
        self._and_close = and_close
        self._writers: list[asyncio.StreamWriter] = []
        self.heads: list[str] = []
        self.connections: list[int] = []
        """The number of the connection on which each request came."""
        self.bodies = b""

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.listen_no_more()
        for writer in self._writers:
            writer.transport.abort()

    def listen_no_more(self) -> None:
        self._server.close()

    def write(self, data: bytes) -> None:
        """Write more of an answer, on the newest connection."""
        self._writers[-1].write(data)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.append(writer)
        number = len(self._writers)
        buffered = b""
        while part := await reader.read(65_536):
            buffered += part
            if b"\r\n\r\n" not in buffered:
                continue
            head, _, rest = buffered.partition(b"\r\n\r\n")
            if b"chunked" in head.lower() and not rest.endswith(b"0\r\n\r\n"):
                continue
            buffered = b""
            self.heads.append(head.decode())
            self.connections.append(number)
            self.bodies += rest
            reply = self._replies.popleft()
            if reply is CLOSES:
                break
            writer.write(reply)
            if self._and_close:
                await writer.drain()
                break
        writer.close()


class Answer:
    def __init__(self, sent: list[Message]) -> None:
        self.messages = sent
        self.status = sent[0].get("status")
        self.body = b"".join(message.get("body", b"") for message in sent[1:])


def cells_at(**urls: str) -> Cells:
    by_name = {name: Cell(name, url, ()) for name, url in urls.items()}
    return Cells("eu", by_name={"eu": Cell("eu", "http://127.0.0.1:1", ()), **by_name}, secret=b"e" * 32)


async def inner(scope: Scope, receive: Receive, send: Any) -> None:
    raise AssertionError("the request belongs to another cell")


def front_to(stop: Stop | None = None, **urls: str) -> CellFront:
    return CellFront(inner, cells_at(**urls), stop or Stop())


def scope_of(method: str = "GET", *headers: tuple[bytes, bytes], cell: str = "us", **more: Any) -> Scope:
    key = KeyParts("0123456789ab", "S" * 32, livemode=True, cell=cell).text
    return {
        "type": "http",
        "http_version": "1.1",
        "method": method,
        "path": "/v1/jobs/x",
        "raw_path": b"/v1/jobs/x",
        "query_string": b"",
        "headers": [(b"authorization", f"Bearer {key}".encode()), *headers],
        "client": ("203.0.113.7", 1),
        **more,
    }


def parts(*given: bytes, more: bool = False) -> Receive:
    """Return a caller who sends these parts, promises more or not, and then stays."""
    left = deque(given)

    async def receive() -> Message:
        if not left:
            await asyncio.sleep(60)
        part = left.popleft()
        return {"type": "http.request", "body": part, "more_body": more or bool(left)}

    return receive


async def leaves() -> Message:
    return {"type": "http.disconnect"}


async def ask(front: CellFront, scope: Scope, receive: Receive | None = None) -> Answer:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    await front(scope, receive or parts(), send)
    return Answer(sent or [{}])


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.01)
