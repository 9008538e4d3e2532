"""Decides which attachments are erased with their email, and forgets what was attached to it."""

from uuid import UUID

from jobs.attachments.selectors import mails_with
from jobs.core.models import Document
from jobs.core.models.archives import Archive, ArchiveEntry


def forget_attachments(mail: Document) -> None:
    """Delete the list of an erased email's attachments. What is still to be taken is not taken any more."""
    archives = Archive.objects.filter(mail_id=mail.id)
    list(archives.select_for_update(no_key=True).order_by("id").values_list("id"))
    ArchiveEntry.objects.filter(archive__in=archives).delete()
    archives.delete()


def locked_attachments(mail: Document) -> list[Document]:
    """Return the documents that are to be erased with a locked email, in all emails in it, with their rows locked.

    A document that came with another email too is given to that email, and stays.
    """
    found, within = dict[UUID, Document](), [mail.id]
    while within:
        came_with = Document.objects.filter(mail_id__in=within, deleted_at=None).exclude(id__in=[mail.id, *found])
        rows = list(came_with.select_for_update(no_key=True).order_by("id"))
        going = [row for row in rows if not _given_to_another(row, {mail.id, *found, *(row.id for row in rows)})]
        found.update({row.id: row for row in going})
        within = [row.id for row in going if row.kind == Document.Kind.EML]
    return list(found.values())


def _given_to_another(document: Document, erased: set[UUID]) -> bool:
    other = mails_with(document.id).exclude(id__in=erased).first()
    if other is not None:
        Document.objects.filter(id=document.id).update(mail_id=other.id)
    return other is not None
