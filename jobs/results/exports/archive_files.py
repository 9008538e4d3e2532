"""The files of one job in an archive, in the formats that the caller chose."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from jobs.core.errors import DocumentDeleted, FileMissing
from jobs.core.models import Document
from jobs.documents.files import open_stream
from jobs.documents.selectors import erased_words, get_document
from jobs.results.exports.archive_names import distinct_names
from jobs.results.exports.chunk_lines import chunk_blocks
from jobs.results.exports.html_result import html_blocks
from jobs.results.exports.job_export import JobExport
from jobs.results.exports.json_result import json_blocks
from jobs.results.exports.markdown import markdown_blocks
from jobs.results.exports.plain_text import text_blocks
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import InvalidRequest

ORIGINAL, TEXT, MARKDOWN, HTML, JSON, CHUNKS = "original", "text", "markdown", "html", "json", "chunks"
FORMATS = (ORIGINAL, TEXT, MARKDOWN, HTML, JSON, CHUNKS)
DEFAULT_FORMATS = (TEXT, JSON)
NO_ORIGINAL = "no-original.txt"
"""The name of the file that says why a folder has no original."""
BLOCK_BYTES = 64 << 10


def chosen_formats(given: str | None) -> frozenset[str]:
    """Return the formats in a list with commas, or the default without one."""
    if given is None:
        return frozenset(DEFAULT_FORMATS)
    names = [name.strip() for name in given.split(",")]
    unknown = next((name for name in names if name not in FORMATS), None)
    if unknown is not None:
        raise InvalidRequest(f"Unknown format {unknown[:40]!r}. Use {', '.join(FORMATS[:-1])} or {FORMATS[-1]}.")
    return frozenset(names)


@dataclass(frozen=True)
class ArchiveFile:
    name: str
    blocks: Iterator[bytes]
    compressed: bool = True
    """Set if the archive compresses the file. PDFs and pictures are compressed already."""


_RESULTS: tuple[tuple[str, str, Callable[[JobExport], Iterator[bytes]]], ...] = (
    (JSON, "result.json", json_blocks),
    (TEXT, "text.txt", text_blocks),
    (MARKDOWN, "text.md", markdown_blocks),
    (HTML, "text.html", html_blocks),
    (CHUNKS, "chunks.jsonl", chunk_blocks),
)
_RESERVED = frozenset({NO_ORIGINAL, *(name for _, name, _ in _RESULTS)})
"""The names that an original never has in an archive."""


def archive_files(export: JobExport, formats: Collection[str]) -> Iterator[ArchiveFile]:
    """Yield the files one after the other. An original is opened when its turn has come."""
    for format_, name, blocks in _RESULTS:
        if format_ in formats:
            yield ArchiveFile(name, blocks(export))
    if ORIGINAL in formats:
        yield _original(export)


def _original(export: JobExport) -> ArchiveFile:
    document = export.job.document
    if document is None:
        return _remark("This input was sent without a file.")
    try:
        blocks = _read(_opened(document))
    except DocumentDeleted as deleted:
        return _remark(deleted.detail)
    name = next(distinct_names([document.name], _RESERVED))
    return ArchiveFile(name, blocks, compressed=document.kind == Document.Kind.TEXT)


def _remark(text: str) -> ArchiveFile:
    return ArchiveFile(NO_ORIGINAL, iter([f"{text}\n".encode()]))


def _opened(document: Document) -> BinaryIO:
    """Open the file. Raises DocumentDeleted also if the document was erased since the archive began."""
    if document.deleted_at is not None:
        raise DocumentDeleted(erased_words("document", document.id, document.deleted_at, document.deleted_reason))
    try:
        return open_stream(document.file)
    except FileMissing:
        with unit_of_work(document.tenant_id):
            get_document(document.id)
        raise


def _read(file: BinaryIO) -> Iterator[bytes]:
    try:
        while block := file.read(BLOCK_BYTES):
            yield block
    finally:
        file.close()
