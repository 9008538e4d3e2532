"""Cuts the lines of a file into slices that are run together. Each slice is a file of its own, small enough to be held
whole.
"""

from types import TracebackType
from typing import Self

from jobs.batches import blobs
from jobs.batches.blobs import Scratch
from jobs.batches.claims import TaskClaim
from jobs.batches.line_parsing import BatchLine, weight_of
from jobs.batches.running import numbered
from jobs.batches.settlement import Slice

MAX_LINES = 500
MAX_WEIGHT = 2_000
MAX_BYTES = 4 << 20


class Slices:
    """A writer of slices. `add` adds lines, and `finish` returns all slices."""

    def __init__(self, claim: TaskClaim) -> None:
        self._claim = claim
        self._made: list[Slice] = []
        self._scratch: Scratch | None = None
        self._lines = self._weight = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the unfinished slice. What was saved already is erased by its own order, as no row points at it."""
        if self._scratch is not None:
            self._scratch.close()

    def add(self, raw: bytes, line: BatchLine) -> None:
        weight = weight_of(line, len(raw))
        if self._scratch is not None and self._is_full(weight, len(raw)):
            self._cut()
        if self._scratch is None:
            self._scratch = blobs.scratch()
        self._scratch.write(numbered(line.number, raw))
        self._lines += 1
        self._weight += weight

    def finish(self) -> list[Slice]:
        self._cut()
        return self._made

    def _is_full(self, weight: int, size_bytes: int) -> bool:
        assert self._scratch is not None
        return (
            self._lines >= MAX_LINES
            or self._weight + weight > MAX_WEIGHT
            or self._scratch.size_bytes + size_bytes > MAX_BYTES
        )

    def _cut(self) -> None:
        if self._scratch is None:
            return
        made, self._scratch = self._scratch, None
        with made:
            made.finish()
            name = blobs.part_name(self._claim.tenant_id, self._claim.batch_id, "lines")
            blobs.save(self._claim.tenant_id, name, made.path)
        self._made.append(Slice(name, self._lines))
        self._lines = self._weight = 0
