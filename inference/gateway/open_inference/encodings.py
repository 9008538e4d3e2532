"""Decompress request bodies up to a limit, and compress responses for callers who ask for it."""

import gzip
import zlib
from collections.abc import Mapping

from tenants.core.errors import DomainError

IDENTITY, GZIP, DEFLATE = "identity", "gzip", "deflate"
SMALLEST_BYTES = 1024
"""The smallest response that is compressed. A smaller one gains nothing, and is compressed only if the caller names a
single encoding.
"""
FAST = 1
_WINDOWS: Mapping[str, int] = {GZIP: 16 + zlib.MAX_WBITS, DEFLATE: zlib.MAX_WBITS}


def let_out(body: bytes, encoding: str | None, max_bytes: int) -> bytes:
    """Return the decompressed body."""
    name = (encoding or IDENTITY).strip().lower()
    if name == IDENTITY:
        return body
    if name not in _WINDOWS:
        raise DomainError(
            f"The body has the Content-Encoding {name[:40]!r}; here are read: gzip, deflate, identity.",
            code="unsupported_media_type",
        )
    reader = zlib.decompressobj(_WINDOWS[name])
    try:
        content = reader.decompress(body, max_bytes + 1)
    except zlib.error as error:
        raise DomainError(
            f"The body is not {name}, as its Content-Encoding says: {error}.", code="invalid_request"
        ) from error
    if len(content) > max_bytes:
        raise DomainError(
            f"This body is larger than {max_bytes} bytes once it is decompressed.", code="request_too_large"
        )
    if not reader.eof or reader.unused_data:
        what = "goes on after its end" if reader.eof else "ends too early"
        raise DomainError(f"The body's {name} {what}.", code="invalid_request")
    return content


def refuse_encoded(encoding: str | None) -> None:
    """Raise if the body is compressed. This is for bodies that are small or are read as they arrive."""
    name = (encoding or IDENTITY).strip().lower()
    if name != IDENTITY:
        raise DomainError(
            f"The body has the Content-Encoding {name[:40]!r}, which is not read here; send it as it is.",
            code="unsupported_media_type",
        )


def encoding_for(accepted: str | None, size_bytes: int, *, has_tensors: bool) -> str:
    """Return the encoding of a response. `has_tensors` says that it contains tensors as raw bytes, which hardly
    compress.

    Many clients send a list of encodings with every request. A single name, however, is taken as an explicit choice.
    """
    named = _named(accepted or "")
    known = next((name for name in named if name in _WINDOWS), IDENTITY)
    if len(named) == 1:
        return known
    return IDENTITY if has_tensors or size_bytes < SMALLEST_BYTES else known


def made_smaller(body: bytes, encoding: str) -> bytes:
    if encoding == GZIP:
        return gzip.compress(body, FAST, mtime=0)
    return zlib.compress(body, FAST) if encoding == DEFLATE else body


def _named(accepted: str) -> list[str]:
    parts = (part.strip().lower().replace(" ", "").partition(";") for part in accepted.split(","))
    return [name for name, _, weight in parts if name and weight.rstrip("0") not in ("q=", "q=0.")]
