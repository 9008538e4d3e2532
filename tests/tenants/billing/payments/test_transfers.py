"""Tests of transfers as an operator finds them: whole, in parts, more than was requested, and recorded once."""

from typing import Any

import pytest

from tenants.billing.ledger.errors import InvalidTerms
from tenants.billing.payments.models import Payment
from tenants.billing.payments.protocol import NoSuchProvider
from tenants.billing.payments.transfers import cancel_announced, record_announced, record_transfer
from tenants.core.ids import uuid7
from tenants.onboarding.create_tenant import CreatedTenant

from .conftest import EURO, Payer, all_at_once, differences_of, fresh, open_of


def record(payment: Payment, euros: int) -> None:
    record_announced(payment_id=payment.id, amount_micros=euros * EURO, note="statement 7", made_by="op")


def transfer(payer: Payer, micros: int, **more: Any) -> Payment:
    given: dict[str, Any] = {"tenant_id": payer.tenant_id, "amount_micros": micros, **more}
    return record_transfer(**given, currency="EUR", note="", made_by="op")


@pytest.mark.parametrize(("came", "is_open", "credit"), [(100, 0, 0), (60, 40, 0), (130, 0, 30)])
def test_what_came_pays_the_invoice_as_far_as_it_goes(
    payer: Payer, came: int, is_open: int, credit: int
) -> None:
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
