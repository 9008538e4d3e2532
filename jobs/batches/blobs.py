"""The storage of the bytes of files and of batches under way."""

import hashlib
import os
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO, Self
from uuid import UUID

from jobs.documents import erasure, files
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.own_folder import own_folder

COPY_BYTES = 1 << 18


def stored_name(tenant_id: UUID, file_id: UUID, sha256: str) -> str:
    return f"tenants/{tenant_id}/files/{file_id}/{sha256}"


def part_name(tenant_id: UUID, batch_id: UUID, what: str) -> str:
    """Return a name that is never the same twice. If two workers do the same lines, the loser has a file of its own."""
    return f"tenants/{tenant_id}/batches/{batch_id}/{what}-{secrets.token_hex(8)}"


def save(tenant_id: UUID, name: str, path: Path) -> None:
    """Store a file with an order to erase it again, unless the row that points at it withdraws the order. See
    jobs/documents/erasure.py.
    """
    with unit_of_work(tenant_id):
        erasure.order([name], due_in=erasure.TIME_TO_KEEP)
    files.save_file(name, path)


class Scratch:
    """A file on local disk that is written once, with its size and its digest."""

    def __init__(self, path: Path, stream: IO[bytes]) -> None:
        self.path = path
        self.size_bytes = 0
        self._stream = stream
        self._hash = hashlib.sha256()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._stream.close()
        self.path.unlink(missing_ok=True)

    def write(self, data: bytes) -> None:
        self._stream.write(data)
        self._hash.update(data)
        self.size_bytes += len(data)

    def finish(self) -> str:
        """Flush all bytes to the file and return their sha256."""
        self._stream.flush()
        return self._hash.hexdigest()


def scratch() -> Scratch:
    """Create a scratch file. Use it as a context: the file is deleted at its end."""
    descriptor, path = tempfile.mkstemp(dir=own_folder(), prefix="batch-")
    return Scratch(Path(path), os.fdopen(descriptor, "wb"))


@contextmanager
def opened(name: str) -> Iterator[IO[bytes]]:
    """Open a stored file, by way of local disk if storage is not local: a stream that breaks off is begun again by its
    caller.
    """
    with files.local_file(name) as path, path.open("rb") as stream:
        yield stream


def copy_into(target: Scratch, name: str) -> None:
    with opened(name) as source:
        while block := source.read(COPY_BYTES):
            target.write(block)
