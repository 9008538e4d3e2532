"""Many jobs' results and originals as one ZIP, made while it is sent and never stored."""

import time
import weakref
from collections.abc import Collection, Generator, Iterator, Sequence
from datetime import datetime
from io import RawIOBase
from typing import Any, BinaryIO, cast
from uuid import UUID
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from jobs.core.models import Job
from jobs.documents.job_selectors import jobs_with_models
from jobs.results.exports.archive_files import (
    BLOCK_BYTES,
    DEFAULT_FORMATS,
    ORIGINAL,
    ArchiveFile,
    archive_files,
    chosen_formats,
)
from jobs.results.exports.archive_names import distinct_names
from jobs.results.exports.export_slots import ExportSlots
from jobs.results.exports.job_export import JobExport
from jobs.results.exports.page_range import page_range
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import InvalidRequest, NotFound
from tenants.core.ids import as_uuid
from tenants.identity.identity import Identity

MAX_JOBS = 100
BEING_SENT = ExportSlots("archives are being sent", 16, max_each=2, retry_after_s=10)
"""The slots for archives in this process. Each archive holds a few pages in memory for as long as its reader takes."""


class _Outlet(RawIOBase):
    """A buffer for what the archive writes, until it is sent."""

    def __init__(self) -> None:
        self._written = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._written += data
        return len(data)

    def __len__(self) -> int:
        return len(self._written)

    def take(self) -> bytes:
        taken, self._written = bytes(self._written), bytearray()
        return taken


def archived_jobs(identity: Identity, job_ids: Sequence[str]) -> list[Job]:
    """Return the jobs in the order of the request. A request is refused before a byte is sent."""
    wanted = list(dict.fromkeys(job_ids))
    if not 1 <= len(wanted) <= MAX_JOBS:
        raise InvalidRequest(f"You requested {len(wanted)} jobs. An archive can contain 1 to {MAX_JOBS} jobs.")
    ids = [as_uuid(job_id) for job_id in wanted]
    with unit_of_work(identity):
        jobs = jobs_with_models().select_related("document").filter(id__in=filter(None, ids))
        found = {job.id: job for job in jobs}
    missing = next((given for given, job_id in zip(wanted, ids, strict=True) if job_id not in found), None)
    if missing is not None:
        raise NotFound(f"There is no job {missing[:60]!r}.")
    return [found[job_id] for job_id in ids if job_id]


def archive_name(now: datetime) -> str:
    return f"documents-{now:%Y-%m-%d-%H%M}.zip"


class Archive(Iterator[bytes]):
    """A ZIP file that is being sent. It occupies a slot until it is closed or garbage-collected."""

    def __init__(self, tenant_id: UUID, jobs: Sequence[Job], formats: Collection[str] = DEFAULT_FORMATS) -> None:
        BEING_SENT.take(tenant_id)
        self._give_back = weakref.finalize(self, BEING_SENT.give_back, tenant_id)
        self._blocks = _blocks(jobs, formats)

    def __next__(self) -> bytes:
        return next(self._blocks)

    def close(self) -> None:
        self._blocks.close()
        self._give_back()


def archive_of(identity: Identity, job_ids: Sequence[str], formats: str | None) -> Archive:
    """Return an archive of the jobs in the formats of a list with commas, for a caller who may read them."""
    identity.require("jobs:read")
    chosen = chosen_formats(formats)
    if ORIGINAL in chosen:
        identity.require("documents:read")
    return Archive(identity.tenant_id, archived_jobs(identity, job_ids), chosen)


def _blocks(jobs: Sequence[Job], formats: Collection[str]) -> Generator[bytes, None, None]:
    """Yield the archive in blocks. A page is read only when the blocks before it have been taken."""
    outlet = _Outlet()
    exports = [JobExport(job, page_range(None, job.pages_total)) for job in jobs]
    with ZipFile(cast(BinaryIO, outlet), "w", ZIP_DEFLATED) as made:
        for export, folder in zip(exports, distinct_names(export.title for export in exports), strict=True):
            for file in archive_files(export, formats):
                with made.open(_entry(folder, file), "w", force_zip64=True) as entry:
                    for block in file.blocks:
                        entry.write(block)
                        if len(outlet) >= BLOCK_BYTES:
                            yield outlet.take()
                yield outlet.take()
    yield outlet.take()


def _entry(folder: str, file: ArchiveFile) -> ZipInfo:
    entry = ZipInfo(f"{folder}/{file.name}", time.localtime()[:6])
    entry.compress_type = ZIP_DEFLATED if file.compressed else ZIP_STORED
    return entry
