"""Runs Django as synchronous code in a bounded pool of threads inside the ASGI application.

A thread is taken when the whole request has arrived, and returned when the response is made. Streamed responses are
read or produced in other threads, one block at a time, so that no slow caller holds a thread, whether it sends or
receives.
"""

import asyncio
import contextvars
import io
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any, BinaryIO

from django.core import signals
from django.core.handlers.base import BaseHandler
from django.core.handlers.wsgi import WSGIRequest
from django.db import close_old_connections, connections
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import set_script_prefix

from jobs.intake.intake import Intake, refuse_known_job
from jobs.intake.spool import BATCH_BYTES, Spool
from tenants.core.asgi.protocol import (
    ClientGone,
    Message,
    Receive,
    Scope,
    Send,
    body_chunks,
    has_body,
    until_disconnect,
)
from tenants.core.asgi.threads import BoundedThreads, Overloaded

Environ = dict[str, Any]
OWN_PREFIX = "maas."
_OF_THE_TRANSPORT = frozenset({b"content-length", b"transfer-encoding"})


def environ_of(scope: Scope, body: BinaryIO, length: int) -> Environ:
    """Return the environment. Values of the front (`maas.…`) are beside the headers, where no caller can write."""
    host, port = scope.get("server") or ("localhost", 80)
    environ: Environ = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        # WSGI requires the bytes of the path, each as one character.
        "PATH_INFO": scope["path"].encode().decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "CONTENT_LENGTH": str(length),
        "SERVER_NAME": host,
        "SERVER_PORT": str(port),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": (scope.get("client") or ("",))[0],
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope.get("scheme", "http"),
        "wsgi.input": body,
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    _add_headers(environ, scope)
    environ.update({key: value for key, value in scope.items() if key.startswith(OWN_PREFIX)})
    return environ


def _add_headers(environ: Environ, scope: Scope) -> None:
    for name, value in scope["headers"]:
        # `X_Tenant` and `X-Tenant` would become the same variable, and a proxy that strips one lets the other through.
        if b"_" in name or name in _OF_THE_TRANSPORT:
            continue
        text = value.decode("latin-1")
        key = name.decode("latin-1").upper().replace("-", "_")
        if key != "CONTENT_TYPE":
            key = f"HTTP_{key}"
        if key in environ:
            text = f"{environ[key]}{'; ' if key == 'HTTP_COOKIE' else ','}{text}"
        environ[key] = text


class StreamedBlocks:
    def __init__(self, response: StreamingHttpResponse) -> None:
        self._response = response
        self._file: BinaryIO | None = getattr(response, "file_to_stream", None)
        self._blocks = _read_in_blocks(self._file) if self._file else filter(None, response)
        # A caller that disconnects closes the response, perhaps while a block is being produced.
        self._one_at_a_time = threading.Lock()
        # All blocks share one context, so that what is bound for one block is still bound for the next.
        self._context = contextvars.copy_context()

    @property
    def from_file(self) -> bool:
        """Say whether the blocks come from a file, so that they take no work to make."""
        return self._file is not None

    def next(self) -> bytes | None:
        close_old_connections()
        with self._one_at_a_time:
            block = self._context.run(next, self._blocks, None)
            if _in_transaction():
                # The response is closed here and now, because only this thread can end the transaction that it began.
                self._context.run(self._response.close)
                raise RuntimeError("a streamed response kept a transaction open from one block to the next")
        return block

    def close(self) -> None:
        with self._one_at_a_time:
            self._context.run(self._response.close)


def _read_in_blocks(file: BinaryIO) -> Iterator[bytes]:
    return iter(lambda: file.read(BATCH_BYTES), b"")


def _in_transaction() -> bool:
    """Say whether a transaction is open. It would last while the caller reads, and the next thread may be another."""
    return any(connection.in_atomic_block for connection in connections.all(initialized_only=True))


READING_THREADS = 8
PRODUCING_THREADS = 4
"""Threads for blocks that take work to produce. They are separate, so that a picture never waits behind such blocks."""
MAX_STREAMS = 1024
"""Streams that may be open at once. Each holds a file or the data that it is produced from, and a block of it."""
SLOW_CLIENT_S = 60.0
"""Seconds without reading a block of a response after which a caller counts as disconnected."""
LONGEST_STREAM_S = 3600.0
"""The longest time for a stream, however steadily the caller reads it."""


