"""Reads ZIP files within limits of our own, with the reader of the standard library, which is Python over zlib.

That reader loads a whole directory into memory, however long it claims to be, and supports methods whose unpacking
takes as much memory as the archive says. So the bytes that it may read at once are limited, and only stored or deflated
entries are opened. The output is a hostile document like any other, and is opened in the sandbox.
"""

import io
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from jobs.archives.errors import ArchiveRejected
from jobs.archives.members import Member

NAME_BYTES = 1024
"""The bytes of directory for each entry that is allowed: the names, and what programs write beside them."""
TAIL_BYTES = 66 * 2**10
"""The bytes at the end of the file in which the position of the directory is looked for."""
PIECE_BYTES = 256 * 2**10
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError, OverflowError)
"""The errors that the reader raises for an archive. For a disk that fails it raises OSError."""


class EntryCorrupt(Exception):
    """The error of an entry that cannot be unpacked, with a text for its owner."""


class _Bounded(io.FileIO):
    """A file that reads at once at most as many bytes as one directory may have."""

    def __init__(self, path: Path, max_bytes: int) -> None:
        super().__init__(path)
        self._max_bytes = max_bytes
        self._end = path.stat().st_size

    def read(self, size: int | None = -1, /) -> bytes:
        wanted = self._end - self.tell() if size is None or size < 0 else size
        if wanted > self._max_bytes:
            raise ArchiveRejected(
                "archive_too_many_entries",
                f"The directory of the archive is larger than {self._max_bytes} bytes. Split the archive.",
                limit_bytes=self._max_bytes,
            )
        return super().read(wanted)


def read_members(path: Path, max_entries: int) -> list[Member]:
    """Return all members that the directory names, in its order. Raises ArchiveRejected, which says what is wrong with
    the archive.
    """
    with opened(path, max_entries) as archive:
        members = [_member(number, info) for number, info in enumerate(archive.infolist(), 1)]
    if not members:
        raise ArchiveRejected("archive_empty", "The archive is empty.")
    return members


@contextmanager
def opened(path: Path, max_entries: int) -> Iterator[zipfile.ZipFile]:
    with _Bounded(path, max(TAIL_BYTES, max_entries * NAME_BYTES)) as file:
        try:
            archive = zipfile.ZipFile(file)
        except (*_BROKEN, OSError) as error:
            raise ArchiveRejected("archive_corrupt", _words(error, path)) from error
        with archive:
            yield archive


def unpack(archive: zipfile.ZipFile, number: int, max_bytes: int) -> Iterator[bytes]:
    """Yield the bytes of the entry of that number. There are at most as many as the directory announced."""
    info = archive.infolist()[number - 1]
    got = 0
    try:
        with archive.open(info) as stream:
            while piece := stream.read(PIECE_BYTES):
                got += len(piece)
                if got > max_bytes:
                    raise EntryCorrupt(f"It is larger than the {max_bytes} bytes that the directory says.")
                yield piece
    except ArchiveRejected as error:
        raise EntryCorrupt(error.detail) from error
    except _BROKEN as error:
        raise EntryCorrupt(f"It cannot be unpacked: {_reason(error)}.") from error
    if got != info.file_size:
        raise EntryCorrupt(f"It has {got} bytes, and the directory says {info.file_size}.")


def _member(number: int, info: zipfile.ZipInfo) -> Member:
    return Member(
        number=number,
        name=info.filename,
        packed_bytes=info.compress_size,
        size_bytes=info.file_size,
        offset=info.header_offset,
        flags=info.flag_bits,
        method=info.compress_type,
        made_by=info.create_system,
        attributes=info.external_attr,
    )


def _words(error: Exception, path: Path) -> str:
    with path.open("rb") as file:
        begins_well = _begins_well(file)
    if begins_well and isinstance(error, UnicodeDecodeError):
        return "The name of an entry is not valid UTF-8. Rename the file or create the archive again."
    if begins_well:
        return f"The directory at the end of the archive cannot be read: {_reason(error)}. Is it complete?"
    return "This is not a ZIP file. Send a ZIP file, or single documents to /v1/documents."


def _begins_well(file: BinaryIO) -> bool:
    return file.read(4) in (b"PK\x03\x04", b"PK\x05\x06")


def _reason(error: Exception) -> str:
    """Return the text of the reader's error, which may repeat names from the archive."""
    reason = str(error) or type(error).__name__
    return "".join(char if char.isprintable() else "?" for char in reason)[:200].rstrip(".").lower()
