"""Tests of the units that a plan includes, as concurrent jobs of a prepaid account use them, and never more than there
are.
"""

import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta

import pytest
from django.db import connections

from inference.core.contracts import Units, WorkOutput
from inference.registry.models import ModelVersion
from jobs.charges.reconciling import compare_jobs, settle_stranded_jobs
from jobs.core.errors import JobFinished
from jobs.core.models import Job
from jobs.queue.settlement import Failure, fail_page, finish_page
from jobs.submission.cancellations import cancel_job
from jobs.submission.idempotent_submission import submit_once
from jobs.submission.services import JobRequest
from tenants.authentication.selectors import identify_key
from tenants.billing.invoices.models import Seller
from tenants.billing.invoices.services import preview_month
from tenants.billing.ledger.errors import InsufficientFunds, PaymentRequired
from tenants.billing.ledger.included_models import IncludedHold, IncludedPool, IncludedUse
from tenants.billing.ledger.reconciling import compare_ledger
from tenants.billing.ledger.selectors import standing_of
from tenants.billing.ledger.subscriptions import subscribe
from tenants.billing.metering.events import MeterEvent
from tenants.billing.metering.services import record_events
from tenants.billing.usage.models import UsageRecord
from tenants.core.db.unit_of_work import OPERATOR, operator_work, unit_of_work
from tenants.core.ids import uuid7
from tenants.onboarding.create_tenant import CreatedTenant
from tenants.plans.models import Plan
from tenants.plans.prices import Price
from tests.jobs.conftest import Desk
from tests.tenants.billing.invoices.conftest import this_month
from tests.tenants.billing.ledger.conftest import Purse
from tests.tenants.plans.selling import include, make_plan, price

CALL = 1500
FAILURE = Failure("model_output_invalid", "It is no good.")


def has_plan(desk: Desk, units: int) -> Plan:
    plan = make_plan()
    include(plan, units, model=desk.version.served_model.name)
    with operator_work():
        subscribe(tenant_id=desk.identity.tenant_id, plan=plan)
    return plan


@pytest.fixture
def purse(desk: Desk) -> Purse:
    purse = Purse(desk.identity.tenant_id)
    purse.prepaid()
    return purse


def pool(desk: Desk) -> tuple[int, int, int]:
    with unit_of_work(desk.identity.tenant_id):
        found = IncludedPool.objects.get()
    return found.granted, found.used, found.held


def differing(desk: Desk) -> set[str]:
    found = [*compare_ledger(), *compare_jobs()]
    return {one.compared for one in found if one.tenant_id == desk.identity.tenant_id}


def test_with_no_balance_a_job_is_done_out_of_what_the_plan_includes(desk: Desk, purse: Purse) -> None:
    has_plan(desk, 3)
    job = desk.submit(pages=3)
    assert pool(desk) == (3, 0, 3)
    assert differing(desk) == set()
    for page in desk.pages(job):
        desk.finish(page)
    assert pool(desk) == (3, 3, 0)
    assert purse.stands() == (0, 0)
    assert desk.again(job).cost_micros == 3 * CALL
    with pytest.raises(InsufficientFunds):
        desk.submit()
    assert differing(desk) == set()


def test_what_is_not_included_is_money_and_what_is_not_done_goes_back(desk: Desk, purse: Purse) -> None:
    has_plan(desk, 2)
    purse.grant(10 * CALL)
    job = desk.submit(pages=5)
    assert (pool(desk), purse.stands()) == ((2, 0, 2), (7 * CALL, 3 * CALL))
    first, second, third, *_ = desk.pages(job)
    for page in (first, second, third):
        desk.finish(page)
    cancel_job(identity=desk.identity, job_id=job.id)
    assert (pool(desk), purse.stands()) == ((2, 2, 0), (9 * CALL, 0))
    assert differing(desk) == set()


def test_units_that_were_held_and_units_that_are_free_of_one_pool_are_one_use(desk: Desk, purse: Purse) -> None:
    has_plan(desk, 4)
    purse.grant(10 * CALL)
    other, job = desk.submit(pages=2), desk.submit(pages=4)
    assert (pool(desk), purse.stands()) == ((4, 0, 4), (8 * CALL, 2 * CALL))
    cancel_job(identity=desk.identity, job_id=other.id)
    for page in desk.pages(job):
        desk.finish(page)
    assert (pool(desk), purse.stands()) == ((4, 4, 0), (10 * CALL, 0))
    with unit_of_work(desk.identity.tenant_id):
        assert [use.quantity for use in IncludedUse.objects.all()] == [4]
    assert differing(desk) == set()


