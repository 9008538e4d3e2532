"""Callers of an HTTP server, all in one process on bare asyncio: so many at once, or so many a second."""

import asyncio
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field

Ask = Callable[[int], bytes]
"""The whole request with this number."""

RAMP_S = 1.0
"""Asked and not counted: the first answers come before the server is as busy as it will be."""
LONGEST_S = 30.0
MIN_ANSWERS = 64
DRAIN_S = 60.0
MAX_CONNECTIONS = 1024
END = b"\r\n\r\n"


class CallFailed(Exception):
    """A server refused, or hung up."""


@dataclass(frozen=True)
class Figures:
    per_s: float
    p50_ms: float
    p99_ms: float
    client_us: float
    """Processor time of this client for each answer: what it takes from the server beside it."""


@dataclass
class _Taken:
    """When answers came, and how long each took."""

    ended_s: list[float] = field(default_factory=list)
    took_s: list[float] = field(default_factory=list)
    cpu_s: float = 0.0

    def add(self, asked_s: float) -> None:
        now_s = time.perf_counter()
        self.ended_s.append(now_s)
        self.took_s.append(now_s - asked_s)

    def figures(self) -> Figures:
        """Answers come in batches, so the rate is taken from the first answer to the last."""
        if len(self.took_s) < 3:
            raise CallFailed(f"only {len(self.took_s)} answers came")
        first_s, last_s = self.ended_s[0], self.ended_s[-1]
        later = sum(one > first_s for one in self.ended_s)
        ordered = sorted(self.took_s)
        return Figures(
            later / max(last_s - first_s, 1e-9),
            ordered[len(ordered) // 2] * 1000,
            ordered[len(ordered) * 99 // 100] * 1000,
            self.cpu_s / len(ordered) * 1e6,
        )


class Connection(asyncio.Protocol):
    """Kept alive; one request at a time."""

    def __init__(self, on_answer: Callable[["Connection", bytes], None]) -> None:
        self._on_answer = on_answer
        self._got = b""
        self._whole: int | None = None
        """Bytes of the answer, its head included; None until they are known."""
        self.failure: str | None = None
        self.asked_s = 0.0
        self.busy = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def connection_lost(self, error: Exception | None) -> None:
        if self.busy and self.failure is None:
            self.failure = f"the server hung up ({error})"
            self._on_answer(self, b"")

    def ask(self, request: bytes) -> None:
        self.busy = True
        self.asked_s = time.perf_counter()
        self._transport.write(request)

    def close(self) -> None:
        self.busy = False
        self._transport.abort()

    def data_received(self, data: bytes) -> None:
        self._got = self._got + data if self._got else data
        if self._whole is None and not self._read_head():
            return
        assert self._whole is not None
        if self._whole == _CHUNKED:
            if not self._got.endswith(b"0\r\n\r\n"):
                return
        elif len(self._got) < self._whole:
            return
        answer, self._got, self._whole, self.busy = self._got, b"", None, False
        self._on_answer(self, answer)

    def _read_head(self) -> bool:
        end = self._got.find(END)
        if end < 0:
            return False
        head = self._got[:end].lower()
        if not head.startswith(b"http/1.1 200"):
            self.failure = self._got[:600].decode("latin-1")
        start = head.find(b"content-length:")
        if start < 0:
            self._whole = _CHUNKED
        else:
            length = head[start + 15 : (head + b"\r\n").find(b"\r\n", start)]
            self._whole = end + len(END) + int(length)
        return True


_CHUNKED = -1


def body_of(answer: bytes) -> bytes:
    """Of a whole answer; chunks are put together."""
    head, _, body = answer.partition(END)
    if b"transfer-encoding: chunked" not in head.lower():
        return body
    whole = b""
    while body:
        size, _, rest = body.partition(b"\r\n")
        whole, body = whole + rest[: int(size, 16)], rest[int(size, 16) + 2 :]
    return whole


def together(port: int, ask: Ask, callers: int, seconds: float, ramp_s: float = RAMP_S) -> Figures:
    """Each asks again as soon as it is answered."""
    return asyncio.run(_Closed(port, ask).run(callers, seconds, ramp_s))


def at_rate(port: int, ask: Ask, per_s: float, seconds: float) -> Figures:
    """They come by chance, whether or not those before have been answered."""
    return asyncio.run(_Open(port, ask).run(per_s, seconds))


def answers(port: int, requests: list[bytes]) -> list[bytes]:
    """The bodies of the answers to these requests, asked all at once."""
    return asyncio.run(_bodies(port, requests))


async def _bodies(port: int, requests: list[bytes]) -> list[bytes]:
    return await asyncio.gather(*[_body(port, request) for request in requests])


async def _body(port: int, request: bytes) -> bytes:
    done: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
    connection = await _connect(port, lambda _, answer: done.set_result(answer))
    connection.ask(request)
    try:
        answer = await asyncio.wait_for(done, DRAIN_S)
    finally:
        connection.close()
    if connection.failure:
        raise CallFailed(connection.failure)
    return body_of(answer)


async def _connect(port: int, on_answer: Callable[[Connection, bytes], None]) -> Connection:
    loop = asyncio.get_running_loop()
    _, connection = await loop.create_connection(lambda: Connection(on_answer), "127.0.0.1", port)
    return connection


class _Callers:
    def __init__(self, port: int, ask: Ask) -> None:
        self._port = port
        self._ask = ask
        self._number = 0
        self._taken: _Taken | None = None
        self._failure: str | None = None
        self._connections: list[Connection] = []
        self._stopped = False

    def _next(self) -> bytes:
        self._number += 1
        return self._ask(self._number)

    def _note(self, connection: Connection) -> None:
        self._failure = self._failure or connection.failure
        if self._taken is not None:
            self._taken.add(connection.asked_s)

    async def _count(self, seconds: float) -> Figures:
        taken, cpu_s = _Taken(), time.process_time()
        self._taken = taken
        until_s = time.monotonic() + LONGEST_S
        await asyncio.sleep(seconds)
        # Where all is slow, a few seconds hold a few batches at most.
        while len(taken.took_s) < MIN_ANSWERS and time.monotonic() < until_s and not self._failure:  # noqa: ASYNC110
            await asyncio.sleep(0.1)
        self._taken = None
        taken.cpu_s = time.process_time() - cpu_s
        await self._drain()
        if self._failure:
            raise CallFailed(self._failure)
        return taken.figures()

    async def _drain(self) -> None:
        """Whoever is measured next finds nothing left to do."""
        self._stopped = True
        until_s = time.monotonic() + DRAIN_S
        # Seldom and short; an event would have to be looked after at every answer.
        while any(one.busy and not one.failure for one in self._connections) and time.monotonic() < until_s:  # noqa: ASYNC110
            await asyncio.sleep(0.02)
        for connection in self._connections:
            connection.close()


class _Closed(_Callers):
    async def run(self, callers: int, seconds: float, ramp_s: float) -> Figures:
        self._connections = [await _connect(self._port, self._answered) for _ in range(callers)]
        for connection in self._connections:
            connection.ask(self._next())
        await asyncio.sleep(ramp_s)
        return await self._count(seconds)

    def _answered(self, connection: Connection, answer: bytes) -> None:
        self._note(connection)
        if not self._stopped and not connection.failure:
            connection.ask(self._next())


class _Open(_Callers):
    """A caller who finds no free connection opens one; its time begins when it comes."""

    async def run(self, per_s: float, seconds: float) -> Figures:
        ready = max(8, round(per_s / 20))
        self._connections = [await _connect(self._port, self._answered) for _ in range(min(ready, 256))]
        self._free = list(self._connections)
        coming = asyncio.create_task(self._come(per_s))
        await asyncio.sleep(RAMP_S)
        try:
            return await self._count(seconds)
        finally:
            coming.cancel()

    async def _come(self, per_s: float) -> None:
        chance = random.Random(7)
        due_s = time.perf_counter()
        while True:
            due_s += chance.expovariate(per_s)
            wait_s = due_s - time.perf_counter()
            if wait_s > 0:
                await asyncio.sleep(wait_s)
            if self._stopped:
                return
            if not self._free:
                if len(self._connections) >= MAX_CONNECTIONS:
                    raise CallFailed("the server does not keep up with half of its own rate")
                opened = await _connect(self._port, self._answered)
                self._connections.append(opened)
                self._free.append(opened)
            self._free.pop().ask(self._next())

    def _answered(self, connection: Connection, answer: bytes) -> None:
        self._note(connection)
        if not connection.failure:
            self._free.append(connection)
