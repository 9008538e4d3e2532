"""Erases documents, together with what was read from them for other jobs."""

from functools import partial

import structlog
from django.db import transaction
from django.db.models.functions import Now

from jobs.charges.money import settle_ended
from jobs.core.metrics import ERASED
from jobs.core.models import Document, ErasedBecause
from jobs.documents import erasure
from jobs.documents.selectors import get_document
from jobs.retention.cached_results import forget_results_of
from jobs.retention.names import forget_name
from jobs.submission.services import cancel_unfinished_jobs_of
from tenants.audit.services import record
from tenants.core.db.unit_of_work import APP, unit_of_work
from tenants.identity.identity import Identity

log = structlog.get_logger(__name__)


def delete_document(
    *,
    identity: Identity,
    document_id: object,
    deadline: erasure.Deadline | None = None,
    because: ErasedBecause = ErasedBecause.REQUEST,
) -> None:
    """Cancel what still runs on the document, then erase the file and every image made of it. No result of it is used
    again.

    `deadline` is shared by all documents that one request deletes.
    """
    with unit_of_work(identity):
        document = get_document(document_id, for_update=True)
        canceled = cancel_unfinished_jobs_of(document)
        erase_locked(document, because, deadline)
        if because == ErasedBecause.REQUEST:
            # The record contains only the id: the name of the document is erased as well, while the record stays.
            record(tenant_id=identity.tenant_id, action="document.deleted", subject_id=document.id)
        settle_ended(canceled)


def _tell(document: Document, because: ErasedBecause) -> None:
    """Log the erasure with ids only. An older backup that is restored lacks the erasure, but the log has it."""
    ERASED.labels(kind="document", reason=because.value).inc()
    ids = {"document_id": str(document.id), "tenant_id": str(document.tenant_id)}
    log.info("document_erased", **ids, reason=because.value)


def erase_locked(
    document: Document, because: ErasedBecause, deadline: erasure.Deadline | None = None
) -> None:
    """Erase a document that no unfinished job uses, inside the unit of work that locked its row."""
    names = [document.file, *document.pages.exclude(picture="").values_list("picture", flat=True)]
    document.pages.all().delete()
    forget_results_of(document)
    Document.objects.filter(id=document.id).update(deleted_at=Now(), deleted_because=because)
    document.refresh_from_db(fields=["deleted_at", "deleted_because"])
    forget_name(document)
    erasure.order(names)
    transaction.on_commit(partial(_tell, document, because), using=APP)
    # An error here is ignored: by then the document is gone, and the scheduler handles what is left of it.
    transaction.on_commit(
        lambda: erasure.carry_out_now(document.tenant_id, names, deadline), using=APP, robust=True
    )
