"""Say when a pool without workers will have one, by the last published decision."""

import time
from datetime import datetime

from inference.registry.models import ScalingTerms
from inference.scaling.next_worker import NOT_KNOWN, NextWorker, next_worker
from jobs.scaling.published import published_pool
from tenants.core.errors import DomainError


def next_worker_of(pool: str) -> NextWorker:
    try:
        found = published_pool(pool)
    except DomainError:
        return NOT_KNOWN
    return next_worker(
        follows=found["mode"] == ScalingTerms.Mode.FOLLOW,
        wanted=found["wanted"],
        due_in_s=found["due_in_s"],
        # A scheduler of the release before does not tell it.
        lead_s=found.get("lead_s", 0.0),
        age_s=time.time() - datetime.fromisoformat(found["at"]).timestamp(),
    )
