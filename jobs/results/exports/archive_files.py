"""The files of one job in an archive, in the formats that the caller chose."""

import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from jobs.core.errors import DocumentDeleted, FileMissing, JobErased
from jobs.core.models import Document
from jobs.documents.files import open_stream
from jobs.documents.selectors import erased_words, get_document
from jobs.results.exports import services
from jobs.results.exports.archive_names import distinct_names
from jobs.results.exports.chunk_lines import chunk_blocks
from jobs.results.exports.export_slots import ExportTooLarge, NoPagePictures, NoTables, TooManyExports
from jobs.results.exports.html_result import html_blocks
from jobs.results.exports.job_export import JobExport
from jobs.results.exports.json_result import json_blocks
from jobs.results.exports.markdown import markdown_blocks
from jobs.results.exports.plain_text import text_blocks
from jobs.results.exports.services import Format, export_job
from tenants.core.asgi.threads import Overloaded
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import InvalidRequest

ORIGINAL, TEXT, MARKDOWN, HTML, JSON, CHUNKS, PDF, CSV, XLSX = (
    "original",
    "text",
    "markdown",
    "html",
    "json",
    "chunks",
    "pdf",
    "csv",
    "xlsx",
)
FORMATS = (ORIGINAL, TEXT, MARKDOWN, HTML, JSON, CHUNKS, PDF, CSV, XLSX)
DEFAULT_FORMATS = (TEXT, JSON)
NO_ORIGINAL = "no-original.txt"
"""The name of the file that says why a folder has no original."""
NO_PDF = "no-searchable-pdf.txt"
"""The name of the file that says why a folder has no searchable PDF."""
NO_CSV, NO_XLSX = "no-tables-csv.txt", "no-tables-xlsx.txt"
"""The names of the files that say why a folder has no tables in a format."""
_COMPRESSIBLE = frozenset({Document.Kind.TEXT.value, Document.Kind.HTML.value, Document.Kind.EML.value})
"""The kinds of original that an archive compresses. The others are compressed already."""
BLOCK_BYTES = 64 << 10
PDF_TIMEOUT_S = 30.0
"""The longest wait for a slot in which a file is made. A reader of the archive waits meanwhile."""
LOOK_EVERY_S = 0.25


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
_MADE: tuple[tuple[str, str, str, Format, bool], ...] = (
    (PDF, "searchable.pdf", NO_PDF, services.PDF, False),
    (CSV, "tables.csv", NO_CSV, services.CSV, True),
    (XLSX, "tables.xlsx", NO_XLSX, services.XLSX, False),
)
"""The files that are made before they are added: format, name, name of the remark without it, and compression."""
_RESERVED = frozenset(
    {NO_ORIGINAL, NO_PDF, NO_CSV, NO_XLSX, *(name for _, name, _ in _RESULTS), *(name for _, name, *_ in _MADE)}
)
"""The names that an original never has in an archive."""


def archive_files(export: JobExport, formats: Collection[str]) -> Iterator[ArchiveFile]:
    """Yield the files one after the other. An original is opened when its turn has come."""
    for format_, name, blocks in _RESULTS:
        if format_ in formats:
            yield ArchiveFile(name, blocks(export))
    for format_, name, remark, made, compressed in _MADE:
        if format_ in formats:
            yield _made(export, made, name, remark, compressed=compressed)
    if ORIGINAL in formats:
        yield _original(export)


def _made(export: JobExport, format_: Format, name: str, remark: str, *, compressed: bool) -> ArchiveFile:
    """Make the file, as large exports are made one after the other. The archive is complete without it."""
    give_up_at = time.monotonic() + PDF_TIMEOUT_S
    while True:
        try:
            made = export_job(whose=export.job.tenant_id, job_id=export.job.id, format_=format_)
        except (TooManyExports, Overloaded) as busy:
            if time.monotonic() > give_up_at:
                return _remark(remark, busy.detail)
            time.sleep(LOOK_EVERY_S)
        except (NoPagePictures, NoTables, ExportTooLarge, DocumentDeleted, JobErased) as refusal:
            return _remark(remark, refusal.detail)
        else:
            return ArchiveFile(name, _read(made.file), compressed=compressed)


def _original(export: JobExport) -> ArchiveFile:
    document = export.job.document
    if document is None:
        return _remark(NO_ORIGINAL, "This input was sent without a file.")
    try:
        blocks = _read(_opened(document))
    except DocumentDeleted as deleted:
        return _remark(NO_ORIGINAL, deleted.detail)
    name = next(distinct_names([document.name], _RESERVED))
    return ArchiveFile(name, blocks, compressed=document.kind in _COMPRESSIBLE)


def _remark(name: str, text: str) -> ArchiveFile:
    return ArchiveFile(name, iter([f"{text}\n".encode()]))


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
