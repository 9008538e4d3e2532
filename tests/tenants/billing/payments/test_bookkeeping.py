"""Tests that an operator books transfers, and books or clears what a provider reports differently, each once."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from tenants.accounts.services import create_operator
from tenants.audit.models import AuditEntry
from tenants.billing.ledger.errors import InvalidTerms
from tenants.billing.ledger.models import LedgerDifference
from tenants.billing.ledger.reconciling import keep_differences
from tenants.billing.payments import reconciling
from tenants.billing.payments.bookkeeping import (
    book_sent_back,
    book_told,
    cancel_announced,
    clear_told,
    record_announced,
    record_transfer,
)
from tenants.billing.payments.models import Payment, Refund
from tenants.billing.payments.protocol import NoSuchProvider, NotBookable
from tenants.billing.payments.reconciling import compare_payments, compare_provider
from tenants.billing.payments.refunds import ask_refund
from tenants.core.db.unit_of_work import operator_work
from tenants.core.ids import uuid7
from tenants.onboarding.create_tenant import CreatedTenant
from tests.fixtures import unique
from tests.stand_in_stripe import StandIn

from .conftest import EURO, Payer, all_at_once, decide, differences_of, fresh, open_of, paid, tell


def record(payment: Payment, euros: int) -> None:
    record_announced(payment_id=payment.id, amount_micros=euros * EURO, note="statement 7", made_by="op")


def transfer(payer: Payer, micros: int, **more: Any) -> Payment:
    given: dict[str, Any] = {"tenant_id": payer.tenant_id, "amount_micros": micros, **more}
    return record_transfer(**given, currency="EUR", note="", made_by="op")


@pytest.mark.parametrize(("came", "is_open", "credit"), [(100, 0, 0), (60, 40, 0), (130, 0, 30)])
def test_what_came_pays_the_invoice_as_far_as_it_goes(payer: Payer, came: int, is_open: int, credit: int) -> None:
    invoice = payer.invoice(100)
    payment = payer.pays(invoice, "offline")
    assert payment.reference == invoice.number
    for _ in range(2):
        record(payment, came)
    assert open_of(invoice) == is_open
    assert fresh(invoice).status == ("open" if is_open else "paid")
    assert payer.stands() == (credit * EURO, 0)
    assert (payer.account("payments"), payer.account("receivable")) == (-came * EURO, -is_open * EURO)
    assert differences_of(payer) == []


def test_the_rest_can_be_paid_later(payer: Payer) -> None:
    invoice = payer.invoice(100)
    record(payer.pays(invoice, "offline"), 60)
    rest = payer.pays(invoice, "offline")
    assert rest.amount_micros == 40 * EURO
    record(rest, 40)
    assert fresh(invoice).status == "paid"


def test_a_transfer_nobody_announced_is_recorded_once(payer: Payer) -> None:
    invoice, once = payer.invoice(100), uuid7()
    for _ in range(2):
        transfer(payer, 100 * EURO, invoice_id=invoice.id, once=once)
    assert payer.account("payments") == -100 * EURO
    assert fresh(invoice).status == "paid"


@pytest.mark.parametrize("changed", ["micros", "invoice_id"])
def test_the_same_form_with_something_else_in_it_is_refused(payer: Payer, changed: str) -> None:
    form: dict[str, Any] = {"micros": 10 * EURO, "invoice_id": payer.invoice(100).id, "once": uuid7()}
    other = {"micros": 20 * EURO, "invoice_id": None}[changed]
    transfer(payer, **form)
    with pytest.raises(InvalidTerms, match="already recorded"):
        transfer(payer, **{**form, changed: other})
    assert payer.account("payments") == -10 * EURO


def test_a_form_that_is_sent_many_times_at_once_records_one_and_fails_for_nobody(payer: Payer) -> None:
    once = uuid7()
    assert len(set(all_at_once(lambda: transfer(payer, EURO, once=once).pk))) == 1
    assert payer.account("payments") == -EURO


def test_a_transfer_is_not_recorded_on_anothers_invoice(payer: Payer, other_tenant: CreatedTenant) -> None:
    theirs = Payer(other_tenant.tenant.id).invoice(100)
    with pytest.raises(InvalidTerms):
        transfer(payer, EURO, invoice_id=theirs.id)
    assert open_of(theirs) == 100


@pytest.mark.parametrize("micros", [0, -EURO, EURO + 1, 10**13])
def test_amounts_that_cannot_have_come_are_refused(payer: Payer, micros: int) -> None:
    with pytest.raises(InvalidTerms):
        transfer(payer, micros)
    assert payer.kinds() == []


def test_an_announced_transfer_can_be_given_up(payer: Payer) -> None:
    payment = payer.tops_up(50, "offline")
    assert (cancel_announced(payment_id=payment.id), cancel_announced(payment_id=payment.id)) == (True, False)
    assert fresh(payment).status == "canceled"


def test_without_a_key_there_is_no_card(payer: Payer) -> None:
    with pytest.raises(NoSuchProvider, match="Use offline"):
        payer.tops_up(50, "stripe")


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reconciling, "SETTLES_WITHIN", timedelta(seconds=-60))


def differs(payer: Payer) -> int:
    """Return the number of rows that an operator sees after a check."""
    keep_differences([*compare_payments(), *(compare_provider() or [])])
    with operator_work():
        return LedgerDifference.objects.filter(tenant_id=payer.tenant_id, resolved_at=None).count()


def actions(payer: Payer) -> list[tuple[str, str]]:
    with operator_work():
        found = AuditEntry.objects.filter(tenant_id=payer.tenant_id).order_by("id")
        return [(one.action, one.note) for one in found if "differen" in one.action or "sent_back" in one.action]


def subject_of_last(payer: Payer) -> str:
    with operator_work():
        return str(AuditEntry.objects.filter(tenant_id=payer.tenant_id).latest("id").subject_name)


def told_otherwise(payer: Payer, stand_in: StandIn, payment: Payment, cents: int) -> Payment:
    """Have the provider report that `cents` came in, and return the payment."""
    tell("checkout.session.completed", stand_in.pay(payment.checkout_id, amount=cents))
    found: Payment = fresh(payment)
    assert (found.status, found.reported_micros) == ("pending", cents * EURO // 100)
    return found


def sent_back(payer: Payer, stand_in: StandIn, payment: Payment, euros: int, *, owed_again: bool = False) -> Refund:
    refund = decide(paid(payer, stand_in, payment), euros, owed_again=owed_again)
    ask_refund(refund.id)
    (row,) = stand_in.account.refunds.values()
    stand_in.account.intents[row["payment_intent"]]["latest_charge"]["amount_refunded"] -= row["amount"]
    tell("refund.failed", {**row, "status": "failed", "failure_reason": "expired_or_canceled_card"})
    found: Refund = fresh(refund)
    assert found.status == "succeeded"
    assert differs(payer) > 0
    return found


def test_what_came_in_is_booked_as_it_came(payer: Payer, stand_in: StandIn) -> None:
    invoice = payer.invoice(100)
    payment = told_otherwise(payer, stand_in, payer.pays(invoice), 6000)
    for _ in range(2):
        book_told(payment_id=payment.id, reported_micros=60 * EURO, reason="the page was an older one")
    booked = fresh(payment)
    assert (booked.status, booked.amount_micros, open_of(invoice)) == ("succeeded", 60 * EURO, 40)
    assert payer.kinds().count("payment") == 1
    assert actions(payer) == [("payment.difference_booked", "the page was an older one")]
    assert subject_of_last(payer) == f"{invoice.number}: 100.00 EUR, reported amount 60.00 EUR"
    assert differs(payer) == 0


def test_what_is_cleared_books_nothing_and_is_not_told_again(payer: Payer, stand_in: StandIn) -> None:
    payment = payer.tops_up(50)
    session = stand_in.pay(payment.checkout_id, amount=6000)
    tell("checkout.session.completed", session)
    assert differs(payer) == 1
    for _ in range(2):
        clear_told(payment_id=payment.id, reported_micros=60 * EURO, reason="given back at Stripe")
    tell("checkout.session.completed", session)
    assert (fresh(payment).status, fresh(payment).reported_micros, payer.kinds()) == ("canceled", None, [])
    assert actions(payer) == [("payment.difference_cleared", "given back at Stripe")]
    assert subject_of_last(payer) == f"{payment.reference}: 50.00 EUR, reported amount 60.00 EUR"
    assert differs(payer) == 0


def test_another_difference_of_the_amount_that_was_cleared_is_told(payer: Payer, stand_in: StandIn) -> None:
    payment = payer.tops_up(50)
    session = stand_in.pay(payment.checkout_id, amount=6000)
    tell("checkout.session.completed", session)
    clear_told(payment_id=payment.id, reported_micros=60 * EURO, reason="given back at Stripe")
    tell("checkout.session.completed", {**session, "currency": "usd"})
    assert (fresh(payment).reported_micros, fresh(payment).reported_currency) == (60 * EURO, "USD")
    clear_told(payment_id=payment.id, reported_micros=60 * EURO, reason="and this, too")
    tell("checkout.session.completed", {**session, "payment_intent": "pi_of_somebody_else"})
    assert (fresh(payment).reported_micros, fresh(payment).reported_id) == (60 * EURO, "pi_of_somebody_else")


def test_nothing_is_done_of_another_amount_than_was_shown_or_without_a_reason(payer: Payer, stand_in: StandIn) -> None:
    payment = told_otherwise(payer, stand_in, payer.tops_up(50), 6000)
    for micros, reason in ((10 * EURO, "why"), (60 * EURO, " ")):
        for act in (book_told, clear_told):
            with pytest.raises(NotBookable):
                act(payment_id=payment.id, reported_micros=micros, reason=reason)
    assert (payer.kinds(), actions(payer)) == ([], [])


@pytest.mark.parametrize("owed_again", [True, False])
def test_a_refund_that_was_sent_back_undoes_what_it_did(payer: Payer, stand_in: StandIn, owed_again: bool) -> None:
    invoice = payer.invoice(100)
    payment = payer.pays(invoice)
    refund = sent_back(payer, stand_in, payment, 40, owed_again=owed_again)
    for _ in range(2):
        book_sent_back(refund_id=refund.id, reason="seen on the account")
    assert (open_of(invoice), payer.stands()[0]) == (0, 0)
    assert (fresh(refund).status, fresh(payment).refunded_micros) == ("failed", 0)
    assert actions(payer) == [("payment.sent_back", "seen on the account")]
    assert differs(payer) == 0


def test_a_refund_that_nobody_sent_back_is_not_booked(payer: Payer, stand_in: StandIn) -> None:
    refund = decide(paid(payer, stand_in), 1)
    ask_refund(refund.id)
    with pytest.raises(NotBookable):
        book_sent_back(refund_id=refund.id, reason="no")
    assert payer.stands()[0] == 49 * EURO


def test_an_operator_books_and_clears_on_the_payments_page(client: Client, payer: Payer, stand_in: StandIn) -> None:
    client.force_login(create_operator(email=f"{unique('op')}@example.com", password="correct horse"))
    for finding, status in (("book", "succeeded"), ("clear", "canceled")):
        payment = told_otherwise(payer, stand_in, payer.tops_up(50), 6000)
        at = reverse("admin:tenants_payment_change", args=[payment.id])
        assert "Finding" in client.get(at).content.decode()
        said = {"finding": finding, "reported_micros": 60 * EURO, "once": uuid7()}
        assert "Enter what you found" in client.post(at, said).content.decode()
        client.post(at, {**said, "found": "looked"})
        assert fresh(payment).status == status
    refund = sent_back(payer, stand_in, payer.tops_up(50), 40)
    at = reverse("admin:tenants_payment_change", args=[refund.payment_id])
    client.post(at, {"finding": refund.id, "found": "seen on the account", "once": uuid7()})
    assert fresh(refund).status == "failed"
    assert [action for action, _ in actions(payer)] == [
        "payment.difference_booked",
        "payment.difference_cleared",
        "payment.sent_back",
    ]
