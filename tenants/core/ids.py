"""Identifiers that sort by time of creation (UUID version 7, RFC 9562), strictly so within a process."""

import os
import secrets
import threading
import time
from datetime import datetime
from uuid import UUID

_TAIL_BITS = 74
_lock = threading.Lock()
_last = 0


def uuid7() -> UUID:
    """Return a new identifier. Within a millisecond its tail grows by random steps: in order, yet hard to guess."""
    global _last  # noqa: PLW0603  # the next value must be larger than the last
    with _lock:
        tail = int.from_bytes(os.urandom(10)) >> 80 - _TAIL_BITS + 1
        fresh = ((time.time_ns() // 1_000_000) << _TAIL_BITS) | tail
        _last = fresh if fresh > _last else _last + 1 + secrets.randbits(32)
        return _shape(_last)


def first_id_at(moment: datetime) -> UUID:
    """Return an identifier below all that are created from a moment on, so that a time range is a key range."""
    unix_ms = int(moment.timestamp() * 1000)
    return UUID(int=(max(0, unix_ms) << 80) | (0x7 << 76) | (0b10 << 62))


def _shape(value: int) -> UUID:
    """Assemble an identifier: 48 bits of milliseconds, version, 12 bits, variant, 62 bits."""
    unix_ms, tail = value >> _TAIL_BITS, value & ((1 << _TAIL_BITS) - 1)
    high, low = tail >> 62, tail & ((1 << 62) - 1)
    return UUID(int=(unix_ms << 80) | (0x7 << 76) | (high << 64) | (0b10 << 62) | low)


def as_uuid(value: object) -> UUID | None:
    try:
        return UUID(str(value))
    except ValueError:
        return None
