"""Documents that requests name by their address: fetched here, so that no thread of Django waits for others' servers.

Django is asked first: about the caller, the key, the model, the room for a job. Where it wants the document, it says so
in the request's `Fetch`, and is asked again with the file beside the same request, as with an upload.
"""

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from jobs.documents.uploads import FETCH, Address, Fetch, Upload
from jobs.errors import RequestInProgress
from jobs.live.asking import JOBS, Asking
from jobs.live.fetching import Fetcher, Fetching
from jobs.live.inspections import Inspections
from jobs.live.spool import Spool
from jobs.live.uploads import DOCUMENTS, caller, caller_if_known
from tenants.asgi.protocol import (
    UPLOAD,
    App,
    ClientGone,
    Message,
    Receive,
    Scope,
    Send,
    header,
    until_disconnect,
)

MOST_BYTES = 64 * 1024
"""Of a request that names an address: it has to be kept until that has answered."""
_MARK = b'"document_url"'
AGAIN_S = 2


class Fetches:
    def __init__(self, inner: App, spool: Spool, fetcher: Fetcher, inspections: Inspections) -> None:
        self._inner = inner
        self._asking = Asking(inner)
        self._spool = spool
        self._fetcher = fetcher
        self._inspections = inspections
        self._keys: set[tuple[UUID, str]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._require_free_key(scope)
        if not _is_short_json(scope):
            await self._inner(scope, receive, send)
            return
        body, whole = await _beginning(receive)
        if not whole or not (scope["path"] == DOCUMENTS or _MARK in body):
            await self._inner(scope, _replayed(body, receive, whole=whole), send)
            return
        fetch = Fetch()
        first = await self._asking.ask({**scope, FETCH: fetch}, _replayed(body, receive))
        if fetch.wanted is None:
            await first.give(send)
            return
        await self._with_document(scope, fetch.wanted, body, receive, send)

    async def _with_document(
        self, scope: Scope, address: Address, body: bytes, receive: Receive, send: Send
    ) -> None:
        with self._spool.file() as file, self._alone(scope):
            identity = caller(scope)
            wanted = Fetching(identity.tenant_id, identity.limits.upload_bytes, address, file)
            name = await _unless_gone(self._fetcher.fetch(wanted), receive)
            upload = Upload(
                path=file.path,
                sha256=await file.finish(),
                size_bytes=file.size_bytes,
                filename=name,
                content_type="",
                fetched=True,
            )
            upload = await self._inspections.look_at(identity.tenant_id, upload)
            await self._inner({**scope, UPLOAD: upload}, _replayed(body, receive), send)

    @contextmanager
    def _alone(self, scope: Scope) -> Iterator[None]:
        """Of requests under one key, one fetches. In two processes both do, and one makes what both asked for."""
        self._require_free_key(scope)
        mark = _mark(scope)
        if mark is None:
            yield
            return
        self._keys.add(mark)
        try:
            yield
        finally:
            self._keys.discard(mark)

    def _require_free_key(self, scope: Scope) -> None:
        """Whatever else is asked for under the key: who fetches has no row of it yet that would keep others from it."""
        mark = _mark(scope) if self._keys and scope["method"] == "POST" else None
        if mark is not None and mark in self._keys:
            given = mark[1]
            raise RequestInProgress(
                f"A request with the Idempotency-Key {given[:80]!r} is still fetching its document. Send this again in "
                f"{AGAIN_S} s for its answer.",
                extra={"retry_after_s": AGAIN_S},
            )


def _mark(scope: Scope) -> tuple[UUID, str] | None:
    """None where no key is sent, or by nobody known: whoever that is gets his answer elsewhere."""
    given, identity = header(scope, b"idempotency-key"), caller_if_known(scope)
    return None if given is None or identity is None else (identity.tenant_id, given)


def _is_short_json(scope: Scope) -> bool:
    if scope["method"] != "POST" or scope["path"] not in (DOCUMENTS, JOBS):
        return False
    length = header(scope, b"content-length") or "0"
    kind = (header(scope, b"content-type") or "").partition(";")[0].strip().lower()
    return kind == "application/json" and length.isdecimal() and int(length) <= MOST_BYTES


async def _beginning(receive: Receive) -> tuple[bytes, bool]:
    """The body, and whether it is all of it: of one that is longer than it may be, no more is read."""
    body = bytearray()
    while len(body) <= MOST_BYTES:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGone
        body += message.get("body", b"")
        if not message.get("more_body", False):
            return bytes(body), True
    return bytes(body), False


def _replayed(body: bytes, receive: Receive, *, whole: bool = True) -> Receive:
    told = False

    async def receive_again() -> Message:
        nonlocal told
        if told:
            return await receive()
        told = True
        return {"type": "http.request", "body": body, "more_body": not whole}

    return receive_again


async def _unless_gone(work: Coroutine[Any, Any, str], receive: Receive) -> str:
    """ClientGone as soon as the caller hangs up; then the work is canceled."""
    working = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(until_disconnect(receive))
    try:
        await asyncio.wait((working, gone), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientGone
        return await working
    finally:
        working.cancel()
        gone.cancel()
