"""Tests that invoices are charged to saved cards: once each, refusals on a schedule, and unanswered ones looked up."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from django.core import mail
from pytest_django import Settings

from tenants.accounts.models import Tenant
from tenants.billing.payments.bookkeeping import record_transfer
from tenants.billing.payments.charging import collect_invoices, notify_of_refused_cards
from tenants.billing.payments.models import Payment, ProviderCustomer
from tenants.billing.payments.protocol import next_try
from tenants.billing.payments.refunds import ask_refund
from tenants.billing.payments.upkeep import look_after_payments
from tenants.core.db.unit_of_work import operator_work
from tests.stand_in_stripe import StandIn

from .conftest import (
    EURO,
    Payer,
    all_at_once,
    decide,
    differences_of,
    dispute_of,
    fresh,
    grow_older,
    open_of,
    tell,
)

INTENTS = "/v1/payment_intents"


def payments_of(payer: Payer) -> list[Payment]:
    with operator_work():
        return list(Payment.objects.filter(tenant_id=payer.tenant_id).order_by("created_at"))


def test_an_invoice_is_taken_from_the_saved_card_once(payer: Payer, stand_in: StandIn) -> None:
    payer.has_card(stand_in)
    invoice = payer.invoice(100)
    all_at_once(collect_invoices, 4)
    (payment,) = payments_of(payer)
    assert (payment.status, payment.automatic, open_of(invoice)) == ("succeeded", True, 0)
    (asked,) = stand_in.account.asked(INTENTS)
    assert (asked["amount"], asked["off_session"], asked["confirm"]) == ("10000", "true", "true")
    tell("payment_intent.succeeded", stand_in.intent(payment.provider_id))
    assert payer.account("payments") == -100 * EURO
    assert differences_of(payer) == []


def test_nothing_is_taken_while_somebody_is_on_the_page(payer: Payer, stand_in: StandIn) -> None:
    payer.has_card(stand_in)
    page = payer.pays(payer.invoice(100))
    collect_invoices()
    assert [one.id for one in payments_of(payer)] == [page.id]


def test_a_refused_card_is_tried_again_on_its_days_and_then_no_more(payer: Payer, stand_in: StandIn) -> None:
    payer.has_card(stand_in, "pm_declined")
    invoice = payer.invoice(100)
    for tries in (1, 2, 3, 4, 5):
        collect_invoices()
        assert [one.status for one in payments_of(payer)] == ["failed"] * tries
        collect_invoices()
        assert len(payments_of(payer)) == tries, "not before its day"
        for one in payments_of(payer):
            grow_older(one, "2 days 1 minute" if tries > 1 else "1 day 1 minute")
    collect_invoices()
    assert len(payments_of(payer)) == 5
    assert payments_of(payer)[0].failure == "insufficient_funds"
    assert (open_of(invoice), payer.account("payments")) == (100, 0)


def test_days_of_the_schedule() -> None:
    first = datetime(2026, 3, 1, tzinfo=UTC)
    assert [(due - first).days if (due := next_try([first] * times)) else None for times in (1, 2, 3, 4, 5)] == [
        1,
        3,
        5,
        7,
        None,
    ]
    assert next_try([]) is not None


@pytest.mark.parametrize("trouble", ["500", "before", "after"])
def test_a_charge_whose_answer_never_came_is_not_made_twice(payer: Payer, stand_in: StandIn, trouble: str) -> None:
    payer.has_card(stand_in)
    invoice = payer.invoice(100)
    stand_in.account.troubles = [trouble, trouble]
    collect_invoices()
    collect_invoices()
    (payment,) = payments_of(payer)
    assert payment.status == "pending"
    grow_older(payment, "6 minutes")
    look_after_payments()
    assert fresh(payment).status == "succeeded"
    assert len(stand_in.account.intents) == 1
    assert open_of(invoice) == 0


def _paid_in_part(payer: Payer) -> None:
    with operator_work():
        invoice = Payment.objects.get(tenant_id=payer.tenant_id).invoice
    assert invoice is not None
    record_transfer(
        tenant_id=payer.tenant_id,
        currency="EUR",
        amount_micros=EURO,
        note="",
        made_by="op",
        invoice_id=invoice.id,
    )


def _card(**changed: object) -> Callable[[Payer], None]:
    def change(payer: Payer) -> None:
        with operator_work():
            ProviderCustomer.objects.filter(tenant_id=payer.tenant_id).update(**changed)

    return change


def _suspended(payer: Payer) -> None:
    with operator_work():
        Tenant.objects.filter(id=payer.tenant_id).update(state="suspended")


def _a_day_older(payer: Payer) -> None:
    for payment in payments_of(payer):
        grow_older(payment, "25 hours")


@pytest.mark.parametrize(
    "meanwhile",
    [
        _paid_in_part,
        _card(pays_invoices=False),
        _card(method_id="pm_another"),
        _card(method_id=""),
        _suspended,
        _a_day_older,
    ],
    ids=["paid in part", "switched off", "another card", "no card", "suspended", "a day older"],
)
def test_a_charge_that_is_too_old_or_not_wanted_any_more_is_given_up_and_not_sent_again(
    payer: Payer, stand_in: StandIn, meanwhile: Callable[[Payer], None]
) -> None:
    payer.has_card(stand_in)
    payer.invoice(100)
    stand_in.account.troubles = ["before", "before"]
    collect_invoices()
    (payment,) = payments_of(payer)
    meanwhile(payer)
    grow_older(payment, "6 minutes")
    asked = len(stand_in.account.asked(INTENTS))
    look_after_payments()
    assert (fresh(payment).status, len(stand_in.account.asked(INTENTS))) == ("canceled", asked)


def test_a_charge_that_was_done_is_taken_down_though_it_is_not_wanted_any_more(payer: Payer, stand_in: StandIn) -> None:
    payer.has_card(stand_in)
    invoice = payer.invoice(100)
    stand_in.account.troubles = ["after", "after"]
    collect_invoices()
    (payment,) = payments_of(payer)
    _card(pays_invoices=False)(payer)
    grow_older(payment, "6 minutes")
    look_after_payments()
    assert (fresh(payment).status, open_of(invoice)) == ("succeeded", 0)


@pytest.mark.parametrize("before", [_card(pays_invoices=False), _suspended], ids=["switched off", "suspended"])
def test_nothing_is_taken_unless_the_card_is_to_pay(
    payer: Payer, stand_in: StandIn, before: Callable[[Payer], None]
) -> None:
    payer.has_card(stand_in)
    payer.invoice(100)
    before(payer)
    collect_invoices()
    assert payments_of(payer) == []


def test_who_pays_is_mailed_once_for_each_refusal(
    payer: Payer, stand_in: StandIn, settings: Settings, tenant: object
) -> None:
    settings.MAAS_EMAIL_URL = "console:"
    payer.has_card(stand_in, "pm_declined")
    invoice = payer.invoice(100)
    collect_invoices()
    for _ in range(2):
        notify_of_refused_cards()
    sent = [one for one in mail.outbox if invoice.number in one.subject]
    assert [one.to for one in sent] == [[tenant.owner.email]]  # type: ignore[attr-defined]
    assert "insufficient_funds" in sent[0].body


@pytest.mark.parametrize(("status", "times"), [("lost", 1), ("won", 2)])
def test_what_is_disputed_is_not_taken_again_until_that_is_won(
    payer: Payer, stand_in: StandIn, status: str, times: int
) -> None:
    payer.has_card(stand_in)
    invoice = payer.invoice(100)
    collect_invoices()
    (payment,) = payments_of(payer)
    if status == "won":
        ask_refund(decide(payment, 40, owed_again=True).id)
        assert open_of(invoice) == 40
    tell("charge.dispute.closed", dispute_of(payment, status=status))
    collect_invoices()
    assert len(payments_of(payer)) == times
