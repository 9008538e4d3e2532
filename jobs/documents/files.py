"""Storage of a document's bytes and pictures, and their copies on a process's local disk."""

import errno
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast
from uuid import UUID

import structlog
from django.core.files import File
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage, default_storage

from jobs.core.errors import AWAY_PAUSE_S, FULL_PAUSE_S, FileMissing, StorageUnavailable
from tenants.core.own_folder import own_folder

log = structlog.get_logger(__name__)


def original_name(tenant_id: UUID, document_id: UUID, sha256: str) -> str:
    """Return a name with the document's id, so that its deletion never touches a later upload of its bytes."""
    return f"tenants/{tenant_id}/documents/{document_id}/{sha256}"


def picture_name(tenant_id: UUID, document_id: UUID, number: int, content_type: str) -> str:
    """Return a new name at each call. If two workers render the same page, the slower one then erases only its own
    file.
    """
    suffix = {"image/png": "png", "image/jpeg": "jpg", "image/webp": "webp"}[content_type]
    return f"tenants/{tenant_id}/documents/{document_id}/pages/{number}-{secrets.token_hex(6)}.{suffix}"


def save_file(name: str, path: Path) -> str:
    with storage_errors(), path.open("rb") as stream:
        return str(default_storage.save(name, File(stream)))


def save_bytes(name: str, content: bytes) -> str:
    with storage_errors():
        return str(default_storage.save(name, ContentFile(content)))


def erase(name: str) -> None:
    """Erase a file. This can be repeated: a missing file is no error."""
    with storage_errors():
        default_storage.delete(name)


def open_file(name: str) -> "File[bytes]":
    """Open a file for the caller to close. Raises FileMissing if it is gone, which must never happen."""
    with storage_errors():
        try:
            return default_storage.open(name)
        except FileNotFoundError as error:
            raise _missing(name) from error


def open_stream(name: str, first: int = 0) -> BinaryIO:
    """Open a file of any size to be read once from the byte `first`, for the caller to close. It is not fetched first.

    The file has this byte, unless it is empty.
    """
    if _is_folder():
        stream = cast(BinaryIO, open_file(name))
        stream.seek(first)
        return stream
    with storage_errors():
        try:
            return cast(BinaryIO, default_storage.open_stream(name, first))  # type: ignore[attr-defined]
        except FileNotFoundError as error:
            raise _missing(name) from error


class PartOfFile:
    """The first bytes of an open file, from where it is read."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self._left = size

    def read(self, size: int = -1) -> bytes:
        block = self._file.read(self._left if size < 0 else min(size, self._left))
        self._left -= len(block)
        return block

    def close(self) -> None:
        self._file.close()


def _missing(name: str) -> FileMissing:
    log.error("file_missing", name=name)
    return FileMissing("A file of this document is missing from the storage. Contact the operator.")


def _is_folder() -> bool:
    """Return whether files are in a folder. Asked for its class, the storage is set up in a process that is new."""
    return isinstance(default_storage, FileSystemStorage)


@contextmanager
def local_file(name: str) -> Iterator[Path]:
    """Yield the path of the file itself if the storage is a folder, else of a private copy."""
    if _is_folder():
        open_file(name).close()
        yield Path(default_storage.path(name))
        return
    copy = _private_copy(name)
    try:
        yield copy
    finally:
        copy.unlink(missing_ok=True)


def _private_copy(name: str) -> Path:
    with open_file(name) as source, storage_errors():
        descriptor, copy = tempfile.mkstemp(dir=own_folder(), prefix="copy-")
        try:
            with os.fdopen(descriptor, "wb") as target:
                shutil.copyfileobj(source, target)
        except BaseException:
            Path(copy).unlink(missing_ok=True)
            raise
    return Path(copy)


@contextmanager
def storage_errors() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StorageUnavailable(
                "The storage is full. Try again later.",
                code="storage_full",
                gate="disk",
                extra={"retry_after_s": FULL_PAUSE_S},
            ) from error
        raise StorageUnavailable(
            "The storage does not answer. Try again later.", extra={"retry_after_s": AWAY_PAUSE_S}
        ) from error
