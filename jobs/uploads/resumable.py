"""Takes in the bytes of resumable uploads while they arrive, so that no thread of Django waits for them.

Django first gets the request without its body, checks it and takes the upload's `Turn`. The bytes go to storage piece
by piece. Then Django gets a request again, and describes the upload in the response.
"""

import time
from collections.abc import AsyncIterator
from contextlib import suppress

from jobs.intake.fair_slots import FairSlots
from jobs.intake.inner_requests import Answer, Asking, nothing_more
from jobs.intake.spool import Spool, SpoolFile
from jobs.uploads.background_finishing import Finishing
from jobs.uploads.decisions import PIECE_BYTES, locked
from jobs.uploads.protocol import BYTES
from jobs.uploads.receiving import (
    LEASE_S,
    WAITING,
    WaitingBody,
    count_pieces,
    drop_pieces,
    release,
    renew,
    save_piece,
)
from jobs.uploads.services import withdraw_upload
from jobs.uploads.upload_progress import Arriving
from tenants.core.asgi.protocol import (
    App,
    ClientGone,
    Receive,
    Scope,
    Send,
    body_chunks,
    has_body,
    header,
    without_headers,
)
from tenants.core.asgi.threads import DatabaseThreads
from tenants.core.errors import DomainError

UPLOADS = "/v1/uploads"
STORING = 4
RENEW_EVERY_S = LEASE_S / 3
_OF_THE_BODY = frozenset({b"content-length", b"transfer-encoding", b"content-encoding"})
_METHODS = frozenset({"PATCH", "DELETE"})


def is_resumable(scope: Scope) -> bool:
    """Return whether the request is about a resumable upload."""
    path: str = scope["path"]
    return path == UPLOADS or path.startswith(f"{UPLOADS}/")


def brings_bytes(scope: Scope) -> bool:
    """Return whether the request body is bytes of an upload."""
    return (
        is_resumable(scope)
        and method_of(scope) in {"POST", "PATCH"}
        and (header(scope, b"content-type") or "").partition(";")[0].strip().lower() == BYTES
        and has_body(scope)
    )


def method_of(scope: Scope) -> str:
    """Return the method that is meant. Environments that can only POST name it in a header."""
    method: str = scope["method"]
    meant = header(scope, b"x-http-method-override") if method == "POST" else None
    return meant.upper() if meant is not None and meant.upper() in _METHODS else method


