"""Takes the attachments of emails: each becomes a document of its own, as the entries of archives do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol
from uuid import UUID

from django.db import connections

from jobs.core import archive_states as states
from jobs.core.models import Document
from jobs.core.models.archives import Archive, ArchiveEntry
from jobs.core.priorities import STANDARD
from jobs.documents.reader import Attachment
from tenants.core.db.unit_of_work import APP
from tenants.core.ids import uuid7
from tenants.identity.identity import Identity

LONGEST_NAME = 300
MAX_ATTACHMENTS = 200
"""The most attachments that become documents, of an email with all emails in it."""
MAX_DEPTH = 3
"""The most emails within one another whose attachments are taken: the email that was sent and two levels below it."""


@dataclass(frozen=True)
class Nesting:
    """The position of an email: how many emails it is in, and the unpacking of the outermost of them."""

    depth: int = 0
    root_id: UUID | None = None


OUTERMOST = Nesting()
"""The position of an email that was sent."""


class Reading(Protocol):
    """The job that reads an email. Its attachments are read in the same way."""

    @property
    def id(self) -> UUID: ...
    @property
    def parameters(self) -> Mapping[str, Any]: ...
    @property
    def priority(self) -> int: ...
    @property
    def webhook_url(self) -> str: ...
    @property
    def class_set(self) -> str: ...
    @property
    def request_id(self) -> str: ...


@dataclass(frozen=True)
class _OnlySent:
    """An email that was sent and that no job reads yet."""

    id: None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    priority: int = STANDARD
    webhook_url: str = ""
    class_set: str = ""
    request_id: str = ""


def has_attachments(document: Document) -> bool:
    """Return whether a document is an email that may have attachments. Of older emails nobody counted them."""
    return document.kind == Document.Kind.EML and document.attachments_total != 0


def take_attachments(
    identity: Identity,
    mail: Document,
    nesting: Nesting | None,
    *,
    reading: Reading | None = None,
    model: str = "",
) -> None:
    """Order the attachments of an email to be taken, in the unit of work that stores the email or the job.

    Without a `reading`, they only become documents. With `nesting` None, they are left out.
    """
    if nesting is None or not has_attachments(mail):
        return
    made_as = reading or _OnlySent()
    archive_id = uuid7()
    Archive.objects.create(
        id=archive_id,
        tenant_id=mail.tenant_id,
        name=mail.name,
        sha256="",
        size_bytes=mail.size_bytes,
        model=model,
        parameters=dict(made_as.parameters),
        priority=made_as.priority,
        webhook_url=made_as.webhook_url,
        class_set=made_as.class_set,
        request_id=made_as.request_id,
        livemode=mail.livemode,
        api_key_id=identity.key_id,
        mail_id=mail.id,
        mail_job_id=made_as.id,
        root_id=nesting.root_id or archive_id,
        depth=nesting.depth,
    )


def nesting_in(archive: Archive) -> Nesting:
    """Return the position of the emails that are attached to the email of this archive."""
    return Nesting(archive.depth + 1, archive.root_id)


def write_entries(archive: Archive, found: Sequence[Attachment]) -> None:
    """Write an entry for each attachment, in the unit of work that holds the archive. Those beyond the limits fail."""
    with connections[APP].cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", [f"attachments of {archive.root_id}"])
    same_root = ArchiveEntry.objects.filter(archive__root_id=archive.root_id)
    room = MAX_ATTACHMENTS - same_root.exclude(state=states.SKIPPED).count()
    if archive.depth >= MAX_DEPTH:
        room = 0
    entries = []
    for number, attachment in enumerate(found, 1):
        entry = _entry(archive, number, attachment, room)
        room -= entry.state != states.SKIPPED
        entries.append(entry)
    ArchiveEntry.objects.bulk_create(entries, batch_size=500)


@dataclass(frozen=True)
class _Outcome:
    """The state of an attachment as it is listed, with the reason why it is not opened."""

    state: str = states.WAITING
    code: str = ""
    detail: str = ""


def _entry(archive: Archive, number: int, attachment: Attachment, room: int) -> ArchiveEntry:
    outcome = _outcome(archive, attachment, room)
    return ArchiveEntry(
        tenant_id=archive.tenant_id,
        archive=archive,
        number=number,
        name=attachment.name[:LONGEST_NAME],
        size_bytes=attachment.size_bytes,
        state=outcome.state,
        error_code=outcome.code,
        error_detail=outcome.detail,
    )


def _outcome(archive: Archive, attachment: Attachment, room: int) -> _Outcome:
    if attachment.skipped:
        return _Outcome(states.SKIPPED, code=attachment.skipped)
    if attachment.rejected is not None:
        return _Outcome(states.FAILED, attachment.rejected.code, attachment.rejected.detail)
    if room <= 0:
        return _Outcome(states.FAILED, code="too_many_attachments", detail=_too_many(archive))
    return _Outcome()


def _too_many(archive: Archive) -> str:
    if archive.depth >= MAX_DEPTH:
        return f"It is in {MAX_DEPTH + 1} emails within one another, and {MAX_DEPTH} are opened. Send it by itself."
    return f"Of an email, with the emails in it, {MAX_ATTACHMENTS} attachments are opened. Send it by itself."
