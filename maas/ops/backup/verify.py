"""Checks that every file that a row names is in the storage and matches the row."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256

from django.core.files.storage import default_storage

from maas.ops.backup.named_files import NamedFile, is_named_still, named_files
from tenants.core.db.unit_of_work import operator_work
from tenants.core.progress import SILENT, Progress
from tenants.limits.storage.wording import size

PIECE_BYTES = 2**20


@dataclass
class Verified:
    files: int = 0
    bytes: int = 0
    problems: list[str] = field(default_factory=list)


def verify_files(progress: Progress = SILENT) -> Verified:
    """Read every file whole. A file that is deleted meanwhile is not a problem."""
    found = Verified()
    progress.stage("reading every file that the database names")
    with operator_work():
        for file in named_files():
            _look_at(file, found, progress)
    return found


def _look_at(file: NamedFile, found: Verified, progress: Progress) -> None:
    digest, read_bytes = sha256(), 0
    try:
        for piece in _pieces(file.name):
            digest.update(piece)
            read_bytes += len(piece)
            progress.within(f"read {found.files:,} files, {size(found.bytes + read_bytes)}")
    except OSError as error:
        if is_named_still(file):
            found.problems.append(f"{file.name} cannot be read: {error}")
        return
    found.files += 1
    found.bytes += read_bytes
    if file.sha256 not in ("", digest.hexdigest()):
        found.problems.append(f"{file.name} is damaged: its sha256 is {digest.hexdigest()}")


def _pieces(name: str) -> Iterator[bytes]:
    with default_storage.open(name) as source:
        while piece := source.read(PIECE_BYTES):
            yield piece
