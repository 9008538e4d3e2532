"""Tests of the hours of models in memory: each is charged once, and none beyond the money that there is."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from django.db import connections, transaction

from tenants.accounts.models import Tenant
from tenants.billing.hosting.services import HOSTING, HostedHour, pay_hour
from tenants.billing.invoices.issuing import text_of
from tenants.billing.invoices.models import Seller
from tenants.billing.invoices.services import preview_month
from tenants.billing.ledger.checks import Compared
from tenants.billing.ledger.errors import BudgetExhausted, InsufficientFunds
from tenants.billing.ledger.models import Wallet
from tenants.billing.ledger.reconciling import compare_ledger
from tenants.billing.ledger.subscriptions import subscribe
from tenants.billing.usage.models import UsageRecord
from tenants.core.db.unit_of_work import APP, operator_work, unit_of_work
from tenants.onboarding.create_tenant import CreatedTenant
from tenants.plans.models import Plan
from tests.tenants.billing.invoices.conftest import this_month
from tests.tenants.billing.ledger.conftest import Purse, purse
from tests.tenants.plans.selling import include, make_plan, own_price, price

__all__ = ["purse"]
HOUR = 50_000
"""The price of an hour in millionths of a euro."""


@pytest.fixture
def plan(tenant: CreatedTenant) -> Plan:
    plan = make_plan()
    price(plan, HOUR, meter="model_hour")
    with operator_work():
        subscribe(tenant_id=tenant.tenant.id, plan=plan)
    return plan


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 11, 12, 13, 14, 15, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("tenants.billing.hosting.services.database_now", clock)
    return clock


def paid(tenant_id: UUID, model: str = "own", version: int = 1) -> HostedHour:
    return pay_hour(tenant_id=tenant_id, model=model, version=version)


def records(tenant_id: UUID) -> list[tuple[str, int, int, int]]:
    with unit_of_work(tenant_id):
        found = UsageRecord.objects.filter(source_kind=HOSTING).order_by("created_at", "version")
        return [(one.model, one.version, one.quantity, one.amount_micros) for one in found]


def differing(tenant_id: UUID) -> list[Compared]:
    return [one for one in compare_ledger() if one.tenant_id == tenant_id]


@pytest.mark.usefixtures("plan")
def test_an_hour_is_charged_once_however_many_workers_report_it_at_once(purse: Purse) -> None:
    def report(_: int) -> HostedHour:
        try:
            return paid(purse.tenant_id)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as workers:
        hours = list(workers.map(report, range(24)))
    assert all(hour.is_charged and 0 < hour.left_s <= 3600 for hour in hours)
    assert records(purse.tenant_id) == [("own", 1, 1, HOUR)]
    assert purse.account("revenue") == HOUR
    assert differing(purse.tenant_id) == []


@pytest.mark.usefixtures("plan")
def test_another_version_and_the_next_hour_are_charged_as_well(purse: Purse, clock: Clock) -> None:
    assert paid(purse.tenant_id).left_s == 45 * 60 + 45
    paid(purse.tenant_id, version=2)
    clock.now += timedelta(minutes=45, seconds=44)
    paid(purse.tenant_id)
    clock.now += timedelta(seconds=1)
    paid(purse.tenant_id)
    assert records(purse.tenant_id) == [("own", 1, 1, HOUR), ("own", 2, 1, HOUR), ("own", 1, 1, HOUR)]
    assert purse.account("revenue") == 3 * HOUR


def test_without_a_price_nothing_is_recorded_and_a_price_of_nothing_is(purse: Purse) -> None:
    assert not paid(purse.tenant_id).is_charged
    assert records(purse.tenant_id) == []
    own_price(purse.tenant_id, 0, meter="model_hour")
    assert paid(purse.tenant_id).is_charged
    assert records(purse.tenant_id) == [("own", 1, 1, 0)]
    assert purse.kinds() == []


def test_a_price_that_changes_within_an_hour_counts_from_the_next(purse: Purse, plan: Plan, clock: Clock) -> None:
    paid(purse.tenant_id)
    price(plan, 2 * HOUR, meter="model_hour")
    paid(purse.tenant_id)
    assert records(purse.tenant_id) == [("own", 1, 1, HOUR)]
    clock.now += timedelta(hours=1)
    paid(purse.tenant_id)
    price(plan, None, meter="model_hour")
    clock.now += timedelta(hours=1)
    assert not paid(purse.tenant_id).is_charged
    assert [amount for *_, amount in records(purse.tenant_id)] == [HOUR, 2 * HOUR]


@pytest.mark.usefixtures("plan")
def test_a_plan_that_another_follows_within_an_hour_charges_no_second_time(purse: Purse) -> None:
    paid(purse.tenant_id)
    other = make_plan()
    price(other, 3 * HOUR, meter="model_hour")
    with operator_work():
        subscribe(tenant_id=purse.tenant_id, plan=other)
    paid(purse.tenant_id)
    assert records(purse.tenant_id) == [("own", 1, 1, HOUR)]


@pytest.mark.usefixtures("plan")
def test_who_has_no_money_is_refused_and_nothing_is_recorded_until_there_is_some(purse: Purse) -> None:
    purse.prepaid(HOUR - 1)
    with pytest.raises(InsufficientFunds):
        paid(purse.tenant_id)
    assert records(purse.tenant_id) == []
    assert purse.stands() == (HOUR - 1, 0)
    purse.grant(1)
    paid(purse.tenant_id)
    paid(purse.tenant_id)
    assert purse.stands() == (0, 0)
    assert differing(purse.tenant_id) == []


@pytest.mark.usefixtures("plan")
def test_of_many_versions_at_once_as_many_are_paid_as_there_is_money_for(purse: Purse) -> None:
    purse.prepaid(3 * HOUR)

    def report(version: int) -> bool:
        try:
            return paid(purse.tenant_id, version=version).is_charged
        except InsufficientFunds:
            return False
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as workers:
        assert sum(workers.map(report, range(1, 11))) == 3
    assert purse.stands() == (0, 0)
    assert len(records(purse.tenant_id)) == 3


@pytest.mark.usefixtures("plan")
def test_a_budget_that_is_used_up_refuses_the_hour(purse: Purse) -> None:
    purse.budget(HOUR)
    paid(purse.tenant_id)
    with pytest.raises(BudgetExhausted):
        paid(purse.tenant_id, version=2)
    assert purse.of_budget() == (HOUR, 0)
    assert len(records(purse.tenant_id)) == 1


def test_included_hours_are_used_before_money(purse: Purse, plan: Plan) -> None:
    include(plan, 2, meter="model_hour")
    purse.prepaid(HOUR)
    for version in (1, 2, 3):
        paid(purse.tenant_id, version=version)
    with pytest.raises(InsufficientFunds):
        paid(purse.tenant_id, version=4)
    assert purse.stands() == (0, 0)
    assert differing(purse.tenant_id) == []


@pytest.mark.usefixtures("plan")
def test_the_months_invoice_has_a_line_with_the_hours_of_each_model(purse: Purse) -> None:
    for version in (1, 2):
        paid(purse.tenant_id, version=version)
    paid(purse.tenant_id, model="other")
    with operator_work():
        Seller.objects.update_or_create(
            only=True, defaults={"name": "S", "address": "A", "country": "GB", "bills_from": this_month().first}
        )
    try:
        (draft,) = preview_month(purse.tenant_id, this_month())
    finally:
        with operator_work():
            Seller.objects.all().delete()
    lines = [line for line in draft.lines if line.item.kind == "usage"]
    assert [(text_of(line, {}), line.amount.quantity, line.amount_micros) for line in lines] == [
        ("other, model hours", 1, HOUR),
        ("own, model hours", 2, 2 * HOUR),
    ]


@pytest.mark.usefixtures("plan")
def test_a_worker_that_dies_within_the_transaction_leaves_the_hour_to_be_charged_once(purse: Purse) -> None:
    class Died(Exception):
        pass

    def dies() -> None:
        with transaction.atomic(using=APP):
            paid(purse.tenant_id)
            raise Died

    with pytest.raises(Died):
        dies()
    assert records(purse.tenant_id) == []
    paid(purse.tenant_id)
    assert records(purse.tenant_id) == [("own", 1, 1, HOUR)]
    assert purse.account("revenue") == HOUR


@pytest.mark.usefixtures("plan")
def test_an_account_that_is_erased_pays_nothing_more(purse: Purse) -> None:
    with operator_work():
        Tenant.objects.filter(pk=purse.tenant_id).update(state=Tenant.State.ERASING)
    assert not paid(purse.tenant_id).is_charged
    with operator_work():
        assert not Wallet.objects.filter(tenant_id=purse.tenant_id).exists()
        assert not UsageRecord.objects.filter(tenant_id=purse.tenant_id).exists()
