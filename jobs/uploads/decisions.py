"""Decides whether offered bytes may be taken, and says why not."""

from dataclasses import dataclass

from jobs.uploads.errors import (
    OffsetMismatch,
    OtherWay,
    TooManyPieces,
    UploadFinished,
    UploadGone,
    UploadLocked,
    UploadTooLong,
)
from tenants.core.errors import DomainError

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
    direct: bool = False
    """Set if the client sends the bytes to the storage directly."""


@dataclass(frozen=True)
class Offer:
    offset: int
    announced_bytes: int | None
    """The size according to Content-Length, or None if the header is missing."""


def state_of(seen: Seen) -> str:
    return "expired" if seen.overdue and seen.state == "receiving" else seen.state


def gone(seen: Seen) -> UploadGone | None:
    state = state_of(seen)
    if state not in GONE:
        return None
    return UploadGone(
        f"This upload is {state}: its bytes are erased. Make a new one.", extra={"state": state}
    )


def by_tus(seen: Seen) -> OtherWay | None:
    """Return the refusal of a tus request for a direct upload, or None if the bytes come to this service."""
    if not seen.direct:
        return None
    return OtherWay("This upload's bytes go to the storage itself: ask for the URLs of its parts.")


def not_in_parts(seen: Seen) -> DomainError | None:
    """Return the refusal, or None if parts of the upload may be sent to the storage."""
    if not seen.direct:
        return OtherWay(
            "This upload's bytes come here, by PATCH. Announce it with `direct` to send it in parts."
        )
    if (ended := gone(seen)) is not None:
        return ended
    if seen.state != "receiving":
        return UploadFinished(
            f"This upload is {seen.state}: all of it has come.", extra={"state": seen.state}
        )
    return None


def out_of_place(seen: Seen, offset: int) -> DomainError | None:
    """Return the refusal, or None if the upload continues at this offset."""
    if (other := by_tus(seen)) is not None:
        return other
    if (ended := gone(seen)) is not None:
        return ended
    if offset != seen.offset_bytes:
        return OffsetMismatch(
            f"These bytes begin at {offset}, and {seen.offset_bytes} are stored. Go on from there.",
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
        return TooManyPieces(
            f"This upload came in {seen.pieces} pieces already, which is the most. Begin a new one, in larger chunks."
        )
    return None


def too_long(left: int) -> UploadTooLong:
    return UploadTooLong(
        f"More bytes came than the {left} that are left of the upload's declared length. Nothing beyond was kept.",
        extra={"limit_bytes": left},
    )


def locked(for_s: float) -> UploadLocked:
    pause_s = max(1, round(for_s))
    return UploadLocked(
        f"Another request is sending bytes of this upload. Ask for its offset in {pause_s} s and go on from there.",
        extra={"retry_after_s": pause_s},
    )