def test_units_of_a_month_are_not_for_pages_of_the_next(desk: Desk, purse: Purse) -> None:
    has_plan(desk, 2)
    job = desk.submit(pages=2)
    with operator_work():
        held = IncludedPool.objects.filter(tenant_id=desk.identity.tenant_id)
        held.update(since=held.get().since - timedelta(days=40))
    for page in desk.pages(job):
        desk.finish(page)
    with unit_of_work(desk.identity.tenant_id):
        pools = IncludedPool.objects.order_by("since")
        assert [(one.used, one.held) for one in pools] == [(0, 0), (2, 0)]
    assert purse.stands() == (0, 0)


def test_units_that_a_process_of_before_left_held_are_let_go(desk: Desk, purse: Purse) -> None:
    has_plan(desk, 2)
    purse.grant(10 * CALL)
    job = desk.submit(pages=2)
    with operator_work():
        Job.objects.filter(id=job.id).update(state="canceled", held_micros=None)
    assert differing(desk) == {"job_units"}
    settle_stranded_jobs()
    assert pool(desk) == (2, 0, 0)
    assert differing(desk) == set()


def test_a_job_that_failed_uses_no_unit(desk: Desk, purse: Purse) -> None:
    has_plan(desk, 1)
    job = desk.submit()
    fail_page(desk.claimed(desk.pages(job)[0]), FAILURE, may_retry=False)
    assert (pool(desk), purse.stands()) == ((1, 0, 0), (0, 0))
    with unit_of_work(desk.identity.tenant_id):
        assert not IncludedHold.objects.exists()


def test_of_twenty_jobs_at_once_on_what_is_included_for_one_one_is_accepted(desk: Desk, purse: Purse) -> None:
    has_plan(desk, 1)

    def submit(number: int) -> int:
        request = JobRequest(model=desk.version.served_model.name, input={"text": "hello"})
        try:
            return submit_once(identity=desk.identity, request=request, key=f"key {number}").status
        except PaymentRequired:
            return 402
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as threads:
        assert sorted(threads.map(submit, range(20))) == [202] + 19 * [402]
    assert (pool(desk), purse.stands()) == ((1, 0, 1), (0, 0))


def test_an_invoiced_account_is_charged_as_before(desk: Desk) -> None:
    has_plan(desk, 5)
    purse = Purse(desk.identity.tenant_id)
    job = desk.submit()
    desk.finish(desk.pages(job)[0])
    assert purse.stands() == (-CALL, 0)
    with unit_of_work(desk.identity.tenant_id):
        assert not IncludedPool.objects.exists()


def test_what_was_used_stays_used_when_the_plan_goes(desk: Desk, purse: Purse) -> None:
    has_plan(desk, 3)
    for page in desk.pages(desk.submit(pages=3)):
        desk.finish(page)
    with operator_work():
        subscribe(tenant_id=desk.identity.tenant_id, plan=None)
    with pytest.raises(InsufficientFunds):
        desk.submit()
    assert billed(desk) == (3, 3, 0)


def billed(desk: Desk) -> tuple[int, int, int]:
    """Return the quantity, the included part of it, and the cost of the rest, as the month would be billed now."""
    with operator_work():
        Seller.objects.update_or_create(
            only=True,
            defaults={"name": "S", "address": "A", "country": "GB", "bills_from": this_month().first},
        )
    try:
        drafts = preview_month(desk.identity.tenant_id, this_month())
    finally:
        with operator_work():
            Seller.objects.all().delete()
    lines = [line for draft in drafts for line in draft.lines if line.item.kind == "usage"]
    return (
        sum(line.amount.quantity for line in lines),
        sum(line.amount.included for line in lines),
        sum(line.amount.exact_micros for line in lines),
    )


def test_calls_use_what_is_free_and_are_charged_for_the_rest(desk: Desk, purse: Purse) -> None:
    has_plan(desk, 5)
    purse.grant(10 * CALL)
    desk.submit(pages=2)
    event = MeterEvent(
        id=uuid7(),
        tenant_id=desk.identity.tenant_id,
        source_kind="call",
        model=desk.version.served_model.name,
        version=1,
        quantity=4,
        price=Price("call", CALL, 1, "EUR"),
        livemode=True,
        at_ms=int(time.time() * 1000),
    )
    for _ in range(2):
        record_events(tenant_id=desk.identity.tenant_id, events=[event])
    assert (pool(desk), purse.stands()) == ((5, 3, 2), (9 * CALL, 0))
    assert differing(desk) == set()


