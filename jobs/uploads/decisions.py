"""Decides whether offered bytes may be taken, and says why not."""

from dataclasses import dataclass

from jobs.uploads.errors import (
    OffsetMismatch,
    TooManyChunks,
    UploadGone,
    UploadIncomplete,
    UploadLocked,
    UploadTooLong,
    UploadUsed,
)
from tenants.core.errors import DomainError, InvalidRequest

PIECE_BYTES = 8 * 2**20
"""The size of a piece. Pieces are stored separately, so this is what a killed process loses and what a request holds at
once.
"""
MAX_PIECES = 10_000
"""The highest number of pieces of one upload. Each piece is a file and a row. A client that sends the largest upload in
chunks needs half a megabyte in each.
"""
GONE = frozenset({"expired", "terminated"})


@dataclass(frozen=True)
class Seen:
    """The state of an upload when it was read."""

    state: str
    offset_bytes: int
    size_bytes: int
    pieces: int = 0
    overdue: bool = False
    """Set if the upload has expired. Its row is updated a little later."""
    locked_for_s: float = 0.0
    for_model: bool = False
    """Set if its file is for a model. It is not checked here, and waits until a model is made of it."""

    @property
    def is_whole(self) -> bool:
        return self.offset_bytes == self.size_bytes


@dataclass(frozen=True)
class Offer:
    offset: int
    announced_bytes: int | None
    """The size according to Content-Length, or None if the header is missing."""


def state_of(seen: Seen) -> str:
    if seen.state != "receiving":
        return seen.state
    if seen.overdue:
        return "expired"
    return "ready" if seen.for_model and seen.is_whole else "receiving"


def gone(seen: Seen) -> UploadGone | None:
    state = state_of(seen)
    if state not in GONE:
        return None
    return UploadGone(f"This upload is {state} and its bytes are erased. Start a new upload.", extra={"state": state})


def why_no_model(seen: Seen) -> DomainError | None:
    """Return the refusal to make a model of the upload, or None if it has come as a whole and is unused."""
    if not seen.for_model:
        return InvalidRequest(
            "This upload was begun for a document. Begin one with the `purpose` model in Upload-Metadata."
        )
    if (ended := gone(seen)) is not None:
        return ended
    if seen.state == "ready":
        return UploadUsed(
            "A version was made of this upload before. Send the same Idempotency-Key to learn which, or upload the "
            "file again."
        )
    if not seen.is_whole:
        return UploadIncomplete(
            f"{seen.offset_bytes} of the {seen.size_bytes} bytes of this upload are stored. Send the others first.",
            extra={"offset": seen.offset_bytes},
        )
    return None


def out_of_place(seen: Seen, offset: int) -> DomainError | None:
    """Return the refusal, or None if the upload continues at this offset."""
    if (ended := gone(seen)) is not None:
        return ended
    if offset != seen.offset_bytes:
        return OffsetMismatch(
            f"These bytes start at {offset}, but {seen.offset_bytes} bytes are stored. Continue from there.",
            extra={"offset": seen.offset_bytes},
        )
    return None


def why_not(seen: Seen, offer: Offer) -> DomainError | None:
    """Return the refusal, or None if the bytes may be taken."""
    if (refusal := out_of_place(seen, offer.offset)) is not None:
        return refusal
    if seen.locked_for_s > 0:
        return locked(seen.locked_for_s)
    left = seen.size_bytes - seen.offset_bytes
    if offer.announced_bytes is not None and offer.announced_bytes > left:
        return too_long(left)
    if seen.pieces >= MAX_PIECES:
        return TooManyChunks(
            f"This upload already has {seen.pieces} chunks, the maximum. Start a new upload with larger chunks."
        )
    return None


def too_long(left: int) -> UploadTooLong:
    return UploadTooLong(
        f"This request exceeds the declared length of the upload: {left} bytes were left. The rest was discarded.",
        extra={"limit_bytes": left},
    )


def locked(for_s: float) -> UploadLocked:
    pause_s = max(1, round(for_s))
    return UploadLocked(
        f"Another request is sending bytes of this upload. Request its offset in {pause_s} s and continue from there.",
        extra={"retry_after_s": pause_s},
    )
