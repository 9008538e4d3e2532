"""Facts that stay about erased jobs and documents: that they existed, when and why they went, and numbers."""

from datetime import UTC, datetime
from uuid import UUID

from jobs.core.models import ErasedBecause, Job
from tenants.core.times import rfc3339


def erased_words(what: str, its_id: UUID, moment: datetime, because: str) -> str:
    """Return the message about an erased object. An empty `because` is a request, from before reasons were stored."""
    why = ErasedBecause(because or ErasedBecause.REQUEST).label
    return f"The {what} {its_id} was erased on {moment.astimezone(UTC):%Y-%m-%d at %H:%M} UTC, {why}."


def why_erased(moment: datetime, because: str) -> dict[str, object]:
    return {"erased_at": rfc3339(moment), "erased_because": because or ErasedBecause.REQUEST.value}


def tombstone(job: Job) -> dict[str, object]:
    """Return what is left of an erased job, under the field names that `GET /v1/jobs/{id}` used."""
    assert job.erased_at is not None
    return {
        **why_erased(job.erased_at, job.erased_because),
        "job": {
            "id": str(job.id),
            "state": job.state,
            "model": job.model_version.key,
            "pages_total": job.pages_total,
            "pages_succeeded": job.pages_succeeded,
            "pages_failed": job.pages_failed,
            "cost_micros": job.cost_micros,
            "currency": job.currency,
            "livemode": job.livemode,
            "created_at": rfc3339(job.created_at),
            "finished_at": rfc3339(job.finished_at) if job.finished_at else None,
        },
    }
