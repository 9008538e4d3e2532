"""Files that requests name by their URL, fetched here so that no thread of Django waits for remote servers.

Django checks the request, says in its `Fetch` if it wants the file, and gets the request again with the file.
"""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any
from uuid import UUID

import structlog

from jobs.documents.uploads import FETCH, Fetch, Upload
from jobs.idempotency.holds import LEASE_S, Hold, let_go, renew
from jobs.intake.fetching import Fetcher, Fetching
from jobs.intake.inner_requests import JOBS, Answer, Asking, replayed
from jobs.intake.inspections import Inspections
from jobs.intake.model_paths import takes_models
from jobs.intake.multipart import boundary_of
from jobs.intake.spool import Spool
from jobs.intake.uploads import DOCUMENTS, caller, form_limits
from tenants.core.asgi.protocol import (
    UPLOAD,
    App,
    ClientGone,
    Receive,
    Scope,
    Send,
    header,
    until_disconnect,
)
from tenants.core.asgi.threads import DatabaseThreads
from tenants.core.errors import DomainError

log = structlog.get_logger(__name__)
MAX_BYTES = 64 * 1024
"""The size of the largest request that names a URL. The request is kept until the remote server has responded."""
_MARK = b'"document_url"'


class Fetches:
    def __init__(
        self, inner: App, spool: Spool, fetcher: Fetcher, inspections: Inspections, lookups: DatabaseThreads
    ) -> None:
        self._inner = inner
        self._asking = Asking(inner)
        self._spool = spool
        self._fetcher = fetcher
        self._inspections = inspections
        self._lookups = lookups

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not _may_name_url(scope):
            await self._inner(scope, receive, send)
            return
        body, whole = await _beginning(receive)
        if not whole or not (scope["path"] != JOBS or _MARK in body):
            await self._inner(scope, replayed(body, receive, whole=whole), send)
            return
        fetch = Fetch()
        answer = await self._asking.ask({**scope, FETCH: fetch}, replayed(body, receive))
        if fetch.wanted is not None:
            async with self._held(caller(scope).tenant_id, fetch.hold_id):
                answer = await self._with_file(scope, fetch, body, receive)
        await answer.give(send)

    async def _with_file(self, scope: Scope, fetch: Fetch, body: bytes, receive: Receive) -> Answer:
        assert fetch.wanted is not None
        with self._spool.file() as file, self._spool.file() as copy:
            identity = caller(scope)
            wanted = Fetching(identity.tenant_id, form_limits(scope).file_bytes, fetch.wanted, file)
            name = await _unless_gone(self._fetcher.fetch(wanted), receive)
            upload = Upload(
                path=file.path,
                sha256=await file.finish(),
                size_bytes=file.size_bytes,
                filename=name,
                content_type="",
                fetched=True,
                hold_id=fetch.hold_id,
            )
            if fetch.wanted.password:
                upload = await self._inspections.unlock(identity.tenant_id, upload, fetch.wanted.password, copy)
            if upload.inspection is None and not takes_models(scope["path"]):
                upload = await self._inspections.look_at(identity.tenant_id, upload)
            return await self._asking.ask({**scope, UPLOAD: upload}, replayed(body, receive))

    @asynccontextmanager
    async def _held(self, tenant_id: UUID, hold_id: UUID | None) -> AsyncIterator[None]:
        """Hold and renew the idempotency key during the fetch. It is free before a refused caller learns so."""
        if hold_id is None:
            yield
            return
        hold = Hold(tenant_id, hold_id)
        retention = asyncio.get_running_loop().create_task(self._keep(hold))
        try:
            yield
        finally:
            retention.cancel()
            with suppress(DomainError):  # If this fails, the lease ends by itself.
                await self._lookups.run(let_go, hold)

    async def _keep(self, hold: Hold) -> None:
        while True:
            await asyncio.sleep(LEASE_S / 3)
            try:
                if not await self._lookups.run(renew, hold):
                    return
            except DomainError as error:
                log.warning("idempotency_key_not_renewed", tenant_id=str(hold.tenant_id), error=error.detail)


def _may_name_url(scope: Scope) -> bool:
    """Return whether the request is short, and JSON or the form of a model."""
    is_model = takes_models(scope["path"])
    if scope["method"] != "POST" or not (is_model or scope["path"] in (DOCUMENTS, JOBS)):
        return False
    length = header(scope, b"content-length") or "0"
    kind = header(scope, b"content-type") or ""
    is_json = kind.partition(";")[0].strip().lower() == "application/json"
    is_form = is_model and boundary_of(kind) is not None
    return (is_json or is_form) and length.isdecimal() and int(length) <= MAX_BYTES


async def _beginning(receive: Receive) -> tuple[bytes, bool]:
    """Return the body and whether it is complete. No more than the allowed length is read."""
    body = bytearray()
    while len(body) <= MAX_BYTES:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGone
        body += message.get("body", b"")
        if not message.get("more_body", False):
            return bytes(body), True
    return bytes(body), False


async def _unless_gone(work: Coroutine[Any, Any, str], receive: Receive) -> str:
    """Return the result of the work. Raises ClientGone as soon as the caller hangs up; the work is canceled then."""
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
