"""Containers of old Office documents, as small as their format allows."""

import struct
from collections.abc import Mapping

_SECTOR = 512
_FREE, _END, _IS_TABLE = 0xFFFF_FFFF, 0xFFFF_FFFE, 0xFFFF_FFFD
_SIGNATURE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_SMALLEST = 4096


def old_office(*names: str, within: Mapping[str, str] | None = None) -> bytes:
    """Return a container with these streams at the top. `within` names streams that are inside another entry."""
    inner = within or {}
    entries = [_entry("Root Entry", 5, child=1 if names else _FREE)]
    for number, name in enumerate(names, 1):
        right = number + 1 if number < len(names) else _FREE
        child = len(names) + 1 + list(inner).index(name) if name in inner else _FREE
        entries.append(_entry(name, 1 if name in inner else 2, right=right, child=child))
    entries += [_entry(name, 2) for name in inner.values()]
    directory = b"".join(entries)
    directory += bytes(-len(directory) % _SECTOR)
    sectors = len(directory) // _SECTOR
    table = [_IS_TABLE, *(number + 2 for number in range(sectors - 1)), _END]
    table += [_FREE] * (_SECTOR // 4 - len(table))
    header = _SIGNATURE + bytes(16) + struct.pack("<5H", 0x3E, 3, 0xFFFE, 9, 6) + bytes(6)
    header += struct.pack("<10I", 0, 1, 1, 0, _SMALLEST, _END, 0, _END, 0, 0) + struct.pack("<108I", *[_FREE] * 108)
    return header + struct.pack(f"<{len(table)}I", *table) + directory


def _entry(name: str, kind: int, *, right: int = _FREE, child: int = _FREE) -> bytes:
    encoded = name.encode("utf-16-le") + b"\0\0"
    links = struct.pack("<HBB3I", len(encoded), kind, 1, _FREE, right, child)
    return encoded.ljust(64, b"\0") + links + bytes(36) + struct.pack("<IQ", _END, 0)
