"""Read and write cache entries as they are stored in Redis. They are sealed, so that only what this installation wrote
under the same key is ever read.
"""

import hmac
import struct
import zlib
from dataclasses import dataclass

FORMAT = 1
"""The first byte of an entry. An entry with another first byte counts as a miss."""
PLAIN, DEFLATED = 0, 1
_HEAD = struct.Struct("<BBqI")
"""The format, the packing, the time of writing in Unix milliseconds, and the unpacked length."""
SEAL_BYTES = 16
MAX_BYTES = 1 << 20
"""The largest unpacked entry. Larger results are sent faster in many parts, and would block Redis for all others."""
SMALLEST_PACKED_BYTES = 1024
SAMPLE_BYTES = 4096
FAST = 1
WORTH = 0.8
"""The ratio that the packed size must not exceed for the unpacking to be worthwhile."""


@dataclass(frozen=True, slots=True)
class Found:
    payload: bytes
    written_s: float
    """The Unix time at which the result was computed."""

    def age_s(self, now_s: float) -> float:
        return max(0.0, now_s - self.written_s)


def write_entry(seal: bytes, key: bytes, payload: bytes, now_s: float, *, dense: bool) -> bytes:
    """Return the sealed entry. `dense` says that the payload is known not to compress, as with vectors."""
    packing, content = (PLAIN, payload) if dense else _packed(payload)
    body = _HEAD.pack(FORMAT, packing, round(now_s * 1000), len(payload)) + content
    return _seal(seal, key, body) + body


def read_entry(seal: bytes, key: bytes, written: bytes) -> Found | None:
    """Return the content of an entry, or None if it is not exactly what was written under this key."""
    given, body = written[:SEAL_BYTES], written[SEAL_BYTES:]
    if len(body) < _HEAD.size or body[0] != FORMAT or not hmac.compare_digest(given, _seal(seal, key, body)):
        return None
    _, packing, written_ms, size = _HEAD.unpack_from(body)
    content = body[_HEAD.size :]
    payload = zlib.decompress(content, bufsize=size) if packing == DEFLATED else content
    return Found(payload, written_ms / 1000)


def _packed(payload: bytes) -> tuple[int, bytes]:
    if len(payload) < SMALLEST_PACKED_BYTES or not _pays(payload[:SAMPLE_BYTES]):
        return PLAIN, payload
    smaller = zlib.compress(payload, FAST)
    return (DEFLATED, smaller) if len(smaller) < WORTH * len(payload) else (PLAIN, payload)


def _pays(sample: bytes) -> bool:
    return len(zlib.compress(sample, FAST)) < WORTH * len(sample)


def _seal(seal: bytes, key: bytes, body: bytes) -> bytes:
    return hmac.digest(seal, key + body, "sha256")[:SEAL_BYTES]
