"""An entry as it lies in Redis: sealed, so that only what an installation wrote under that key is ever read of it."""

import hmac
import struct
import zlib
from dataclasses import dataclass

FORMAT = 1
"""The first byte. What has another one is a miss."""
PLAIN, DEFLATED = 0, 1
_HEAD = struct.Struct("<BBqI")
"""Format, how it is packed, when it was written in Unix milliseconds, its length unpacked."""
SEAL_BYTES = 16
MOST_BYTES = 1 << 20
"""Of one entry, unpacked: larger results are quicker to send in many parts, and would hold Redis up for all others."""
SMALLEST_PACKED_BYTES = 1024
SAMPLE_BYTES = 4096
FAST = 1
WORTH = 0.8
"""Packed it must be this much smaller to be worth the unpacking."""


@dataclass(frozen=True, slots=True)
class Found:
    payload: bytes
    written_s: float
    """Unix time."""

    def age_s(self, now_s: float) -> float:
        return max(0.0, now_s - self.written_s)


def write_entry(seal: bytes, key: bytes, payload: bytes, now_s: float, *, dense: bool) -> bytes:
    """`dense`: known not to shrink, such as vectors."""
    packing, content = (PLAIN, payload) if dense else _packed(payload)
    body = _HEAD.pack(FORMAT, packing, round(now_s * 1000), len(payload)) + content
    return _seal(seal, key, body) + body


def read_entry(seal: bytes, key: bytes, written: bytes) -> Found | None:
    """None for whatever is not exactly what was written under that key."""
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
