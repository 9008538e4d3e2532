"""Reads what is attached to what. These reads run inside a unit of work."""

from uuid import UUID

from django.db.models import QuerySet

from jobs.core.models import Document
from jobs.core.models.archives import Archive, ArchiveEntry


def attachments_of_job(job_id: UUID) -> "QuerySet[ArchiveEntry]":
    """Return the attachments that were read with the job of an email, in their order."""
    return ArchiveEntry.objects.filter(archive__mail_job_id=job_id).order_by("number")


def attachments_of(mail_id: UUID) -> "QuerySet[ArchiveEntry]":
    """Return the attachments of an email as they were last taken, in their order."""
    last = Archive.objects.filter(mail_id=mail_id).order_by("-id").values("id")[:1]
    return ArchiveEntry.objects.filter(archive_id__in=last).order_by("number")


def mails_with(document_id: UUID) -> "QuerySet[Document]":
    """Return the emails that a document is attached to and that are not erased, the newest first."""
    entries = ArchiveEntry.objects.filter(document_id=document_id, archive__mail_id__isnull=False)
    return Document.objects.filter(id__in=entries.values("archive__mail_id"), deleted_at=None).order_by("-id")


def erased_with(mail_id: UUID) -> list[UUID]:
    """Return the erased documents that had come with an erased email, or with an email in it."""
    found, within = list[UUID](), [mail_id]
    while within:
        came_with = Document.objects.filter(mail_id__in=within).exclude(deleted_at=None).exclude(id__in=found)
        within = list(came_with.order_by("id").values_list("id", flat=True))
        found += within
    return found
