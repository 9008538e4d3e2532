"""Office documents that open only with a password, and lies about how they are encrypted."""

import io

from msoffcrypto.format.ooxml import OOXMLFile  # type: ignore[import-untyped]


def locked_office(content: bytes, password: str = "secret") -> bytes:
    """Return an Office document as Office encrypts it today."""
    out = io.BytesIO()
    OOXMLFile(io.BytesIO(content)).encrypt(password, out)
    return out.getvalue()


def with_spins(locked: bytes, spins: int) -> bytes:
    """Return the document with another number of times that its password is to be hashed."""
    digits = str(spins).encode()
    at = locked.index(b'spinCount="100000"')
    end = at + len(b'spinCount="100000"')
    # The length stays the same: what the number needs more is taken from the blanks and the declaration in front.
    changed = b'spinCount="' + digits + b'"'
    start = locked.index(b"<?xml")
    more = len(changed) - (end - at)
    declaration = locked[start : locked.index(b"?>", start) + 2]
    shorter = declaration.replace(b' standalone="yes"', b"").ljust(len(declaration) - more)
    return locked[:start] + shorter + locked[start + len(declaration) : at] + changed + locked[end:]