class DjangoMount(BaseHandler):
    def __init__(self, *, threads: int, spool: Spool, intake: Intake) -> None:
        super().__init__()
        self.load_middleware()
        self._threads = BoundedThreads("django", threads)
        # Each stream has at most one block in progress. The end of one stream may be in progress while another begins.
        self._reading = BoundedThreads("read", READING_THREADS, waiting=2 * MAX_STREAMS)
        self._producing = BoundedThreads("produce", PRODUCING_THREADS, waiting=2 * MAX_STREAMS)
        self._under_way = 0
        self._spool = spool
        self._intake = intake

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._whole_body(scope, receive) as (body, length):
            refuse_known_job(scope, body, length)
            environ = environ_of(scope, body, length)
            async with self._intake.turn(scope):
                response = await self._threads.run(self._respond, environ)
        if isinstance(response, StreamingHttpResponse):
            await self._stream(scope, response, receive, send)
            return
        await send(_start(response))
        await send({"type": "http.response.body", "body": response.content})  # type: ignore[attr-defined]

    def close(self) -> None:
        self._threads.close()
        self._reading.close()
        self._producing.close()

    def _respond(self, environ: Environ) -> HttpResponseBase:
        """Run everything in one thread: signals, middleware, view, and the end of a response that is not streamed."""
        set_script_prefix("/")
        signals.request_started.send(sender=self.__class__, environ=environ)
        response = self.get_response(WSGIRequest(environ))
        response._handler_class = self.__class__  # type: ignore[attr-defined]
        if not response.streaming:
            response.close()
        return response

    @asynccontextmanager
    async def _whole_body(self, scope: Scope, receive: Receive) -> AsyncIterator[tuple[BinaryIO, int]]:
        """Yield the body. A small body stays in memory, a larger one is on disk. The request guard has limited both."""
        if not has_body(scope):
            yield io.BytesIO(), 0
            return
        with self._spool.file() as file:
            small = bytearray()
            async for chunk in body_chunks(receive):
                if file.size_bytes or len(small) + len(chunk) > BATCH_BYTES:
                    file.add(bytes(small) + chunk)
                    small.clear()
                    await file.write_full_batch()
                else:
                    small += chunk
            if not file.size_bytes:
                yield io.BytesIO(small), len(small)
                return
            await file.finish()
            with await self._threads.run(file.path.open, "rb") as body:
                yield body, file.size_bytes

    async def _stream(self, scope: Scope, response: StreamingHttpResponse, receive: Receive, send: Send) -> None:
        blocks = StreamedBlocks(response)
        threads = self._reading if blocks.from_file else self._producing
        gone = asyncio.get_running_loop().create_task(until_disconnect(receive))
        self._under_way += 1
        try:
            if self._under_way > MAX_STREAMS:
                raise Overloaded(
                    f"{MAX_STREAMS} files are being sent already. Try again.",
                    gate="file_streams",
                    extra={"retry_after_s": 5},
                )
            await send(_start(response))
            if scope["method"] != "HEAD":
                await _send_blocks(blocks, threads, gone, send)
            await send({"type": "http.response.body", "body": b""})
        except ClientGone:
            pass
        finally:
            self._under_way -= 1
            gone.cancel()
            threads.start(blocks.close)


async def _send_blocks(blocks: StreamedBlocks, threads: BoundedThreads, gone: "asyncio.Task[None]", send: Send) -> None:
    clock = asyncio.get_running_loop().time
    until_s = clock() + LONGEST_STREAM_S
    while (block := await threads.run(blocks.next)) is not None:
        if clock() > until_s:
            raise ClientGone
        await _send_block(block, gone, send)


async def _send_block(block: bytes, gone: "asyncio.Task[None]", send: Send) -> None:
    if gone.done():
        raise ClientGone
    try:
        async with asyncio.timeout(SLOW_CLIENT_S):
            await send({"type": "http.response.body", "body": block, "more_body": True})
    except TimeoutError:
        raise ClientGone from None


def _start(response: HttpResponseBase) -> Message:
    headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in response.items()]
    headers += [
        (b"set-cookie", morsel.output(header="").strip().encode("latin-1")) for morsel in response.cookies.values()
    ]
    return {"type": "http.response.start", "status": response.status_code, "headers": headers}
