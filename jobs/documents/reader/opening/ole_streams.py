"""Reads the names of the streams at the top of a container of old Office documents (section 2 of MS-CFB)."""

import struct
from collections.abc import Iterator

_HEADER_BYTES, _ENTRY_BYTES = 512, 128
_MAX_SECTORS = 4_096
"""The most sectors of the directory that are read. With 512 bytes each, they name 16,384 streams."""
_LISTED_FAT_SECTORS = 109
_NAME_BYTES = 64
_ROOT = 0


def top_streams(file: memoryview) -> set[str]:
    """Return the names of the streams and folders that are not within another one. Damage ends the list."""
    entries = list(_directory(file))
    found: set[str] = set()
    seen: set[int] = set()
    waiting = [_child(entries[_ROOT])] if entries else []
    while waiting:
        number = waiting.pop()
        if number in seen or number >= len(entries):
            continue
        seen.add(number)
        entry = entries[number]
        found.add(_name(entry))
        waiting += struct.unpack_from("<2I", entry, 68)
    return found


def _directory(file: memoryview) -> Iterator[memoryview]:
    if len(file) < _HEADER_BYTES:
        return
    (shift,) = struct.unpack_from("<H", file, 30)
    if shift not in (9, 12):
        return
    size = 1 << shift
    fat = struct.unpack_from(f"<{_LISTED_FAT_SECTORS}I", file, 76)
    (sector,) = struct.unpack_from("<I", file, 48)
    for _ in range(_MAX_SECTORS):
        start = (sector + 1) * size
        if start + size > len(file):
            return
        for at in range(start, start + size, _ENTRY_BYTES):
            yield file[at : at + _ENTRY_BYTES]
        table, place = divmod(sector, size // 4)
        at = (fat[table] + 1) * size + 4 * place if table < len(fat) else len(file)
        if at + 4 > len(file):
            return
        (sector,) = struct.unpack_from("<I", file, at)


def _child(entry: memoryview) -> int:
    (number,) = struct.unpack_from("<I", entry, 76)
    return int(number)


def _name(entry: memoryview) -> str:
    (length,) = struct.unpack_from("<H", entry, _NAME_BYTES)
    return bytes(entry[: max(0, min(length, _NAME_BYTES) - 2)]).decode("utf-16-le", "replace")
