"""Callers with their own connections. Each sends its next request as soon as it has a response, whatever the
response.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

Request = Callable[[], bytes]


@dataclass(frozen=True)
class Figures:
    per_s: float
    p50_ms: float
    p99_ms: float
    words: dict[str, int]
    """The number of responses by the value of `x-cache`."""


class _Caller(asyncio.Protocol):
    def __init__(self, latencies_s: list[float], words: dict[str, int], request: Request) -> None:
        self._latencies_s, self._words, self._request = latencies_s, words, request
        self._got = bytearray()
        self._size = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._ask()

    def _ask(self) -> None:
        request = self._request()
        self._requested_at_s = time.perf_counter()
        self._transport.write(request)

    def data_received(self, data: bytes) -> None:
        self._got += data
        if not self._size:
            head, end, _ = bytes(self._got).partition(b"\r\n\r\n")
            if not end:
                return
            assert head.startswith(b"HTTP/1.1 200"), bytes(self._got[:2000])
            self._size = len(head) + 4 + int(_field(head, b"content-length: "))
            word = _field(head, b"x-cache: ").decode()
            self._words[word] = self._words.get(word, 0) + 1
        if len(self._got) >= self._size:
            self._latencies_s.append(time.perf_counter() - self._requested_at_s)
            self._got.clear()
            self._size = 0
            self._ask()


def _field(head: bytes, name: bytes) -> bytes:
    return head.partition(name)[2].partition(b"\r\n")[0]


async def load(port: int, seconds: float, request: Request, callers: int) -> Figures:
    loop = asyncio.get_running_loop()
    latencies_s: list[float] = []
    words: dict[str, int] = {}
    connections = [
        await loop.create_connection(lambda: _Caller(latencies_s, words, request), "127.0.0.1", port)
        for _ in range(callers)
    ]
    await asyncio.sleep(seconds)
    for transport, _ in connections:
        transport.abort()
    ordered = sorted(latencies_s)
    return Figures(
        len(ordered) / seconds,
        ordered[len(ordered) // 2] * 1000,
        ordered[len(ordered) * 99 // 100] * 1000,
        words,
    )
