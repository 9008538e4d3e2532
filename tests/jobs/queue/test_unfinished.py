"""Test that a model with unfinished jobs is not deleted."""

import pytest

from inference.models import ModelVersion
from inference.registry.errors import ModelInUse
from inference.registry.versions import delete_model
from jobs.core.models import Job
from jobs.submission.services import JobRequest, submit_job
from tenants.core.db.unit_of_work import operator_work
from tenants.identity.identity import Identity


def test_a_model_is_deleted_once_its_jobs_have_ended(identity: Identity, version: ModelVersion) -> None:
    name = version.served_model.name
    job = submit_job(identity=identity, request=JobRequest(model=name, input={"text": "words"}))
    with pytest.raises(ModelInUse, match="1 unfinished job"):
        delete_model(owner=None, model=name)
    with operator_work():
        Job.objects.filter(pk=job.pk).update(state="canceled")
    delete_model(owner=None, model=name)
