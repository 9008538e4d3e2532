"""Archives as programs pack them, and as attackers do."""

import io
import struct
import zipfile
import zlib
from collections.abc import Iterable


def packed(files: Iterable[tuple[str, bytes]], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", method) as archive:
        for name, content in files:
            archive.writestr(zipfile.ZipInfo(name), content, method)
    return written.getvalue()


def with_entry(name: str, **wrong: object) -> bytes:
    """Return an archive with one entry, whose fields in the directory are set to the given values."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        info = zipfile.ZipInfo(name)
        archive.writestr(info, b"hello", zipfile.ZIP_DEFLATED)
        for field, value in wrong.items():
            setattr(info, field, value)
    return written.getvalue()


def quoted_overlap(copies: int, size: int) -> bytes:
    """Return an archive in which every entry of the directory leads to the same bytes."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = deflate.compress(b"\0" * size) + deflate.flush()
    check = zlib.crc32(b"\0" * size)
    local = struct.pack("<4sHHHHHIIIHH", b"PK\3\4", 20, 0, 8, 0, 0, check, len(body), size, 1, 0) + b"a"
    one = struct.pack("<4sHHHHHHIIIHHHHHII", b"PK\1\2", 20, 20, 0, 8, 0, 0, check, len(body), size, 1, 0, 0, 0, 0, 0, 0)
    directory = (one + b"a") * copies
    start = len(local) + len(body)
    end = struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, copies, copies, len(directory), start, 0)
    return local + body + directory + end


def long_directory(entries: int) -> bytes:
    """Return an archive that is only a directory, with entries that do not exist."""
    one = struct.pack("<4sHHHHHHIIIHHHHHII", b"PK\1\2", 20, 20, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0) + b"a"
    directory = one * entries
    zip64 = struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, entries, entries, len(directory), 0)
    locator = struct.pack("<4sIQI", b"PK\6\7", 0, len(directory), 1)
    end = struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    return directory + zip64 + locator + end
