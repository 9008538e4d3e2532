"""Takes in the bytes of an upload: one request at a time, piece by piece. Each piece is in storage before it is
counted.

A request holds the upload by a lease that ends soon after its last byte, so that neither a killed process nor a silent
sender holds it for long. The fencing token decides: a request that has lost it cannot count anything any more.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet
from django.db.models.functions import Now

from jobs.documents import erasure, files
from jobs.uploads.decisions import Offer, locked, why_not
from jobs.uploads.models import ResumableUpload, UploadPiece
from jobs.uploads.protocol import Checksum
from jobs.uploads.selectors import get_upload, with_pieces
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.leases import row_leases
from tenants.identity.identity import Identity

State = ResumableUpload.State
LEASE_S = 10.0
"""Seconds from one renewal by its holder to the next."""
TIME_TO_COUNT = timedelta(hours=1)
"""The longest time between the save of a piece and its count. A chunk with a checksum is counted as a whole or not at
all.
"""


@dataclass(frozen=True)
class Lease:
    """The right of one request to add bytes, from `offset` on."""

    tenant_id: UUID
    upload_id: UUID
    token: int
    offset: int
    size_bytes: int
    checksum: Checksum | None = None
    for_model: bool = False

    def held(self, *states: str) -> "QuerySet[ResumableUpload]":
        """Return the row of the upload, while this lease holds it and it is in one of these states."""
        return ResumableUpload.objects.filter(id=self.upload_id, lease_token=self.token, state__in=states)


WAITING = "maas.waiting_body"
"""The key in the scope of a request whose body waits. The value is where the `Lease` for that request is left."""


@dataclass
class WaitingBody:
    announced_bytes: int | None
    turn: Lease | None = None
    stored: bool = False
    """Set if its bytes are stored. The only thing left is to describe the state of the upload."""


@dataclass(frozen=True)
class StagedPiece:
    """A piece that is in storage and not counted yet."""

    name: str
    start: int
    size_bytes: int


def take_turn(*, identity: Identity, upload_id: object, offer: Offer, checksum: Checksum | None = None) -> Lease:
    """Take the turn to add bytes. Raises the reason if bytes at that offset cannot be taken now."""
    with unit_of_work(identity):
        upload = get_upload(upload_id)
        refusal = why_not(with_pieces(upload), offer)
        if refusal is not None:
            raise refusal
        turn = _take(upload, offer.offset, checksum)
        if turn is None:
            # Another request took the upload between the check and this statement.
            raise why_not(with_pieces(get_upload(upload_id)), offer) or locked(LEASE_S)
    return turn


def _take(upload: ResumableUpload, offset: int, checksum: Checksum | None) -> Lease | None:
    """Take the upload. Return None if it cannot be taken now. Call this in the tenant's unit of work."""
    free = ResumableUpload.objects.filter(
        row_leases.FREE, id=upload.id, state=State.RECEIVING, offset_bytes=offset, expires_at__gt=Now()
    )
    rows = row_leases.take(free, "jobs_fencing_token", LEASE_S, "lease_token")
    for_model = upload.purpose == ResumableUpload.Purpose.MODEL
    if not rows:
        return None
    return Lease(upload.tenant_id, upload.id, rows[0][0], offset, upload.size_bytes, checksum, for_model)


def renew(turn: Lease) -> bool:
    """Renew the lease. Return False if another request holds the upload by now, or nobody does."""
    with unit_of_work(turn.tenant_id):
        return row_leases.renew(turn.held(State.RECEIVING, State.CHECKING), LEASE_S)


def release(turn: Lease) -> None:
    with unit_of_work(turn.tenant_id):
        row_leases.release(turn.held(State.RECEIVING))


def save_piece(turn: Lease, path: Path, start: int, size_bytes: int) -> StagedPiece:
    """Save a piece. It is erased again unless it is counted."""
    name = f"tenants/{turn.tenant_id}/uploads/{turn.upload_id}/{start:016}-{secrets.token_hex(6)}"
    with unit_of_work(turn.tenant_id):
        erasure.order([name], due_in=TIME_TO_COUNT)
    files.save_file(name, path)
    return StagedPiece(name, start, size_bytes)


def count_pieces(turn: Lease, pieces: Sequence[StagedPiece]) -> bool:
    """Count the pieces and return whether the upload is complete now and is to be checked.

    The rows, the offset and the withdrawal of the erasure orders are one transaction.
    """
    with unit_of_work(turn.tenant_id):
        whole = _move_offset(turn, pieces[0].start, sum(piece.size_bytes for piece in pieces))
        for piece in pieces:
            erasure.withdraw(piece.name)
        UploadPiece.objects.bulk_create(
            UploadPiece(
                tenant_id=turn.tenant_id,
                upload_id=turn.upload_id,
                start=piece.start,
                size_bytes=piece.size_bytes,
                name=piece.name,
            )
            for piece in pieces
        )
    return whole


def _move_offset(turn: Lease, start: int, size_bytes: int) -> bool:
    """Advance the offset and return whether the upload is complete now and is to be checked."""
    end = start + size_bytes
    # The request that brings the last byte keeps the upload, to finish it. The file of a model waits as it is.
    state = State.CHECKING if end == turn.size_bytes and not turn.for_model else State.RECEIVING
    moved = (
        turn.held(State.RECEIVING)
        .filter(offset_bytes=start)
        .update(
            offset_bytes=end,
            state=state,
            lease_until=row_leases.after(LEASE_S),
            expires_at=row_leases.after(settings.MAAS_UPLOAD_EXPIRES_S),
        )
    )
    if not moved:
        upload = get_upload(turn.upload_id)
        raise why_not(with_pieces(upload), Offer(start, None)) or locked(LEASE_S)
    return state == State.CHECKING


def drop_pieces(turn: Lease, pieces: Sequence[StagedPiece]) -> None:
    """Erase the pieces at once. If that fails, they are erased when they are due.

    They may have been counted: if the result of a commit was lost, it is unknown here.
    """
    erasure.carry_out_orders(turn.tenant_id, [piece.name for piece in pieces])
