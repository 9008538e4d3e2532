"""Identifiers that sort by time of creation (UUID version 7, RFC 9562)."""

import secrets
import time
from uuid import UUID


def uuid7() -> UUID:
    unix_ms = time.time_ns() // 1_000_000
    value = (unix_ms & (2**48 - 1)) << 80
    value |= 0x7 << 76
    value |= secrets.randbits(12) << 64
    value |= 0b10 << 62
    value |= secrets.randbits(62)
    return UUID(int=value)
