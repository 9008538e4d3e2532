"""Shows the attachments of an email on its page, and the email on the page of an attachment."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from jobs.core.models import Job
from jobs.dashboard.archives.entries import EntryView, entry_views
from jobs.dashboard.reading.selectors import Reading


@dataclass(frozen=True)
class MailView:
    name: str
    job_id: UUID | None
    """The job with which the email was read. It is None if no job reads it."""


def attachment_views(reading: Reading) -> Sequence[EntryView]:
    """Return the views of the attachments. Call this in the tenant's unit of work."""
    return entry_views(reading.attachments)


def mail_view(reading: Reading) -> MailView | None:
    mail = reading.attached_to
    if mail is None:
        return None
    if isinstance(mail, Job):
        return MailView(mail.document.name if mail.document else "", mail.id)
    return MailView(mail.name, None)
