"""Shows the entries of archives and the attachments of emails, each with its outcome and its job."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from jobs.core import archive_states as states
from jobs.core import states as job_states
from jobs.core.models import Job
from jobs.core.models.archives import ArchiveEntry
from jobs.dashboard.base.wording import state_words

TONES: Mapping[str, str] = {
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
    "signature": "Signature of the email, skipped.",
    "inline_picture": "Picture in the text of the email, skipped.",
}


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
    job_tone: str
    job_unfinished: bool


def entry_view(entry: ArchiveEntry, job_state: str) -> EntryView:
    """Return the view of an entry. `job_state` is empty if the entry has no job, or an erased one."""
    return EntryView(
        number=entry.number,
        name=entry.name,
        size_bytes=entry.size_bytes,
        state=entry.state,
        tone=TONES.get(entry.state, ""),
        words=_SKIPPED.get(entry.error_code, entry.error_detail or entry.error_code),
        document_id=entry.document_id,
        job_id=entry.job_id,
        job_state=state_words(job_state),
        job_tone=_JOB_TONES.get(job_state, ""),
        job_unfinished=bool(job_state) and job_state not in job_states.TERMINAL,
    )


def entry_views(entries: Sequence[ArchiveEntry]) -> list[EntryView]:
    """Return the views of entries, with the states of their jobs. Call this in the tenant's unit of work."""
    named = [entry.job_id for entry in entries if entry.job_id is not None]
    of_jobs = dict(Job.objects.filter(id__in=named).values_list("id", "state"))
    return [entry_view(entry, of_jobs.get(entry.job_id, "") if entry.job_id is not None else "") for entry in entries]
