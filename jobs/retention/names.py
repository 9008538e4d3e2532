"""A document's name heads the results that were read from it: it goes with the last of them, and with the file."""

from jobs.archives.models import ArchiveEntry
from jobs.core.models import Document, Job
from jobs.uploads.models import ResumableUpload


def forget_name(document: Document) -> None:
    """The document's row is locked: of two that erase its last results, the second sees what the first did.

    Its fingerprint goes too. Whoever has the same bytes could tell by it that they were here.
    """
    if document.deleted_at is None or Job.objects.filter(document=document, erased_at=None).exists():
        return
    Document.objects.filter(id=document.id).update(name="", sha256="", file="")
    ResumableUpload.objects.filter(document_id=document.id).update(name="", metadata="")
    ArchiveEntry.objects.filter(document_id=document.id).update(name="")
