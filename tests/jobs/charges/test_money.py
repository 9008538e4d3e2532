"""Tests of a job's money: it is held once and settled once, whatever happens to the job."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from django.db import connections

from inference.core.contracts import Units, WorkOutput
from inference.registry.models import ServedModel
from jobs.charges.money import predicted_micros
from jobs.core.models import Document, Job
from jobs.queue.settlement import Failure, fail_page, finish_page
from jobs.queue.sweeper import sweep_expired_leases
from jobs.retention.documents import delete_document
from jobs.submission.cancellations import cancel_job, end_overdue_jobs
from jobs.submission.idempotent_submission import submit_once
from jobs.submission.retries import retry_job
from jobs.submission.services import JobRequest
from tenants.billing.ledger.errors import InsufficientFunds, PaymentRequired
from tenants.billing.ledger.models import LedgerTransaction
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.plans.prices import Price
from tests.fixtures import unique
from tests.jobs.conftest import Desk
from tests.tenants.billing.ledger.conftest import Purse

CALL = 1500
FAILURE = Failure("model_output_invalid", "It is no good.")


@pytest.fixture
def purse(desk: Desk) -> Purse:
    purse = Purse(desk.identity.tenant_id)
    purse.prepaid(10 * CALL)
    return purse


def settlements(job: Job) -> list[str]:
    with unit_of_work(job.tenant_id):
        found = LedgerTransaction.objects.filter(source_kind="job", source_id=job.id)
        return list(found.exclude(kind="hold").values_list("kind", flat=True))


def test_what_a_job_may_cost_is_held_until_its_end_and_what_it_cost_is_charged(desk: Desk, purse: Purse) -> None:
    job = desk.submit(pages=3)
    assert purse.stands() == (7 * CALL, 3 * CALL)
    first, second, third = desk.pages(job)
    desk.finish(first)
    desk.finish(second)
    assert purse.stands() == (7 * CALL, 3 * CALL)
    fail_page(desk.claimed(third), FAILURE, may_retry=False)
    assert purse.stands() == (8 * CALL, 0)
    assert settlements(job) == ["charge"]
    assert desk.again(job).held_micros is None


def test_a_job_that_failed_costs_nothing(desk: Desk, purse: Purse) -> None:
    job = desk.submit()
    fail_page(desk.claimed(desk.pages(job)[0]), FAILURE, may_retry=False)
    assert purse.stands() == (10 * CALL, 0)
    assert settlements(job) == ["release"]


def test_a_job_whose_workers_died_costs_nothing(desk: Desk, purse: Purse) -> None:
    job = desk.submit()
    for _ in range(3):
        page = desk.pages(job)[0]
        desk.claimed(page)
        desk.expire_lease(page)
        sweep_expired_leases()
    assert desk.again(job).state == "failed"
    assert purse.stands() == (10 * CALL, 0)


def test_a_canceled_job_pays_for_the_pages_it_has(desk: Desk, purse: Purse) -> None:
    job = desk.submit(pages=3)
    desk.finish(desk.pages(job)[0])
    cancel_job(identity=desk.identity, job_id=job.id)
    assert purse.stands() == (9 * CALL, 0)
    cancel_job(identity=desk.identity, job_id=job.id)
    assert settlements(job) == ["charge"]


def test_an_overdue_job_gives_its_hold_back(desk: Desk, purse: Purse) -> None:
    job = desk.submit()
    desk.sql("UPDATE jobs_job SET expires_at = clock_timestamp() - interval '1 second' WHERE id = %s", job.id)
    end_overdue_jobs()
    assert desk.again(job).state == "expired"
    assert purse.stands() == (10 * CALL, 0)


def test_erasing_a_document_settles_the_jobs_on_it(desk: Desk, purse: Purse) -> None:
    document = desk.document(2)
    jobs = [desk.submit_document(document) for _ in range(2)]
    desk.finish(desk.pages(jobs[0])[0])
    delete_document(identity=desk.identity, document_id=document.id)
    assert purse.stands() == (9 * CALL, 0)


def test_a_retry_holds_for_the_pages_that_it_does_again_alone(desk: Desk, purse: Purse) -> None:
    job = desk.submit(pages=2)
    first, second = desk.pages(job)
    desk.finish(first)
    fail_page(desk.claimed(second), FAILURE, may_retry=False)
    again = retry_job(identity=desk.identity, job_id=job.id)
    assert purse.stands() == (8 * CALL, CALL)
    desk.finish(next(page for page in desk.pages(again) if page.number == 2))
    assert purse.stands() == (8 * CALL, 0)


def test_test_keys_hold_and_cost_nothing(desk: Desk, purse: Purse) -> None:
    tests = Desk(replace(desk.identity, livemode=False), desk.version)
    job = tests.submit()
    tests.finish(tests.pages(job)[0])
    assert purse.stands() == (10 * CALL, 0)
    assert settlements(job) == []


def test_tokens_are_held_by_a_rule_and_charged_by_what_was_read(
    make_desk: Callable[..., Desk], settings: object
) -> None:
    settings.MAAS_HOLD_TOKENS_PER_PAGE = 100  # type: ignore[attr-defined]
    desk = make_desk(meter="token", price_micros=10)
    purse = Purse(desk.identity.tenant_id)
    purse.prepaid(3000)
    job = desk.submit_document(desk.document(1))
    assert purse.stands() == (2000, 1000)
    finish_page(desk.claimed(desk.pages(job)[0]), WorkOutput({"text": "x"}, Units(tokens=150)))
    assert purse.stands() == (1500, 0)
    assert desk.again(job).cost_micros == 1500


@pytest.mark.parametrize(
    ("work", "tokens"),
    [
        ({"text": "hello"}, 7),
        ({"texts": ["hello", "you"]}, 12),
        ({"texts": ["x" * 5000]}, 100),
        ({"tensors": []}, 100),
        (None, 100),
    ],
)
def test_of_texts_that_come_with_a_job_so_many_tokens_are_held_as_they_can_have(
    settings: object, work: dict[str, object] | None, tokens: int
) -> None:
    settings.MAAS_HOLD_TOKENS_PER_PAGE = 100  # type: ignore[attr-defined]
    assert predicted_micros(Price("token", 10, 1, "EUR"), 1, work) == 10 * tokens


def test_time_is_held_by_a_rule_and_no_more_than_that_is_charged(
    make_desk: Callable[..., Desk], settings: object
) -> None:
    settings.MAAS_HOLD_GPU_MS_PER_PAGE = 100  # type: ignore[attr-defined]
    desk = make_desk(meter="gpu_second", price_micros=10)
    purse = Purse(desk.identity.tenant_id)
    purse.prepaid(3000)
    job = desk.submit(pages=3)
    assert purse.stands() == (0, 3000)
    first, second, third = desk.pages(job)
    finish_page(desk.claimed(first), WorkOutput({"text": "x"}, Units(device_us=40_400)))
    finish_page(desk.claimed(second), WorkOutput({"text": "x"}, Units(device_us=9_000_000)))
    fail_page(desk.claimed(third), FAILURE, may_retry=False)
    assert purse.stands() == (3000 - 400 - 1000, 0)
    assert desk.again(job).cost_micros == 1400
    assert purse.account("uncollected") == 0


def test_a_hold_of_pages_is_what_their_charges_come_to() -> None:
    """The charge of each page is rounded by itself."""
    price = Price("page", 1500, 1000, "EUR")
    assert predicted_micros(price, 2000) == 2000 * price.cost_micros(1)


def test_a_price_that_changes_meanwhile_is_not_this_jobs(desk: Desk, purse: Purse) -> None:
    job = desk.submit()
    with operator_work():
        ServedModel.objects.filter(pk=desk.version.served_model.pk).update(price_micros=99_999)
    desk.finish(desk.pages(job)[0])
    assert purse.stands() == (9 * CALL, 0)


def test_without_terms_a_job_holds_nothing_and_its_cost_is_owed(desk: Desk) -> None:
    purse = Purse(desk.identity.tenant_id)
    job = desk.submit()
    assert job.held_micros is None
    desk.finish(desk.pages(job)[0])
    assert purse.stands() == (-CALL, 0)
    assert settlements(job) == ["charge"]


def test_of_twenty_jobs_at_once_on_a_balance_for_one_one_is_accepted(desk: Desk) -> None:
    purse = Purse(desk.identity.tenant_id)
    purse.prepaid(CALL)

    def submit(number: int) -> int:
        request = JobRequest(model=desk.version.served_model.name, input={"text": "hello"})
        try:
            return submit_once(identity=desk.identity, request=request, key=f"key {number}").status
        except PaymentRequired:
            return 402
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(submit, range(20))) == [202] + 19 * [402]
    assert purse.stands() == (0, CALL)
    with unit_of_work(desk.identity.tenant_id):
        assert Job.objects.count() == 1


def test_a_key_that_could_not_be_paid_stays_refused(desk: Desk) -> None:
    purse = Purse(desk.identity.tenant_id)
    purse.prepaid(1)
    request = JobRequest(model=desk.version.served_model.name, input={"text": "hello"})
    said = []
    for _ in range(2):
        with pytest.raises(PaymentRequired) as refused:
            submit_once(identity=desk.identity, request=request, key="one")
        said.append((refused.value.code, refused.value.detail, refused.value.extra))
        purse.grant(10 * CALL)
    assert said[0] == said[1]
    assert submit_once(identity=desk.identity, request=request, key="two").status == 202


def test_who_cannot_pay_leaves_no_job_and_no_page(desk: Desk) -> None:
    Purse(desk.identity.tenant_id).prepaid(CALL)
    document = desk.document(2, name=unique("two"))
    with pytest.raises(InsufficientFunds):
        desk.submit_document(document)
    with unit_of_work(desk.identity.tenant_id):
        assert not Job.objects.exists()
        assert Document.objects.filter(id=document.id).exists()
