"""Until when something is kept."""

from datetime import datetime, timedelta

from jobs.models import Job
from tenants.keeping import FOR_EVER, Keeping


def job_kept_until(job: Job, keeping: Keeping) -> datetime | None:
    """None for ever, and while it has not ended."""
    days = keeping.results(livemode=job.livemode)
    if days == FOR_EVER or job.finished_at is None:
        return None
    return job.finished_at + timedelta(days=days)
