"""Erases the name of a document, the title of its results, with the last of them and with the file."""

from jobs.archives.models import ArchiveEntry
from jobs.core.models import Document, Job
from jobs.uploads.models import ResumableUpload


def forget_name(document: Document) -> None:
    """Erase the name if the document and all its results are erased. The row of the document is locked: if two
    transactions erase its last results, the second sees what the first did.

    Its fingerprint is erased too. With it, a person who has the same bytes could find out that they were here.
    """
    if document.deleted_at is None or Job.objects.filter(document=document, erased_at=None).exists():
        return
    Document.objects.filter(id=document.id).update(name="", sha256="", file="")
    ResumableUpload.objects.filter(document_id=document.id).update(name="", metadata="")
    ArchiveEntry.objects.filter(document_id=document.id).update(name="")
