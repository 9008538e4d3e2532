"""Test that a key that is restricted to some models runs no other, whatever it requests."""

from dataclasses import replace

import pytest

from inference.models import ModelVersion
from jobs.submission.retries import retry_job
from jobs.submission.services import JobRequest, submit_job
from tenants.api_keys.services import create_key
from tenants.authentication.selectors import acting_for, identify_key
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import ModelNotAllowed
from tenants.identity.identity import Identity
from tenants.onboarding.create_tenant import CreatedTenant
from tests.jobs.conftest import Desk


@pytest.fixture
def restricted(tenant: CreatedTenant) -> Identity:
    with unit_of_work(tenant.tenant.id):
        made = create_key(tenant_id=tenant.tenant.id, name="restricted", allowed_models=["embed"])
    return identify_key(made.text)


def test_a_job_of_another_model_is_refused_in_words_that_help(restricted: Identity, version: ModelVersion) -> None:
    with pytest.raises(ModelNotAllowed, match="is restricted to embed") as refused:
        submit_job(identity=restricted, request=JobRequest(model=version.key, input={"text": "x"}))
    assert version.served_model.name in refused.value.detail


def test_neither_is_a_job_done_again(
    identity: Identity, restricted: Identity, version: ModelVersion, desk: Desk
) -> None:
    job = desk.submit()
    desk.sql("UPDATE jobs_page SET state = 'failed' WHERE job_id = %s", job.id)
    desk.sql("UPDATE jobs_job SET state = 'failed', pages_failed = 1 WHERE id = %s", job.id)
    with pytest.raises(ModelNotAllowed):
        retry_job(identity=restricted, job_id=job.id)


def test_its_own_model_runs(restricted: Identity, version: ModelVersion) -> None:
    own = replace(restricted, models=(version.served_model.name,))
    job = submit_job(identity=own, request=JobRequest(model=version.key, input={"text": "x"}))
    assert job.tenant_id == restricted.tenant_id


def test_what_goes_on_without_its_caller_is_kept_to_the_same(restricted: Identity) -> None:
    later = acting_for(restricted.tenant_id, key_id=restricted.key_id, livemode=True, scopes=())
    assert later.models == ("embed",)
