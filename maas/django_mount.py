"""Runs Django as the synchronous code it is, in a bounded pool of threads, inside the ASGI application.

A thread is taken when the whole request is there and given back when the response is made. Files are read by the
block and other streams produced in threads of their own, so that no slow caller, sending or receiving, holds one.
"""

import asyncio
import io
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, BinaryIO

from django.core import signals
from django.core.handlers.base import BaseHandler
from django.core.handlers.wsgi import WSGIRequest
from django.http import FileResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import set_script_prefix

from jobs.live.protocol import (
    ClientGone,
    Message,
    Receive,
    Scope,
    Send,
    body_chunks,
    has_body,
    until_disconnect,
)
from jobs.live.spool import BATCH_BYTES, Spool
from jobs.live.threads import BoundedThreads
from maas.wsgi_environ import Environ, environ_of

STREAM_THREADS = 8
SLOW_CLIENT_S = 60.0
"""A caller who takes nothing of a response for so long is taken to be gone."""


class DjangoMount(BaseHandler):
    def __init__(self, *, threads: int, spool: Spool) -> None:
        super().__init__()
        self.load_middleware()
        self._threads = BoundedThreads("django", threads)
        self._streams = BoundedThreads("stream", STREAM_THREADS)
        self._spool = spool

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._whole_body(scope, receive) as (body, length):
            environ = environ_of(scope, body, length)
            response = await self._threads.run(self._respond, environ)
        await send(_start(response))
        if not isinstance(response, StreamingHttpResponse):
            await send({"type": "http.response.body", "body": response.content})  # type: ignore[attr-defined]
            return
        try:
            await self._stream(scope, response, receive, send)
        finally:
            self._streams.start(response.close)

    def close(self) -> None:
        self._threads.close()
        self._streams.close()

    def _respond(self, environ: Environ) -> HttpResponseBase:
        """One hop for all of it: signals, middleware, view, and the end of a response that is whole."""
        set_script_prefix("/")
        signals.request_started.send(sender=self.__class__, environ=environ)
        response = self.get_response(WSGIRequest(environ))
        response._handler_class = self.__class__  # type: ignore[attr-defined]
        if not response.streaming:
            response.close()
        return response

    @asynccontextmanager
    async def _whole_body(self, scope: Scope, receive: Receive) -> AsyncIterator[tuple[BinaryIO, int]]:
        """Small bodies stay in memory, others wait on disk; the guard in front has bounded both."""
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

    async def _stream(
        self, scope: Scope, response: StreamingHttpResponse, receive: Receive, send: Send
    ) -> None:
        gone = asyncio.get_running_loop().create_task(until_disconnect(receive))
        try:
            if scope["method"] != "HEAD":
                source = (
                    getattr(response, "file_to_stream", None) if isinstance(response, FileResponse) else None
                )
                if source is not None:
                    await self._send_file(source, gone, send)
                else:
                    await self._send_produced(response, gone, send)
            await send({"type": "http.response.body", "body": b""})
        except ClientGone:
            pass
        finally:
            gone.cancel()

    async def _send_file(self, source: Any, gone: "asyncio.Task[None]", send: Send) -> None:
        while block := await self._streams.run(source.read, BATCH_BYTES):
            await _send_block(block, gone, send)

    async def _send_produced(
        self, response: StreamingHttpResponse, gone: "asyncio.Task[None]", send: Send
    ) -> None:
        """From first to last in one thread and one context, so that a query set or a transaction inside survives."""
        loop = asyncio.get_running_loop()
        abandoned = threading.Event()

        def produce() -> None:
            for block in response:
                if abandoned.is_set():
                    return
                asyncio.run_coroutine_threadsafe(_send_block(block, gone, send), loop).result()

        try:
            await self._streams.run(produce)
        finally:
            abandoned.set()


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
        (b"set-cookie", morsel.output(header="").strip().encode("latin-1"))
        for morsel in response.cookies.values()
    ]
    return {"type": "http.response.start", "status": response.status_code, "headers": headers}
