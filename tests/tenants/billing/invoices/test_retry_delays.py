"""Tests of when a month that could not be billed is tried again."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from structlog.testing import capture_logs

from tenants.billing.invoices.models import ClosedMonth
from tenants.billing.invoices.run import LONGEST, RetryDelays, bill_ended_months, pause_after
from tenants.billing.usage.models import UsageRecord
from tenants.core.db.unit_of_work import operator_work

from .conftest import Customer

NOW = datetime(2026, 6, 1, tzinfo=UTC)
ONE, OTHER = UUID(int=1), UUID(int=2)


def test_each_failure_doubles_the_pause_up_to_a_day() -> None:
    minutes = [pause_after(times) // timedelta(minutes=1) for times in (1, 2, 3, 8)]
    assert minutes == [10, 20, 40, 1280]
    assert pause_after(9) == pause_after(10_000) == LONGEST


def test_who_failed_waits_and_nobody_else_until_it_succeeds() -> None:
    patience = RetryDelays()
    for _ in range(2):
        patience.fail(ONE, NOW)
    assert [patience.waits(one, NOW + timedelta(minutes=19)) for one in (ONE, OTHER)] == [True, False]
    assert not patience.waits(ONE, NOW + timedelta(minutes=20))
    patience.succeed(ONE)
    patience.fail(ONE, NOW)
    assert not patience.waits(ONE, NOW + timedelta(minutes=10))


def test_one_that_fails_is_not_tried_again_at_once(
    customer: Customer, other_customer: Customer, settings: Any
) -> None:
    settings.MAAS_INVOICE_AFTER_H = 0
    patience = RetryDelays()
    customer.uses(1_000, customer.before.first)
    with operator_work():
        UsageRecord.objects.filter(tenant_id=customer.tenant_id).update(price={"meter": "weight"})
    with capture_logs() as logs:
        for _ in range(3):
            bill_ended_months(patience)
    told = [one for one in logs if one.get("tenant_id") == str(customer.tenant_id)]
    assert [one["event"] for one in told] == ["month_not_billed"]
    with operator_work():
        assert ClosedMonth.objects.filter(tenant_id=other_customer.tenant_id).count() == 2


@pytest.fixture(autouse=True)
def _sold(seller: object) -> None:
    """Have a seller in each test."""
