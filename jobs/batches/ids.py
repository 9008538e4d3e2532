"""Ids in the form that OpenAI's clients expect: the name of a kind, followed by the id itself."""

import hashlib
import re
from uuid import UUID

FILE, BATCH, REQUEST = "file-", "batch_", "batch_req_"
_HEX = re.compile(r"[0-9a-f]{32}")
_TIME_BITS = 80


def shown(prefix: str, id_: UUID) -> str:
    return f"{prefix}{id_.hex}"


def read_id(prefix: str, text: object) -> UUID | None:
    """Return the id in a text, or None if the text is no id of that kind."""
    rest = str(text).removeprefix(prefix)
    if rest == str(text) or not _HEX.fullmatch(rest):
        return None
    return UUID(hex=rest)


def line_id(batch_id: UUID, number: int, part: int = 0) -> UUID:
    """Return the id of a line. It is the same each time the line is run, so that its usage is counted once. It
    contains the time of its batch.
    """
    digest = hashlib.blake2b(b"%d %d" % (number, part), key=batch_id.bytes, digest_size=10).digest()
    tail = int.from_bytes(digest)
    high, low = tail >> 68, tail & ((1 << 62) - 1)
    return UUID(int=(batch_id.int >> _TIME_BITS << _TIME_BITS) | (0x7 << 76) | (high << 64) | (0b10 << 62) | low)
