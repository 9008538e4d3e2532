"""The duty that bills months that are over."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from prometheus_client import REGISTRY
from structlog.testing import capture_logs

from tenants.accounts.models import Tenant
from tenants.billing.invoices import run
from tenants.billing.invoices.errors import NotBillable
from tenants.billing.invoices.models import ClosedMonth, Invoice, Seller
from tenants.billing.invoices.run import LONGEST_DELAY, RetryDelays, bill_ended_months, pause_after
from tenants.billing.usage.models import UsageRecord
from tenants.core.db.unit_of_work import operator_work

from .conftest import Customer

NOW = datetime(2026, 6, 1, tzinfo=UTC)
ONE, OTHER = UUID(int=1), UUID(int=2)


@pytest.fixture(autouse=True)
def _at_any_hour(settings: Any, seller: Seller) -> None:
    """Have a seller, and the duty bill at any hour: the last month then ended long enough ago."""
    settings.MAAS_INVOICE_AFTER_H = 0


def billed(customer: Customer) -> list[Invoice]:
    with operator_work():
        return list(Invoice.objects.filter(tenant_id=customer.tenant_id).order_by("month"))


def test_every_month_that_is_over_is_billed_once(customer: Customer) -> None:
    customer.uses(1_000, customer.before.first)
    customer.uses(2_000, customer.last.first)
    customer.uses(4_000, customer.now.first)
    assert bill_ended_months() >= 2
    assert [one.net_micros for one in billed(customer)] == [1_500_000, 3_000_000]
    bill_ended_months()
    assert len(billed(customer)) == 2


def test_late_uses_are_waited_for(customer: Customer, settings: Any) -> None:
    customer.uses(1_000, customer.last.first)
    settings.MAAS_INVOICE_AFTER_H = 24 * 40
    bill_ended_months()
    assert billed(customer) == []


def test_without_a_seller_nobody_is_billed(customer: Customer) -> None:
    with operator_work():
        Seller.objects.all().delete()
    assert bill_ended_months() == 0


@pytest.mark.parametrize("at_once", [1, 1_000])
def test_one_that_cannot_be_billed_is_told_and_keeps_no_other_waiting(
    customer: Customer, other_customer: Customer, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(run, "AT_ONCE", at_once)
    poorer = min(customer, other_customer, key=lambda one: one.tenant_id)
    richer = other_customer if poorer is customer else customer
    for one in (poorer, richer):
        one.uses(1_000, one.before.first)
    with operator_work():
        # No version of the product has written a price like this.
        UsageRecord.objects.filter(tenant_id=poorer.tenant_id).update(price={"meter": "weight"})
    with capture_logs() as logs:
        bill_ended_months()
    assert len(billed(richer)) == 1
    assert billed(poorer) == []
    assert {log["event"] for log in logs if log.get("tenant_id") == str(poorer.tenant_id)} == {"month_not_billed"}


@pytest.mark.parametrize("ahead", [timedelta(days=1), timedelta(days=-1), timedelta(hours=2)])
def test_no_month_is_closed_while_clocks_disagree(customer: Customer, ahead: timedelta) -> None:
    """No month is closed, whichever of the two clocks is wrong. The next run with clocks that agree closes it."""
    customer.uses(1_000, customer.before.first)
    with capture_logs() as logs:
        assert bill_ended_months(clock=lambda: datetime.now(UTC) + ahead) == 0
    assert [(log["event"], log["log_level"]) for log in logs] == [("clock_skew_detected", "error")]
    assert billed(customer) == []
    difference_s = REGISTRY.get_sample_value("maas_clock_difference_seconds")
    assert difference_s is not None
    assert abs(difference_s - ahead.total_seconds()) < 600
    bill_ended_months()
    assert len(billed(customer)) == 1


def test_clocks_that_differ_a_little_keep_no_month_open(customer: Customer) -> None:
    customer.uses(1_000, customer.before.first)
    bill_ended_months(clock=lambda: datetime.now(UTC) + timedelta(minutes=50))
    assert len(billed(customer)) == 1


def test_when_a_tenant_began_is_said_by_the_database() -> None:
    """By a clock that is a day ahead, the first month would begin too late, and some usage never be billed."""
    began = Tenant._meta.get_field("created_at")
    assert (began.has_default(), began.has_db_default()) == (False, True)


def test_an_operator_closes_none_by_hand_either(customer: Customer, monkeypatch: pytest.MonkeyPatch) -> None:
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    monkeypatch.setattr("tenants.billing.invoices.services.process_time", lambda: tomorrow)
    with pytest.raises(NotBillable, match="The clocks differ"):
        customer.drawn(customer.before)
    assert customer.drawn(customer.before, closes=False) == []


def test_each_failure_doubles_the_pause_up_to_a_day() -> None:
    minutes = [pause_after(times) // timedelta(minutes=1) for times in (1, 2, 3, 8)]
    assert minutes == [10, 20, 40, 1280]
    assert pause_after(9) == pause_after(10_000) == LONGEST_DELAY


def test_who_failed_waits_and_nobody_else_until_it_succeeds() -> None:
    delays = RetryDelays()
    for _ in range(2):
        delays.fail(ONE, NOW)
    assert [delays.waits(one, NOW + timedelta(minutes=19)) for one in (ONE, OTHER)] == [True, False]
    assert not delays.waits(ONE, NOW + timedelta(minutes=20))
    delays.succeed(ONE)
    delays.fail(ONE, NOW)
    assert not delays.waits(ONE, NOW + timedelta(minutes=10))


def test_one_that_fails_is_not_tried_again_at_once(customer: Customer, other_customer: Customer) -> None:
    delays = RetryDelays()
    customer.uses(1_000, customer.before.first)
    with operator_work():
        UsageRecord.objects.filter(tenant_id=customer.tenant_id).update(price={"meter": "weight"})
    with capture_logs() as logs:
        for _ in range(3):
            bill_ended_months(delays)
    told = [one for one in logs if one.get("tenant_id") == str(customer.tenant_id)]
    assert [one["event"] for one in told] == ["month_not_billed"]
    with operator_work():
        assert ClosedMonth.objects.filter(tenant_id=other_customer.tenant_id).count() == 2
