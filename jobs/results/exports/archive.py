"""Many jobs' results and texts as one ZIP, without originals, made while it is sent and never stored."""

import re
import unicodedata
import weakref
from collections.abc import Generator, Iterable, Iterator, Sequence
from io import RawIOBase
from typing import Any, BinaryIO, cast
from uuid import UUID
from zipfile import ZIP_DEFLATED, ZipFile

from jobs.core.models import Job
from jobs.documents.job_selectors import jobs_with_models
from jobs.results.exports.export_slots import ExportSlots
from jobs.results.exports.job_export import JobExport
from jobs.results.exports.json_result import json_blocks
from jobs.results.exports.page_range import page_range
from jobs.results.exports.text_formats import text_blocks
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import InvalidRequest, NotFound
from tenants.core.ids import as_uuid
from tenants.identity.identity import Identity

LONGEST = 80
LONGEST_BYTES = 240
"""The most bytes of a name in UTF-8. Systems count bytes, up to 255, and a number may be added to the name."""
_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f-\x9f<>:"/\\|?*]')
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")


def folder_names(names: Iterable[str]) -> Iterator[str]:
    """Yield a different name for each folder, such as `a.pdf`, `a (2).pdf`. Names that differ only in case or accents
    count as equal, as they do on some systems.
    """
    taken: set[str] = set()
    for name in names:
        free = _free(_safe(name), taken)
        taken.add(free.casefold())
        yield free


def _safe(name: str) -> str:
    shown = _FORBIDDEN.sub("_", unicodedata.normalize("NFC", name))[:LONGEST]
    kept = shown.encode(errors="ignore")[:LONGEST_BYTES].decode(errors="ignore").strip(" .") or "document"
    return f"_{kept}" if _RESERVED.fullmatch(kept) else kept


def _free(name: str, taken: set[str]) -> str:
    stem, dot, ending = name.rpartition(".")
    number, free = 1, name
    while free.casefold() in taken:
        number += 1
        free = f"{stem} ({number}).{ending}" if dot and stem else f"{name} ({number})"
    return free


MAX_JOBS = 100
FILES = (("result.json", json_blocks), ("text.txt", text_blocks))
BLOCK_BYTES = 64 << 10
"""The number of bytes at which a block is sent."""
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


class Archive(Iterator[bytes]):
    """A ZIP file that is being sent. It occupies a slot until it is closed or garbage-collected."""

    def __init__(self, tenant_id: UUID, jobs: Sequence[Job]) -> None:
        BEING_SENT.take(tenant_id)
        self._give_back = weakref.finalize(self, BEING_SENT.give_back, tenant_id)
        self._blocks = _blocks(jobs)

    def __next__(self) -> bytes:
        return next(self._blocks)

    def close(self) -> None:
        self._blocks.close()
        self._give_back()


def _blocks(jobs: Sequence[Job]) -> Generator[bytes, None, None]:
    """Yield the archive in blocks. A page is read only when the blocks before it have been taken."""
    outlet = _Outlet()
    exports = [JobExport(job, page_range(None, job.pages_total)) for job in jobs]
    with ZipFile(cast(BinaryIO, outlet), "w", ZIP_DEFLATED) as made:
        for export, folder in zip(exports, folder_names(export.title for export in exports), strict=True):
            for name, blocks in FILES:
                with made.open(f"{folder}/{name}", "w", force_zip64=True) as entry:
                    for block in blocks(export):
                        entry.write(block)
                        if len(outlet) >= BLOCK_BYTES:
                            yield outlet.take()
                yield outlet.take()
    yield outlet.take()
