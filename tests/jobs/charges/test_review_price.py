"""Pages that a person must check cost a price of their own, if the operator or a plan has set one."""

from collections.abc import Callable

import pytest

from inference.core.contracts import WorkOutput
from inference.registry.models import ModelVersion, ServedModel
from jobs.charges.reconciling import compare_jobs
from jobs.core.models import Job, Page
from jobs.queue.settlement import Failure, fail_page, finish_page
from jobs.submission.retries import retry_job
from tenants.authentication.selectors import identify_key
from tenants.billing.ledger.errors import InsufficientFunds
from tenants.billing.ledger.reconciling import compare_ledger
from tenants.billing.ledger.subscriptions import subscribe
from tenants.billing.usage.models import UsageRecord
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.onboarding.create_tenant import CreatedTenant
from tests.jobs.conftest import DONE, Desk
from tests.tenants.billing.ledger.conftest import Purse
from tests.tenants.plans.selling import make_plan, price

RUN = 1500
FLAGGED = WorkOutput({"text": "read", "needs_review": True}, DONE.units)


@pytest.fixture
def priced(make_version: Callable[..., ModelVersion], desk: Desk) -> Callable[[int | None], Desk]:
    def make(review_price_micros: int | None) -> Desk:
        set_price(desk.version, review_price_micros)
        return desk

    return make


def set_price(version: ModelVersion, review_price_micros: int | None) -> None:
    with operator_work():
        ServedModel.objects.filter(id=version.served_model_id).update(review_price_micros=review_price_micros)


def finish_flagged(desk: Desk, page: Page) -> None:
    finish_page(desk.claimed(page), FLAGGED)


def uses(desk: Desk, job: Job) -> list[tuple[int, int, int]]:
    """Return quantity, amount and price of each use, by page."""
    found = []
    for page in desk.pages(job):
        with unit_of_work(desk.identity.tenant_id):
            records = UsageRecord.objects.filter(source_id=page.id)
            found += [(one.quantity, one.amount_micros, one.price["amount_micros"]) for one in records]
    return found


def differing(desk: Desk) -> set[str]:
    found = [*compare_ledger(), *compare_jobs()]
    return {one.compared for one in found if one.tenant_id == desk.identity.tenant_id}


@pytest.mark.parametrize("review", [0, 300, 2500])
def test_a_page_that_needs_review_costs_its_own_price_and_leaves_one_record(
    priced: Callable[[int | None], Desk], review: int
) -> None:
    desk = priced(review)
    job = desk.submit(pages=2)
    first, second = desk.pages(job)
    finish_flagged(desk, first)
    desk.finish(second)
    assert uses(desk, job) == [(1, review, review), (1, RUN, RUN)]
    assert [page.cost_micros for page in desk.pages(job)] == [review, RUN]
    assert desk.again(job).cost_micros == review + RUN


def test_without_a_price_of_its_own_it_costs_what_any_page_costs(desk: Desk) -> None:
    job = desk.submit()
    finish_flagged(desk, desk.pages(job)[0])
    assert (job.review_price, uses(desk, job)) == (None, [(1, RUN, RUN)])


@pytest.mark.parametrize("review", [0, 300, 2500])
def test_the_ledger_is_exact_whatever_pages_need_review(priced: Callable[[int | None], Desk], review: int) -> None:
    desk = priced(review)
    purse = Purse(desk.identity.tenant_id)
    purse.prepaid(10_000)
    job = desk.submit(pages=3)
    held = 3 * max(RUN, review)
    assert purse.stands() == (10_000 - held, held)
    first, second, third = desk.pages(job)
    finish_flagged(desk, first)
    desk.finish(second)
    assert differing(desk) == set()
    finish_flagged(desk, third)
    assert purse.stands() == (10_000 - RUN - 2 * review, 0)
    assert differing(desk) == set()


def test_a_job_is_refused_if_its_pages_could_not_be_paid_should_they_need_review(
    priced: Callable[[int | None], Desk],
) -> None:
    desk = priced(2500)
    Purse(desk.identity.tenant_id).prepaid(2400)
    with pytest.raises(InsufficientFunds):
        desk.submit()


def test_the_price_is_that_of_the_time_when_the_job_was_accepted(priced: Callable[[int | None], Desk]) -> None:
    desk = priced(300)
    job = desk.submit()
    set_price(desk.version, 0)
    finish_flagged(desk, desk.pages(job)[0])
    assert uses(desk, job) == [(1, 300, 300)]


def test_a_retry_keeps_the_price(priced: Callable[[int | None], Desk]) -> None:
    desk = priced(300)
    job = desk.submit()
    fail_page(desk.claimed(desk.pages(job)[0]), Failure("model_run_failed", "no"), may_retry=False)
    set_price(desk.version, 0)
    again = retry_job(identity=desk.identity, job_id=job.id)
    finish_flagged(desk, desk.pages(again)[0])
    assert uses(desk, again) == [(1, 300, 300)]


@pytest.mark.parametrize(("of_plan", "paid"), [(70, 70), (None, 700)])
def test_the_price_of_a_plan_goes_before_that_of_the_model(
    tenant: CreatedTenant, version: ModelVersion, of_plan: int | None, paid: int
) -> None:
    set_price(version, 5)
    plan = make_plan()
    price(plan, 700, review_micros=of_plan)
    subscribe(tenant_id=tenant.tenant.id, plan=plan)
    desk = Desk(identify_key(tenant.key.text), version)
    job = desk.submit()
    finish_flagged(desk, desk.pages(job)[0])
    assert uses(desk, job) == [(1, paid, paid)]
