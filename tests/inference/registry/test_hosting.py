"""Tests of when a worker pays the hours of a model of an account, and when the model must leave its memory."""

from concurrent.futures import ThreadPoolExecutor
from uuid import UUID, uuid4

import pytest
from django.db import OperationalError

from inference.core.errors import ModelFailed
from inference.registry.hosting import LEAVES_AFTER_S, OUTAGE_KEPT_S, PRICE_KEPT_S, REFUSAL_KEPT_S, HostedHours
from tenants.billing.hosting.services import HostedHour
from tenants.billing.ledger.errors import insufficient_funds

OWNER = uuid4()
KEY = f"classifier.{OWNER.hex}@3"


class Account:
    """An account that says how it pays, and counts how often it is asked."""

    def __init__(self) -> None:
        self.now_s = 1000.0
        self.hour = HostedHour(is_charged=True, left_s=600.0)
        self.error: Exception | None = None
        self.asked: list[tuple[UUID, str, int]] = []
        self.hours = HostedHours(self.pay, lambda: self.now_s)

    def pay(self, *, tenant_id: UUID, model: str, version: int) -> HostedHour:
        self.asked.append((tenant_id, model, version))
        if self.error is not None:
            raise self.error
        return self.hour


@pytest.fixture
def account() -> Account:
    return Account()


def test_an_hour_is_paid_before_the_first_call_and_asked_for_once(account: Account) -> None:
    assert not account.hours.is_paid(KEY)
    with ThreadPoolExecutor(8) as callers:
        list(callers.map(account.hours.pay, [KEY] * 32))
    assert account.hours.is_paid(KEY)
    assert account.asked == [(OWNER, "classifier", 3)]
    account.now_s += 600
    assert not account.hours.is_paid(KEY)
    account.hours.pay(KEY)
    assert len(account.asked) == 2


def test_without_money_callers_are_refused_until_there_is_some(account: Account) -> None:
    account.error = insufficient_funds(currency="EUR", needed_micros=5, spendable_micros=4)
    for _ in range(3):
        with pytest.raises(ModelFailed) as refusal:
            account.hours.pay(KEY)
        assert refusal.value.code == "insufficient_funds"
    assert len(account.asked) == 1
    assert not account.hours.is_paid(KEY)
    account.error = None
    account.now_s += REFUSAL_KEPT_S
    account.hours.pay(KEY)
    assert account.hours.is_paid(KEY)


def test_a_version_without_a_price_stays_and_is_looked_up_again(account: Account) -> None:
    account.hour = HostedHour(is_charged=False, left_s=3000)
    account.hours.pay(KEY)
    account.now_s += PRICE_KEPT_S
    assert not account.hours.is_paid(KEY)
    account.now_s += 10 * LEAVES_AFTER_S
    assert list(account.hours.unpaid()) == []


def test_while_the_database_is_away_nobody_is_refused_and_the_hour_is_asked_for_again(account: Account) -> None:
    account.error = OperationalError("away")
    account.hours.pay(KEY)
    assert account.hours.is_paid(KEY)
    account.now_s += OUTAGE_KEPT_S
    account.error = None
    account.hours.pay(KEY)
    assert len(account.asked) == 2


def test_a_version_that_nobody_calls_leaves_some_minutes_after_its_paid_hour(account: Account) -> None:
    account.hours.pay(KEY)
    account.now_s += 600 + LEAVES_AFTER_S - 1
    assert list(account.hours.unpaid()) == []
    account.now_s += 1
    assert list(account.hours.unpaid()) == [KEY]
    assert list(account.hours.unpaid()) == []


def test_models_of_the_installation_cost_nothing_in_memory(account: Account) -> None:
    account.hours.pay("adder@1")
    assert account.hours.is_paid("adder@1")
    assert account.asked == []
