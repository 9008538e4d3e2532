"""When a document was last of use: sent once more, or given to a job. Its time to be kept begins then."""

from datetime import timedelta

from django.db.models.functions import Now

from jobs.core.models import Document

TO_THE = timedelta(hours=1)
"""Noted once in so long: a thousand jobs on one document write its row once."""


def note_use(document: Document) -> None:
    Document.objects.filter(id=document.id, used_at__lt=Now() - TO_THE).update(used_at=Now())
