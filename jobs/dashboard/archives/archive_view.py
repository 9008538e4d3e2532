"""An archive and its entries, as the dashboard shows them. This module makes no queries."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from jobs.archives import states
from jobs.archives.models import Archive, ArchiveEntry
from jobs.archives.selectors import Tally
from jobs.core import states as job_states
from jobs.core.priorities import NAMES
from jobs.dashboard.base.wording import state_words
from tenants.dashboard_base.wording import ago, whole

_TONES: Mapping[str, str] = {
    states.UNPACKING: "wait",
    states.WAITING: "wait",
    states.DONE: "good",
    states.FAILED: "bad",
}
_JOB_TONES: Mapping[str, str] = {
    job_states.SUCCEEDED: "good",
    job_states.FAILED: "bad",
    job_states.EXPIRED: "bad",
    job_states.PARTIALLY_SUCCEEDED: "bad",
    job_states.QUEUED: "wait",
    job_states.RUNNING: "wait",
}
_SKIPPED: Mapping[str, str] = {
    "folder": "Folder, skipped.",
    "made_by_system": "System file, skipped.",
}


@dataclass(frozen=True)
class ArchiveView:
    id: UUID
    name: str
    model: str
    priority: str
    state: str
    tone: str
    unfinished: bool
    opened: int
    total: int
    count: str
    counts: str
    """The outcomes of the entries that were opened: `3 done, 1 skipped`. Failed entries are shown beside it."""
    failed: str
    """The number of failed entries. It is empty if none failed."""
    trouble: str
    """The error of the whole archive. It is empty if there is none."""
    rests: str
    """The code of what the archive waits for. It is empty if the work goes on."""
    size_bytes: int
    sent_at: datetime
    sent: str


@dataclass(frozen=True)
class EntryView:
    number: int
    name: str
    size_bytes: int
    state: str
    tone: str
    words: str
    """The reason why the entry has no result. It is empty if it has one, or still may."""
    document_id: UUID | None
    job_id: UUID | None
    job_state: str
    """The state of the job. It is empty if there is no job, or none any more."""
    job_tone: str
    job_unfinished: bool


def archive_view(archive: Archive, tally: Tally, now: datetime) -> ArchiveView:
    opened = tally.total - tally.waiting
    ends = [
        (tally.done, "done"),
        (tally.skipped, "skipped"),
        (tally.canceled, "canceled"),
    ]
    return ArchiveView(
        id=archive.id,
        name=archive.name,
        model=archive.model,
        priority=NAMES[archive.priority],
        state=archive.state,
        tone=_TONES.get(archive.state, ""),
        unfinished=archive.state == states.UNPACKING,
        opened=opened,
        total=tally.total,
        count=f"{whole(opened)} of {whole(tally.total)}",
        counts=", ".join(f"{whole(count)} {end}" for count, end in ends if count),
        failed=f"{whole(tally.failed)} failed" if tally.failed else "",
        trouble=archive.error_detail or archive.error_code,
        rests=archive.waiting_code,
        size_bytes=archive.size_bytes,
        sent_at=archive.created_at,
        sent=ago(archive.created_at, now),
    )


def entry_view(entry: ArchiveEntry, job_state: str) -> EntryView:
    """Return the view of an entry. `job_state` is empty if the entry has no job, or an erased one."""
    return EntryView(
        number=entry.number,
        name=entry.name,
        size_bytes=entry.size_bytes,
        state=entry.state,
        tone=_TONES.get(entry.state, ""),
        words=_SKIPPED.get(entry.error_code, entry.error_detail or entry.error_code),
        document_id=entry.document_id,
        job_id=entry.job_id,
        job_state=state_words(job_state),
        job_tone=_JOB_TONES.get(job_state, ""),
        job_unfinished=bool(job_state) and job_state not in job_states.TERMINAL,
    )
