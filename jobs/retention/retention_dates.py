"""Calculates until when something is kept."""

from datetime import datetime, timedelta

from jobs.core.models import Document, Job
from jobs.retention.due import time_over
from tenants.plans.retention import FOR_EVER, Retention


def job_kept_until(job: Job, retention: Retention) -> datetime | None:
    """Return the time until which a job is kept. None means for ever, or that the job has not ended."""
    days = retention.results(livemode=job.livemode)
    if days == FOR_EVER or job.finished_at is None:
        return None
    return job.finished_at + timedelta(days=days)


def document_kept_until(document: Document, retention: Retention) -> datetime | None:
    """Return until when a document is kept, None for ever. One that a job uses stays until the job has ended."""
    days = retention.documents(livemode=document.livemode)
    if days == FOR_EVER or document.deleted_at is not None:
        return None
    return document.used_at + time_over(days, "document")
