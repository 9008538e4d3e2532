"""Submissions under a key, and keys that are made older."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connections

from jobs.core.models import Job
from jobs.idempotency.idempotent_requests import Answered
from jobs.idempotency.models import IdempotencyKey
from jobs.submission.idempotent_submission import submit_once
from jobs.submission.services import JobRequest
from tenants.core.db.unit_of_work import OPERATOR, unit_of_work
from tenants.identity.identity import Identity
from tests.jobs.conftest import Desk

Submit = Callable[..., Answered[Job]]


@pytest.fixture
def submit(desk: Desk) -> Submit:
    """Return a function that submits a text, by default under the key "order-1"."""

    def send(text: str = "hello", key: str | None = "order-1", by: Identity = desk.identity) -> Answered[Job]:
        request = JobRequest(model=desk.version.served_model.name, input={"text": text})
        return submit_once(identity=by, request=request, key=key)

    return send


def age_keys(identity: Identity, age: timedelta) -> None:
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(
            "UPDATE jobs_idempotencykey SET created_at = created_at - make_interval(secs => %s) WHERE tenant_id = %s",
            [age.total_seconds(), identity.tenant_id],
        )


def keys_of(identity: Identity) -> int:
    with unit_of_work(identity.tenant_id):
        return IdempotencyKey.objects.count()


def jobs_of(identity: Identity) -> int:
    with unit_of_work(identity.tenant_id):
        return Job.objects.count()
