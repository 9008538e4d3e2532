"""Erases the content of jobs that have ended. Their rows stay, with what the bill needs.

Code that copies from a job's pages meanwhile locks the page or the job and is waited for, or finds that it is gone.
"""

import json
from functools import partial
from typing import Any
from uuid import UUID

import structlog
from django.db import connections, transaction
from django.db.models.functions import Now

from jobs.core.errors import JobNotFinished
from jobs.core.metrics import ERASED
from jobs.core.models import Document, ErasedReason, Job
from jobs.core.models.archives import ArchiveEntry
from jobs.documents.job_selectors import get_job
from jobs.events.log import append_event
from jobs.search.services import EMBEDDINGS, meaning_available
from jobs.uploads.models import ResumableUpload
from jobs.webhooks.models import WebhookAttempt, WebhookDelivery, WebhookMessage
from tenants.audit.services import record
from tenants.core.db.unit_of_work import current_alias, unit_of_work
from tenants.identity.identity import Identity

log = structlog.get_logger(__name__)

# Code that puts the text of the job's pages into the index locks only the key, which keeps no worker waiting.
_LOCK_KEY = "SELECT FROM jobs_job WHERE id = %(job)s FOR UPDATE"
# What a field learned from a document stays: the label beside the value, and its shape.
_FORGET_EXAMPLES = """
UPDATE jobs_ownfieldexample SET job_id = NULL, page = NULL, box = NULL
WHERE tenant_id = %(tenant)s AND job_id = %(job)s
"""
# The pages are erased with the search text by which they are found. Of the events, the last one says that the job is
# erased.
_ERASE = (
    _LOCK_KEY,
    "DELETE FROM jobs_page WHERE tenant_id = %(tenant)s AND job_id = %(job)s",
    "DELETE FROM jobs_correction WHERE tenant_id = %(tenant)s AND job_id = %(job)s",
    _FORGET_EXAMPLES,
    "DELETE FROM jobs_classexample WHERE tenant_id = %(tenant)s AND job_id = %(job)s",
    "DELETE FROM jobs_classifiedjob WHERE tenant_id = %(tenant)s AND job_id = %(job)s",
    "DELETE FROM jobs_pagetext WHERE tenant_id = %(tenant)s AND job_id = %(job)s",
    "DELETE FROM jobs_jobtoindex WHERE tenant_id = %(tenant)s AND job_id = %(job)s",
    "DELETE FROM jobs_pagetoembed WHERE tenant_id = %(tenant)s AND job_id = %(job)s",
    "DELETE FROM jobs_event WHERE tenant_id = %(tenant)s AND job_id = %(job)s",
)
_ERASE_EMBEDDINGS = f"DELETE FROM {EMBEDDINGS} WHERE tenant_id = %(tenant)s AND job_id = %(job)s"  # noqa: S608  # a constant


def erase_job(*, identity: Identity, job_id: object, reason: ErasedReason = ErasedReason.REQUEST) -> Job:
    """Erase a job that has ended. Raises JobErased if it was erased before."""
    with unit_of_work(identity):
        # Documents are locked before jobs, as everywhere.
        document = lock_document(get_job(job_id).document_id)
        job = get_job(job_id, for_update=True)
        if not job.terminal:
            raise JobNotFinished(
                f"The job is still {job.state}. Cancel it first (POST /v1/jobs/{job.id}/cancel), then erase it."
            )
        erase_ended(job, document, reason)
        if reason == ErasedReason.REQUEST:
            record(tenant_id=identity.tenant_id, action="job.erased", subject_id=job.id)
    return job


def lock_document(document_id: UUID | None) -> Document | None:
    """Lock a document, deleted or not."""
    if document_id is None:
        return None
    return Document.objects.select_for_update(no_key=True).get(id=document_id)


def erase_ended(job: Job, document: Document | None, reason: ErasedReason) -> None:
    """Erase a job that has ended, inside the unit of work that locked its document's row, then its own."""
    _erase_rows(job)
    _erase_webhooks(job)
    Job.objects.filter(id=job.id).update(
        input=None,
        parameters={},
        error_detail="",
        class_set="",
        class_label="",
        class_probabilities=None,
        class_corrected=False,
        fields=None,
        webhook_url="",
        request_id="",
        erased_at=Now(),
        erased_reason=reason,
    )
    append_event(job.id, "job.erased", {"state": job.state, "reason": reason.value})
    if document is not None:
        forget_name(document)
    job.refresh_from_db(fields=["erased_at", "erased_reason", "last_seq"])
    transaction.on_commit(partial(_log_job, job, reason), using=current_alias())


def _log_job(job: Job, reason: ErasedReason) -> None:
    """Log the erasure with ids only. An older backup that is restored lacks the erasure, but the log has it."""
    ERASED.labels(kind="job", reason=reason.value).inc()
    log.info("job_erased", job_id=str(job.id), tenant_id=str(job.tenant_id), reason=reason.value)


def _erase_rows(job: Job) -> None:
    values: dict[str, Any] = {"tenant": job.tenant_id, "job": job.id}
    statements = (*_ERASE, _ERASE_EMBEDDINGS) if meaning_available() else _ERASE
    with connections[current_alias()].cursor() as cursor:
        for statement in statements:
            cursor.execute(statement, values)


def _erase_webhooks(job: Job) -> None:
    """Erase delivered webhook messages. Those under way were promised and go out, without the error's text
    and the class."""
    pending = WebhookDelivery.objects.filter(message__job_id=job.id, state=WebhookDelivery.State.PENDING)
    on_their_way = set(pending.values_list("message_id", flat=True))
    messages = WebhookMessage.objects.filter(job_id=job.id)
    messages.exclude(id__in=on_their_way).delete()
    ended = WebhookDelivery.objects.filter(message__job_id=job.id).exclude(state=WebhookDelivery.State.PENDING)
    ended.delete()
    for message in messages.filter(id__in=on_their_way):
        messages.filter(id=message.id).update(body=_without_words(message.body))
    WebhookAttempt.objects.filter(delivery__message__job_id=job.id).update(response_body="", detail="")


def _without_words(body: str) -> str:
    content = json.loads(body)
    if content["data"].get("error"):
        content["data"]["error"]["detail"] = ""
    for name in ("class", "fields"):
        if name in content["data"]:
            content["data"][name] = None
    return json.dumps(content, separators=(",", ":"), ensure_ascii=False)


def forget_name(document: Document) -> None:
    """Erase the document's name and fingerprint when its last result is erased, because the fingerprint would prove
    which bytes were here.

    The document's row is locked, so that of two concurrent erasures of its last results, the second one sees the
    first.
    """
    if document.deleted_at is None or Job.objects.filter(document=document, erased_at=None).exists():
        return
    Document.objects.filter(id=document.id).update(name="", sha256="", file="")
    ResumableUpload.objects.filter(document_id=document.id).update(name="", metadata="")
    ArchiveEntry.objects.filter(document_id=document.id).update(name="")
