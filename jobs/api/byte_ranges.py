"""Decides which bytes of a file a request wants (RFC 9110, section 14). This module is pure."""

import re
from dataclasses import dataclass

_RANGE = re.compile(r"bytes\s*=\s*(\d{0,18})\s*-\s*(\d{0,18})\s*", re.ASCII | re.IGNORECASE)


class Unsatisfiable(ValueError):
    """The range has no byte of the file."""


@dataclass(frozen=True, slots=True)
class ByteRange:
    first: int
    last: int

    @property
    def size(self) -> int:
        return self.last - self.first + 1

    def of(self, size: int) -> str:
        """Return the value of `Content-Range` for a file of this size."""
        return f"bytes {self.first}-{self.last}/{size}"


def byte_range(header: str | None, size: int) -> ByteRange | None:
    """Return the range, or None for the whole file. Raises Unsatisfiable if the range begins behind the file's end.

    As the standard allows, a header that is malformed, of another unit or with several ranges has no effect.
    """
    match = _RANGE.fullmatch(header or "")
    if match is None:
        return None
    first, last = match.groups()
    if not first:
        return _suffix(int(last), size) if last else None
    if last and int(last) < int(first):
        return None
    if int(first) >= size:
        raise Unsatisfiable
    return ByteRange(int(first), min(int(last), size - 1) if last else size - 1)


def _suffix(length: int, size: int) -> ByteRange:
    if not length or not size:
        raise Unsatisfiable
    return ByteRange(max(0, size - length), size - 1)
