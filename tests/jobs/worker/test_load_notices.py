"""Test that pages report that they wait for their model, and that this report waits for no lock."""

from django.db import transaction

from jobs.core.models import Event, Job
from jobs.worker.load_notices import LoadNews
from tenants.core.db.unit_of_work import OPERATOR, operator_work, unit_of_work
from tests.jobs.conftest import Desk
from tests.waiting import eventually


def test_a_load_waits_for_no_job_that_is_locked_and_is_told_of_all_the_same(desk: Desk) -> None:
    job = desk.submit()
    claim = desk.claimed(desk.pages(job)[0])
    with operator_work(), transaction.atomic(using=OPERATOR):
        Job.objects.select_for_update().get(id=job.id)
        LoadNews().tell(claim)

    def told() -> bool:
        with unit_of_work(desk.identity.tenant_id):
            return Event.objects.filter(job=job, type="page.loading").exists()

    eventually(told, "the news")
