"""Sends requests at its own rate, whether or not the server keeps up, over connections that stay open."""

import asyncio
import gc
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

MAX_CONNECTIONS = 512


@dataclass(frozen=True, slots=True)
class Answer:
    at_s: float
    seconds: float
    """The time since the request was due."""
    status: int
    retry_after: int | None
    body: bytes


@dataclass(slots=True)
class Played:
    answers: list[Answer] = field(default_factory=list)
    unsent: int = 0
    """Requests for which no connection was free, because the server or this machine was that far behind."""
    late_s: float = 0.0
    """The most by which the caller itself was late."""


class Connections:
    def __init__(self, port: int) -> None:
        self._port = port
        self._free: deque[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = deque()
        self._open = 0

    async def ask(self, request: bytes, due_s: float) -> Answer | None:
        """Send a request and return the response, with status 0 if the connection broke. Return None if all connections
        are in use. Raises OSError if nobody listens: then nothing was sent.
        """
        if not self._free and self._open >= MAX_CONNECTIONS:
            return None
        if self._free:
            reader, writer = self._free.pop()
        else:
            self._open += 1
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
            except OSError:
                self._open -= 1
                raise
        try:
            writer.write(request)
            answer, keeps = await _read(reader, due_s)
        except (OSError, asyncio.IncompleteReadError):
            self._open -= 1
            return Answer(due_s, time.monotonic() - due_s, 0, None, b"")
        if keeps:
            self._free.append((reader, writer))
        else:
            writer.close()
            self._open -= 1
        return answer

    def close(self) -> None:
        for _, writer in self._free:
            writer.transport.abort()


async def _read(reader: asyncio.StreamReader, due_s: float) -> tuple[Answer, bool]:
    head = await reader.readuntil(b"\r\n\r\n")
    fields = {}
    status_line, *lines = head.decode("latin-1").split("\r\n")
    for line in lines:
        name, _, value = line.partition(":")
        fields[name.lower()] = value.strip()
    body = await reader.readexactly(int(fields.get("content-length", 0)))
    status, retry = int(status_line.split(" ")[1]), fields.get("retry-after")
    answer = Answer(due_s, time.monotonic() - due_s, status, int(retry) if retry else None, body)
    return answer, fields.get("connection", "").lower() != "close"


@contextmanager
def uncollected() -> Iterator[None]:
    """Run the body without Python's garbage collector in this process.

    The collector scans all stored responses, for 0.2 s and longer the more there are. Requests that are due meanwhile
    would be reported as slowness of the server.
    """
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


async def play(port: int, rate_per_s: float, seconds: float, request: Callable[[], bytes]) -> Played:
    """Send evenly spaced requests, each at its time or as soon after as this process can."""
    with uncollected():
        return await _play(port, rate_per_s, seconds, request)


async def _play(port: int, rate_per_s: float, seconds: float, request: Callable[[], bytes]) -> Played:
    played, connections = Played(), Connections(port)
    tasks: set[asyncio.Task[None]] = set()

    async def one(due_s: float) -> None:
        answer = await connections.ask(request(), due_s)
        if answer is None:
            played.unsent += 1
        else:
            played.answers.append(answer)

    began_s = time.monotonic()
    for number in range(int(rate_per_s * seconds)):
        due_s = began_s + number / rate_per_s
        behind_s = time.monotonic() - due_s
        played.late_s = max(played.late_s, behind_s)
        if behind_s < 0:
            await asyncio.sleep(-behind_s)
        task = asyncio.create_task(one(due_s))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
    if tasks:
        await asyncio.wait(tasks, timeout=30)
    connections.close()
    return played


async def closed_loop(port: int, callers: int, seconds: float, request: Callable[[], bytes]) -> list[Answer]:
    """Run callers that each send their next request as soon as they have a response."""
    connections = Connections(port)
    answers: list[Answer] = []
    until_s = time.monotonic() + seconds

    async def one() -> None:
        while time.monotonic() < until_s:
            answer = await connections.ask(request(), time.monotonic())
            if answer is not None:
                answers.append(answer)

    await asyncio.gather(*(one() for _ in range(callers)))
    connections.close()
    return answers
