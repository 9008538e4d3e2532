"""Test that the pages of an account's own model wait in the queue that its workers consume."""

from inference.models import ModelVersion, ServedModel
from jobs.queue.release import waiting_versions
from jobs.submission.services import JobRequest, submit_job
from tenants.core.db.unit_of_work import operator_work
from tenants.identity.identity import Identity


def test_the_queue_of_an_own_model_has_the_name_by_which_workers_know_it(
    identity: Identity, version: ModelVersion
) -> None:
    owner = identity.tenant_id
    with operator_work():
        for rows in (ServedModel.objects.filter(pk=version.served_model_id), version.served_model.versions):
            rows.update(tenant=owner)
        version.served_model.aliases.update(tenant=owner)
        version = ModelVersion.objects.select_related("served_model").get(pk=version.pk)
    submit_job(identity=identity, request=JobRequest(model=version.served_model.name, input={"text": "words"}))
    assert (version.pk, version.engine_key) in waiting_versions()
    assert version.engine_key == f"{version.served_model.name}.{owner.hex}@1"
