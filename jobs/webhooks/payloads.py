"""Writes the payload about a job's end: what to fetch, and nothing of the content but the class and the fields."""

import json
from datetime import datetime
from typing import Any

from jobs.core.models import Job
from jobs.core.reading_flags import review_json
from tenants.core.times import rfc3339


def body_of(event_type: str, moment: datetime, data: dict[str, Any]) -> str:
    """Return the payload of the Standard Webhooks specification. These characters are signed and sent unchanged."""
    payload = {"type": event_type, "timestamp": rfc3339(moment), "data": data}
    return json.dumps(payload, separators=(",", ":"), ensure_ascii=False)


def job_data(job: Job) -> dict[str, Any]:
    """Describe the job with the names that `GET /v1/jobs/{id}` uses."""
    return {
        "id": str(job.id),
        "object": "job",
        "state": job.state,
        "model": job.model_version.key,
        "document": str(job.document_id) if job.document_id else None,
        "pages_total": job.pages_total,
        "pages_done": job.pages_done,
        "pages_succeeded": job.pages_succeeded,
        "pages_failed": job.pages_failed,
        **review_json(job.pages_to_review, job.document_class),
        "fields": None if job.fields is None else job.fields["fields"],
        "error": {"code": job.error_code, "detail": job.error_detail} if job.error_code else None,
        "retry_of": str(job.retry_of_id) if job.retry_of_id else None,
        "livemode": job.livemode,
        "created_at": rfc3339(job.created_at),
        "finished_at": rfc3339(job.finished_at) if job.finished_at else None,
        "urls": {"self": f"/v1/jobs/{job.id}", "result": f"/v1/jobs/{job.id}/result"},
    }
