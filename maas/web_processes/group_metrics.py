"""Answers `/metrics` for all web processes of one port, so that a scrape sees each of them, whichever it reaches."""

import asyncio
import socket
from collections.abc import Awaitable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import structlog
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from maas.process.health import answer, came_through_proxy
from tenants.core.asgi.protocol import App, Receive, Scope, Send

log = structlog.get_logger(__name__)
TIMEOUT_S = 2.0


def open_sockets(processes: int) -> list[socket.socket]:
    """Open a socket for each process, before they are forked. Their names are the kernel's own, and no files.

    All are open in all processes, so a process that is being replaced answers a little later.
    """
    return [_listen() for _ in range(processes)]


class GroupMetrics:
    """A layer around the application of the process with this number. It answers siblings, and asks them."""

    def __init__(self, inner: App, number: int, sockets: Sequence[socket.socket]) -> None:
        self._inner = inner
        self._number = number
        self._sockets = sockets
        self._threads = ThreadPoolExecutor(2 * len(sockets), "metrics")
        """Separate threads, because siblings that ask each other would otherwise wait for each other's."""

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        if scope["type"] == "lifespan":
            asyncio.get_running_loop().add_reader(self._sockets[self._number], self._accept)
        elif scope["type"] == "http" and scope["path"] == "/metrics" and not came_through_proxy(scope):
            return self._answer(send)
        return self._inner(scope, receive, send)

    async def _answer(self, send: Send) -> None:
        texts = await asyncio.gather(*(self._text_of(number) for number in range(len(self._sockets))))
        body = merged({str(number): text for number, text in enumerate(texts) if text})
        await answer(send, 200, CONTENT_TYPE_LATEST, body)

    async def _text_of(self, number: int) -> str:
        """Return the metrics of a process, or an empty text if it does not answer in time."""
        if number == self._number:
            return (await asyncio.get_running_loop().run_in_executor(self._threads, generate_latest)).decode()
        try:
            name = self._sockets[number].getsockname()
            return await asyncio.get_running_loop().run_in_executor(self._threads, _read, name)
        except OSError as error:
            log.warning("metrics_incomplete", process=number, error=str(error))
            return ""

    def _accept(self) -> None:
        with suppress(BlockingIOError):
            connection, _ = self._sockets[self._number].accept()
            asyncio.get_running_loop().run_in_executor(self._threads, _write, connection)


def merged(texts: dict[str, str]) -> bytes:
    """Return one text of the metrics of many processes, each with its number as the label `process`. Samples of one
    metric stay together, as the format demands.
    """
    samples: dict[str, list[str]] = {}
    for process, text in texts.items():
        heading = ""
        for line in text.splitlines():
            if line.startswith("# HELP "):
                heading = f"{line}\n"
            elif line.startswith("#"):
                heading += f"{line}\n"
                samples.setdefault(heading, [])
            else:
                samples[heading].append(_labeled(line, process))
    return "".join(heading + "".join(lines) for heading, lines in samples.items()).encode()


def _labeled(sample: str, process: str) -> str:
    name, _, rest = sample.partition(" ")
    if "{" in name:
        name, _, rest = sample.partition("{")
        return f'{name}{{process="{process}",{rest}\n'
    return f'{name}{{process="{process}"}} {rest}\n'


def _listen() -> socket.socket:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind("")
    listener.listen()
    listener.setblocking(False)
    return listener


def _read(address: bytes) -> str:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(TIMEOUT_S)
        connection.connect(address)
        chunks = iter(lambda: connection.recv(65536), b"")
        return b"".join(chunks).decode()


def _write(connection: socket.socket) -> None:
    with connection, suppress(OSError):
        connection.settimeout(TIMEOUT_S)
        connection.sendall(generate_latest())
