from concurrent.futures import ThreadPoolExecutor
from uuid import UUID, uuid4

import pytest
from django.db import connections

from inference.core.contracts import WorkOutput
from jobs.core.errors import JobErased, JobNotFinished
from jobs.core.models import Event, Job, Page, PageText
from jobs.documents.job_selectors import get_job, job_events_after, tenant_events_after
from jobs.queue.settlement import finish_page
from jobs.retention.erasing import erase_job
from jobs.submission.retries import retry_job
from jobs.webhooks.models import WebhookDelivery
from jobs.webhooks.services import create_endpoint, replay_delivery
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import NotFound
from tenants.identity.identity import Identity
from tests.jobs.conftest import DONE, Desk
from tests.waiting import eventually


def ended(desk: Desk) -> Job:
    job = desk.submit()
    desk.finish(desk.pages(job)[0])
    return desk.again(job)


def test_of_an_erased_job_its_counts_and_cost_stay_and_nothing_else(desk: Desk) -> None:
    job = ended(desk)
    erase_job(identity=desk.identity, job_id=job.id)
    left = desk.again(job)
    assert (left.state, left.pages_succeeded, left.cost_micros) == ("succeeded", 1, job.cost_micros)
    assert (left.erased_reason, left.input, left.parameters) == ("request", None, {})
    with unit_of_work(desk.identity.tenant_id):
        assert not Page.objects.filter(job=job).exists()
        assert not PageText.objects.filter(job=job).exists()
        assert [event.type for event in Event.objects.filter(job=job)] == ["job.erased"]


def test_the_class_of_an_erased_job_goes_and_its_count_of_pages_to_check_stays(desk: Desk) -> None:
    job = desk.submit()
    read = {"text": "read", "needs_review": True, "class": {"label": "invoice", "probabilities": {"invoice": 1.0}}}
    finish_page(desk.claimed(desk.pages(job)[0]), WorkOutput(read, DONE.units))
    assert desk.again(job).class_label == "invoice"
    erase_job(identity=desk.identity, job_id=job.id)
    left = desk.again(job)
    assert (left.class_label, left.class_probabilities, left.pages_to_review) == ("", None, 1)


def test_whoever_asks_for_an_erased_job_is_told_when_and_why(desk: Desk) -> None:
    job = ended(desk)
    erase_job(identity=desk.identity, job_id=job.id)
    with pytest.raises(JobErased, match="on request") as told, unit_of_work(desk.identity.tenant_id):
        get_job(job.id)
    assert told.value.extra["erased_reason"] == "request"
    with pytest.raises(JobErased):
        job_events_after(desk.identity, job.id, 0)
    with pytest.raises(JobErased):
        retry_job(identity=desk.identity, job_id=job.id)
    with pytest.raises(JobErased):
        erase_job(identity=desk.identity, job_id=job.id)


def test_a_job_that_has_not_ended_is_not_erased(desk: Desk) -> None:
    job = desk.submit()
    with pytest.raises(JobNotFinished, match="Cancel it first"):
        erase_job(identity=desk.identity, job_id=job.id)
    assert len(desk.pages(job)) == 1


def test_another_tenants_job_was_never_there(desk: Desk, other_identity: Identity) -> None:
    job = ended(desk)
    with pytest.raises(NotFound):
        erase_job(identity=other_identity, job_id=job.id)
    with pytest.raises(NotFound):
        erase_job(identity=other_identity, job_id=uuid4())
    assert not desk.again(job).erased


def test_a_job_is_erased_once_however_many_ask(desk: Desk) -> None:
    job = ended(desk)

    def is_erased(_: int) -> bool:
        try:
            erase_job(identity=desk.identity, job_id=job.id)
        except JobErased:
            return False
        finally:
            connections.close_all()
        return True

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(is_erased, range(6))) == 1
    with unit_of_work(desk.identity.tenant_id):
        assert Event.objects.filter(job=job).count() == 1


def test_the_tenants_stream_tells_that_a_job_was_erased(desk: Desk) -> None:
    job = ended(desk)
    begun = tenant_events_after(desk.identity, None).cursor
    erase_job(identity=desk.identity, job_id=job.id)

    def told() -> list[tuple[UUID, str]]:
        events = tenant_events_after(desk.identity, begun).events
        return [(event.job_id, event.type) for event in events]

    assert eventually(lambda: (job.id, "job.erased") in told(), "the event")


def test_of_an_erased_jobs_deliveries_only_those_on_their_way_are_left(desk: Desk) -> None:
    for path in ("there", "away"):
        create_endpoint(identity=desk.identity, url=f"https://example.com/{path}")
    job = ended(desk)
    with unit_of_work(desk.identity):
        mine = WebhookDelivery.objects.filter(message__job_id=job.id)
        first, second = mine.order_by("id")
        mine.filter(id=first.id).update(state=WebhookDelivery.State.DELIVERED)
    erase_job(identity=desk.identity, job_id=job.id)
    with unit_of_work(desk.identity):
        assert [one.id for one in mine.all()] == [second.id]
    with pytest.raises(NotFound):
        replay_delivery(identity=desk.identity, delivery_id=first.id)
