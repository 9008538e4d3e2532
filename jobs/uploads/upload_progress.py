"""The state of the bytes of one upload request: how many came, how many are stored, and how many are counted."""

import time
from dataclasses import dataclass, field
from typing import Any

from jobs.uploads.decisions import too_long
from jobs.uploads.errors import ChecksumMismatch
from jobs.uploads.protocol import ALGORITHMS
from jobs.uploads.receiving import Lease, StagedPiece
from tenants.core.asgi.protocol import ClientGone


@dataclass
class Arriving:
    turn: Lease
    creates: bool = False
    has_key: bool = False
    counted_to: int = field(init=False)
    received_to: int = field(init=False)
    staged: list[StagedPiece] = field(default_factory=list)
    ended: bool = False
    cut: Exception | None = None
    whole: bool = False
    """Set if all bytes of the upload are counted and are to be checked."""
    renewed_s: float = field(default_factory=time.monotonic)
    _digest: Any = None

    def __post_init__(self) -> None:
        self.counted_to = self.received_to = self.turn.offset
        if self.turn.checksum is not None:
            self._digest = ALGORITHMS[self.turn.checksum.algorithm]()

    @property
    def stored_to(self) -> int:
        return self.counted_to + sum(piece.size_bytes for piece in self.staged)

    @property
    def left(self) -> int:
        return self.turn.size_bytes - self.received_to

    @property
    def may_be_kept(self) -> bool:
        """Return whether the received bytes may be stored. They may not if the request is too long, or if it broke off
        before its checksum could be verified.
        """
        if self.cut is None:
            return True
        return self.turn.checksum is None and self.left >= 0

    @property
    def made_nothing(self) -> bool:
        """Return whether to delete the upload that this request created, because it has no bytes and nobody can
        continue it. A refused client never learns the upload's URL. A disconnected client that sent an idempotency key
        can, so its upload stays.
        """
        if not self.creates or (self.has_key and isinstance(self.cut, ClientGone)):
            return False
        return self.counted_to == self.turn.offset or self.left < 0

    def see(self, chunk: bytes) -> None:
        self.received_to += len(chunk)
        if self.left < 0:
            raise too_long(self.turn.size_bytes - self.turn.offset)
        if self._digest is not None:
            self._digest.update(chunk)

    def counted(self) -> None:
        self.counted_to, self.staged = self.stored_to, []

    def check(self) -> None:
        wanted = self.turn.checksum
        if wanted is not None and self._digest.digest() != wanted.digest:
            raise ChecksumMismatch(
                f"The {wanted.algorithm} digest of these bytes does not match Upload-Checksum. Nothing was stored. "
                "Send the bytes again.",
                extra={"offset": self.turn.offset},
            )