class Resumable:
    def __init__(self, inner: App, spool: Spool, finishing: Finishing) -> None:
        self._inner = inner
        self._asking = Asking(inner)
        self._spool = spool
        self._finishing = finishing
        self._threads = DatabaseThreads("pieces", STORING)
        self._turns = FairSlots(STORING, max_each=STORING - 1, max_waiting_each=64)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not is_resumable(scope):
            await self._inner(scope, receive, send)
            return
        scope = {**scope, "method": method_of(scope)}
        if brings_bytes(scope):
            await self._take_in(scope, receive, send)
        else:
            await self._inner(scope, receive, send)

    def close(self) -> None:
        self._threads.close()

    async def _take_in(self, scope: Scope, receive: Receive, send: Send) -> None:
        length = header(scope, b"content-length")
        waiting_body = WaitingBody(int(length) if length is not None and length.isdecimal() else None)
        first = await self._asking.ask(_without_body(scope, {WAITING: waiting_body}), nothing_more)
        if waiting_body.turn is None:
            # The body was not read, so this connection cannot be used for another request.
            if scope["http_version"].startswith("1"):
                first = first.with_header(b"connection", b"close")
            await first.give(send)
            return
        has_key = header(scope, b"idempotency-key") is not None
        arriving = Arriving(waiting_body.turn, creates=scope["method"] == "POST", has_key=has_key)
        await self._store(arriving, body_chunks(receive))
        waiting_body.stored = True
        answer = await self._asking.ask(_looking(scope, waiting_body), nothing_more)
        if scope["method"] == "POST":
            answer = _created(first, answer)
        await answer.give(send)

    async def _store(self, arriving: Arriving, chunks: AsyncIterator[bytes]) -> None:
        """Store the bytes, also those before a broken connection unless a checksum was to be verified."""
        try:
            while not arriving.ended:
                with self._spool.file() as file:
                    await self._fill(file, arriving, chunks)
                    await self._keep(file, arriving)
            await self._count_checked(arriving)
            if arriving.whole:
                await self._finishing.finish(arriving.turn)
            if arriving.cut is not None:
                raise arriving.cut
        finally:
            if not arriving.whole:
                await self._let_go(arriving)

    async def _fill(self, file: SpoolFile, arriving: Arriving, chunks: AsyncIterator[bytes]) -> None:
        """Fill the file with one piece. The last piece ends only once it is known that no more bytes follow."""
        try:
            while file.size_bytes < PIECE_BYTES or arriving.left == 0:
                chunk = await anext(chunks, None)
                if chunk is None:
                    arriving.ended = True
                    return
                arriving.see(chunk)
                file.add(chunk)
                await file.write_full_batch()
                await self._stay(arriving)
        except (ClientGone, DomainError) as cut:
            arriving.ended, arriving.cut = True, cut

    async def _keep(self, file: SpoolFile, arriving: Arriving) -> None:
        if not file.size_bytes or not arriving.may_be_kept:
            return
        turn, start = arriving.turn, arriving.stored_to
        await file.finish()
        await self._turns.take(turn.tenant_id)
        try:
            piece = await self._threads.run(save_piece, turn, file.path, start, file.size_bytes)
            arriving.staged.append(piece)
            if turn.checksum is None:
                arriving.whole = await self._threads.run(count_pieces, turn, [piece])
                arriving.counted()
        finally:
            self._turns.give_back(turn.tenant_id)

    async def _count_checked(self, arriving: Arriving) -> None:
        """Verify the checksum and count all bytes at once. A request that broke off cannot be verified."""
        if arriving.staged and arriving.cut is None:
            arriving.check()
            arriving.whole = await self._threads.run(count_pieces, arriving.turn, arriving.staged)
            arriving.counted()

    async def _stay(self, arriving: Arriving) -> None:
        now_s = time.monotonic()
        if now_s - arriving.renewed_s < RENEW_EVERY_S:
            return
        arriving.renewed_s = now_s
        if not await self._threads.run(renew, arriving.turn):
            raise locked(LEASE_S)

    async def _let_go(self, arriving: Arriving) -> None:
        # If this fails, the lease ends by itself, and the pieces are erased when they are due.
        with suppress(DomainError):
            await self._threads.run(withdraw_upload if arriving.made_nothing else release, arriving.turn)
            if arriving.staged:
                await self._threads.run(drop_pieces, arriving.turn, arriving.staged)


def _without_body(scope: Scope, more: dict[str, object]) -> Scope:
    headers = [*without_headers(scope, _OF_THE_BODY), (b"content-length", b"0")]
    return {**scope, "headers": headers, **more}


def _looking(scope: Scope, waiting_body: WaitingBody) -> Scope:
    """Return a request without bytes that asks for the state of the upload."""
    assert waiting_body.turn is not None
    path = f"{UPLOADS}/{waiting_body.turn.upload_id}"
    target = {"method": "PATCH", "path": path, "raw_path": path.encode(), "query_string": b""}
    return _without_body(scope, {**target, WAITING: waiting_body})


def _created(first: Answer, last: Answer) -> Answer:
    """Return the response to the request that created the upload, with the state of the upload after its bytes."""
    if last.status >= 400:
        return last
    upload_headers = {name: value for name, value in last.headers if name.startswith(b"upload-")}
    kept = tuple(header for header in first.headers if header[0] not in upload_headers)
    return Answer(first.status, (*kept, *upload_headers.items()), first.body)
