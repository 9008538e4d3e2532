"""Writes a job as a file of one format into the spool, and returns the open file."""

import errno
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from importlib import import_module
from pathlib import PurePath
from types import MappingProxyType
from typing import BinaryIO
from uuid import UUID

from jobs.core.errors import FileMissing, StorageUnavailable
from jobs.core.models import Document, Job
from jobs.documents.job_selectors import get_job
from jobs.documents.selectors import get_document
from jobs.results.exports import html_result
from jobs.results.exports.chunk_lines import chunk_blocks
from jobs.results.exports.csv_tables import csv_blocks
from jobs.results.exports.export_slots import ExportSlots, ExportTooLarge, NoPagePictures
from jobs.results.exports.job_export import JobExport
from jobs.results.exports.json_result import json_blocks
from jobs.results.exports.markdown import markdown_blocks
from jobs.results.exports.page_range import NotAPageRange, page_range
from jobs.results.exports.plain_text import text_blocks
from tenants.core.db.unit_of_work import Acting, unit_of_work
from tenants.core.errors import InvalidRequest
from tenants.core.own_folder import own_folder

MAX_PDF_PAGES = 200
LIGHT_PAGES = 50
"""The most pages of an export that is made in a moment, if it has no pictures."""
BEING_BUILT = ExportSlots("large files are being made", 3, max_each=2, retry_after_s=5)
"""The slots for large exports in this process. Each holds a thread and the pictures of a PDF or cells of a workbook."""


@dataclass(frozen=True)
class Format:
    suffix: str
    content_type: str
    write: Callable[[BinaryIO, JobExport], None]
    policy: str = "default-src 'none'"
    """The content security policy for a browser that shows the file."""


def _in_blocks(blocks: Callable[[JobExport], Iterator[bytes]]) -> Callable[[BinaryIO, JobExport], None]:
    def write(target: BinaryIO, export: JobExport) -> None:
        target.writelines(blocks(export))

    return write


def _write_pdf(target: BinaryIO, export: JobExport) -> None:
    """Import the modules for PDF and fonts for the first such file, so that no other response has to wait for them."""
    import_module("jobs.results.exports.pdf.searchable_pdf").write_pdf(target, export)


def _write_workbook(target: BinaryIO, export: JobExport) -> None:
    """Import the modules for workbooks for the first such file."""
    import_module("jobs.results.exports.workbook").write_workbook(target, export)


TEXT = Format("txt", "text/plain; charset=utf-8", _in_blocks(text_blocks))
MARKDOWN = Format("md", "text/markdown; charset=utf-8", _in_blocks(markdown_blocks))
HTML = Format("html", "text/html; charset=utf-8", _in_blocks(html_result.html_blocks), html_result.POLICY)
JSON = Format("json", "application/json", _in_blocks(json_blocks))
CHUNKS = Format("chunks.jsonl", "application/jsonl", _in_blocks(chunk_blocks))
PDF = Format("pdf", "application/pdf", _write_pdf)
CSV = Format("csv", "text/csv; charset=utf-8", _in_blocks(csv_blocks))
XLSX = Format("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", _write_workbook)
FORMATS: Mapping[str, Format] = MappingProxyType(
    {format_.suffix: format_ for format_ in (TEXT, MARKDOWN, HTML, JSON, CHUNKS, PDF, CSV, XLSX)}
)


@dataclass(frozen=True)
class ExportedFile:
    file: BinaryIO
    """The open file, to be read from its beginning. It is gone as soon as it is closed."""
    name: str
    content_type: str


def export_job(*, whose: Acting | UUID, job_id: object, format_: Format, pages: str | None = None) -> ExportedFile:
    with unit_of_work(whose):
        job = get_job(job_id)
        document = job.document
    try:
        export = JobExport(job, page_range(pages, job.pages_total))
    except NotAPageRange as error:
        raise InvalidRequest(str(error)) from error
    if format_ is PDF:
        _refuse_pdf(export, document)
    with _place_for(export, format_):
        return _written(export, format_)


def _refuse_pdf(export: JobExport, document: Document | None) -> None:
    if document is None or document.kind not in Document.PICTURED:
        raise NoPagePictures(
            "This input has no page images, so it cannot be exported as a searchable PDF. "
            "Use text, Markdown, HTML or JSON."
        )
    if export.pages.count > MAX_PDF_PAGES:
        raise ExportTooLarge(
            f"You requested {export.pages.count} pages, but a searchable PDF can have at most {MAX_PDF_PAGES}. "
            f"Request a part, for example ?pages=1-{MAX_PDF_PAGES}."
        )
    _refuse_erased(export.job)


def _refuse_erased(job: Job) -> None:
    with unit_of_work(job.tenant_id):
        get_document(job.document_id)


def _place_for(export: JobExport, format_: Format) -> AbstractContextManager[None]:
    heavy = format_ in (PDF, XLSX) or export.pages.count > LIGHT_PAGES
    return BEING_BUILT.taken(export.job.tenant_id) if heavy else nullcontext()


def _written(export: JobExport, format_: Format) -> ExportedFile:
    file = tempfile.TemporaryFile(dir=own_folder(), prefix="export-")  # noqa: SIM115  # closed by its reader
    try:
        format_.write(file, export)
        file.seek(0)
    except FileMissing:
        file.close()
        # If the document was erased in the meantime, that is the response, and the storage is not at fault.
        _refuse_erased(export.job)
        raise
    except OSError as error:
        file.close()
        full = error.errno in {errno.ENOSPC, errno.EDQUOT}
        raise StorageUnavailable(
            "The file cannot be created now. Try again later.",
            code="storage_full" if full else "storage_unavailable",
            gate="disk" if full else "file_storage",
        ) from error
    except BaseException:
        file.close()
        raise
    return ExportedFile(file, file_name(export, format_), format_.content_type)


def file_name(export: JobExport, format_: Format) -> str:
    """Return a name that follows the document's name. A PDF made from a PDF must not replace the original."""
    stem = PurePath(export.title).stem if export.job.document else f"job-{export.job.id}"
    part = "" if export.pages.count == export.job.pages_total else f"-pages-{export.pages.first}-{export.pages.last}"
    kind = "-searchable" if format_ is PDF else ""
    return f"{stem}{part}{kind}.{format_.suffix}"