def test_what_is_left_is_told_while_work_is_under_way(desk: Desk, purse: Purse) -> None:
    has_plan(desk, 5)
    desk.submit(pages=2)
    with unit_of_work(desk.identity.tenant_id):
        (left,) = standing_of(desk.identity.tenant_id).left
    assert left.quantity == 3


@pytest.mark.parametrize(
    ("compared", "statement"),
    [
        ("included_used", "UPDATE tenants_includedpool SET used = used + 1 WHERE tenant_id = %s"),
        ("included_held", "UPDATE tenants_includedpool SET held = held + 1 WHERE tenant_id = %s"),
        ("job_units", "UPDATE jobs_job SET held_micros = NULL WHERE tenant_id = %s"),
    ],
)
def test_what_is_falsified_is_found(desk: Desk, purse: Purse, compared: str, statement: str) -> None:
    has_plan(desk, 9)
    desk.submit()
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(statement, [desk.identity.tenant_id])
    assert differing(desk) == {compared}


@pytest.mark.parametrize("seed", range(4))
def test_whatever_jobs_do_units_and_money_come_to_what_was_used(desk: Desk, purse: Purse, seed: int) -> None:
    chance = random.Random(seed)
    included, funds = chance.randint(0, 12), chance.randint(0, 12)
    has_plan(desk, included)
    if funds:
        purse.grant(funds * CALL)
    jobs: list[Job] = []
    for _ in range(30):
        action = chance.random()
        if action < 0.5:
            with suppress(InsufficientFunds):
                jobs.append(desk.submit(pages=chance.randint(1, 4)))
        elif jobs:
            _go_on(desk, chance, jobs)
        available, held = purse.stands()
        assert available >= 0 <= held
    for job in jobs:
        with suppress(JobFinished):
            cancel_job(identity=desk.identity, job_id=job.id)
    with unit_of_work(desk.identity.tenant_id):
        used = sum(UsageRecord.objects.values_list("quantity", flat=True))
        taken = sum(IncludedUse.objects.values_list("quantity", flat=True))
    charged = purse.account("revenue")
    assert purse.account("uncollected") == 0
    assert taken <= included
    assert taken * CALL + charged == used * CALL
    assert purse.stands() == (funds * CALL - charged, 0)
    assert differing(desk) == set()
    quantity, covered, to_pay = billed(desk)
    assert (quantity, to_pay) == (used, (used - covered) * CALL)
    assert covered == min(used, included)


def _go_on(desk: Desk, chance: random.Random, jobs: list[Job]) -> None:
    job = chance.choice(jobs)
    waiting = [page for page in desk.pages(job) if page.state == "queued"]
    if not waiting or chance.random() < 0.15:
        with suppress(JobFinished):
            cancel_job(identity=desk.identity, job_id=job.id)
        jobs.remove(job)
    elif chance.random() < 0.3:
        fail_page(desk.claimed(waiting[0]), FAILURE, may_retry=False)
    else:
        desk.finish(waiting[0])


def test_a_plans_seconds_are_used_up_before_its_price_for_them_is_paid(
    tenant: CreatedTenant, make_version: Callable[..., ModelVersion]
) -> None:
    """A second costs 0.002, and 15 seconds are included. A page holds 10 seconds, which is also the most that is
    charged.
    """
    plan = make_plan()
    price(plan, 2_000, meter="gpu_second", per=1_000)
    include(plan, 15_000, meter="gpu_second")
    subscribe(tenant_id=tenant.tenant.id, plan=plan)
    desk = Desk(identify_key(tenant.key.text), make_version(meter="gpu_second"))
    purse = Purse(tenant.tenant.id)
    purse.prepaid(100_000)
    first = desk.submit()
    assert (pool(desk), purse.stands()) == ((15_000, 0, 10_000), (100_000, 0))
    finish_page(desk.claimed(desk.pages(first)[0]), WorkOutput({"text": "x"}, Units(device_us=12_500_000)))
    assert (pool(desk), purse.stands()) == ((15_000, 10_000, 0), (100_000, 0))
    second = desk.submit()
    assert (pool(desk), purse.stands()) == ((15_000, 10_000, 5_000), (90_000, 10_000))
    finish_page(desk.claimed(desk.pages(second)[0]), WorkOutput({"text": "x"}, Units(device_us=7_000_000)))
    assert (pool(desk), purse.stands()) == ((15_000, 15_000, 0), (96_000, 0))
    with unit_of_work(tenant.tenant.id):
        uses = UsageRecord.objects.order_by("id").values_list("meter", "quantity", "amount_micros")
        assert list(uses) == [("gpu_second", 10_000, 20_000), ("gpu_second", 7_000, 14_000)]
    assert differing(desk) == set()
