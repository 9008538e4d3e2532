"""Lists the files that rows of the database name, and checks that the storage has them and they match the rows."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from uuid import UUID

from django.core.files.storage import default_storage
from django.db.models import QuerySet

from inference.registry.models import ModelVersion
from jobs.batches.models import BatchTask, StoredFile
from jobs.core import archive_states
from jobs.core.models import Document, DocumentPage
from jobs.core.models.archives import Archive
from tenants.core.db.unit_of_work import operator_work
from tenants.core.progress import SILENT, Progress
from tenants.limits.quota.wording import size

CHUNK = 2000


@dataclass(frozen=True, slots=True)
class NamedFile:
    name: str
    sha256: str = ""
    """The digest, or an empty text if the row has none, as for pages' pictures."""
    row_id: UUID | None = None
    """The ID of the row whose end erases the file, or None for model files, which are never erased."""


def named_files() -> Iterator[NamedFile]:
    """Yield the files. Call it in the operator's scope. Deleted documents no longer have files."""
    yield from _of_models()
    yield from _of_documents()
    yield from _of_pages()
    yield from _of_stored_files()
    yield from _of_tasks()
    yield from _of_archives()


def is_named_still(file: NamedFile) -> bool:
    """Return whether a row names the file at this moment. A row that is deleted meanwhile takes its files with it."""
    if file.row_id is None:
        return True
    return (
        Document.objects.filter(id=file.row_id, deleted_at=None).exists()
        or StoredFile.objects.filter(id=file.row_id).exists()
        or BatchTask.objects.filter(id=file.row_id).exists()
        or _unfinished_archives().filter(id=file.row_id).exists()
    )


def _of_models() -> Iterator[NamedFile]:
    seen = set()
    for artifacts in ModelVersion.objects.values_list("artifacts", flat=True):
        for artifact in artifacts.values():
            if artifact["file"] not in seen:
                seen.add(artifact["file"])
                yield NamedFile(artifact["file"], artifact["sha256"])


def _of_documents() -> Iterator[NamedFile]:
    rows = Document.objects.filter(deleted_at=None).values_list("file", "sha256", "id")
    for name, sha256, document_id in rows.iterator(CHUNK):
        yield NamedFile(name, sha256, document_id)


def _of_pages() -> Iterator[NamedFile]:
    rows = DocumentPage.objects.filter(document__deleted_at=None).exclude(picture="")
    for name, document_id in rows.values_list("picture", "document_id").iterator(CHUNK):
        yield NamedFile(name, "", document_id)


def _of_stored_files() -> Iterator[NamedFile]:
    for name, sha256, file_id in StoredFile.objects.values_list("file", "sha256", "id").iterator(CHUNK):
        yield NamedFile(name, sha256, file_id)


def _of_tasks() -> Iterator[NamedFile]:
    """Yield the files with which batches in progress continue."""
    for *names, task_id in BatchTask.objects.values_list("input", "output", "errors", "id").iterator(CHUNK):
        yield from (NamedFile(name, "", task_id) for name in names if name)


def _of_archives() -> Iterator[NamedFile]:
    for name, sha256, archive_id in _unfinished_archives().values_list("file", "sha256", "id").iterator(CHUNK):
        yield NamedFile(name, sha256, archive_id)


def _unfinished_archives() -> "QuerySet[Archive]":
    """Return the unfinished ZIP files, because the files of all others are erased, or are those of emails."""
    return Archive.objects.filter(state=archive_states.UNPACKING, mail_id=None)


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
    digest, read_bytes = hashlib.sha256(), 0
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
