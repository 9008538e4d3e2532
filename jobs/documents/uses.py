"""The time when a document was last used, that is, uploaded again or given to a job. Its retention time begins then."""

from datetime import timedelta

from django.db.models.functions import Now

from jobs.core.models import Document

TO_THE = timedelta(hours=1)
"""The time in which a use is noted only once. A thousand jobs on one document write its row once."""


def note_use(document: Document) -> None:
    Document.objects.filter(id=document.id, used_at__lt=Now() - TO_THE).update(used_at=Now())
