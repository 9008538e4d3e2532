"""Tests of paying on Stripe's page: the real library against a stand-in, and the effects of its events and silence."""

from itertools import cycle

import pytest

from tenants.billing.ledger.models import LedgerDifference
from tenants.billing.payments.bookkeeping import record_announced
from tenants.billing.payments.models import Payment
from tenants.billing.payments.protocol import (
    InvoiceNotOpen,
    NoSuchPayment,
    PaymentRefused,
    ProviderUnavailable,
)
from tenants.billing.payments.services import TopUp, begin_invoice_payment, begin_top_up, start
from tenants.billing.payments.upkeep import look_after_payments
from tenants.core.db.unit_of_work import operator_work
from tenants.core.ids import uuid7
from tests.stand_in_stripe import StandIn, event

from .conftest import (
    EURO,
    Payer,
    all_at_once,
    differences_of,
    fresh,
    grow_older,
    open_of,
    paid,
    tell,
    tell_again,
)

SESSIONS = "/v1/checkout/sessions"


def test_an_invoice_is_paid_once_its_event_comes(payer: Payer, stand_in: StandIn) -> None:
    invoice = payer.invoice(100)
    payment = payer.pays(invoice)
    assert payment.checkout_url.startswith(stand_in.url)
    (asked,) = stand_in.account.asked(SESSIONS)
    assert asked["line_items"]["0"]["price_data"] == {
        "currency": "eur",
        "unit_amount": "10000",
        "product_data": {"name": f"Invoice {invoice.number}"},
    }
    assert fresh(payment).status == "pending"
    assert tell("checkout.session.completed", stand_in.pay(payment.checkout_id)) == "paid"
    payment, invoice = fresh(payment), fresh(invoice)
    assert (payment.status, payment.invoice_micros) == ("succeeded", 100 * EURO)
    assert (invoice.status, invoice.open_micros, invoice.paid_at is not None) == ("paid", 0, True)
    assert (payer.account("payments"), payer.account("receivable")) == (-100 * EURO, 0)
    assert payer.stands()[0] == 0
    assert differences_of(payer) == []


def test_credit_that_is_bought_can_be_spent(payer: Payer, stand_in: StandIn) -> None:
    paid(payer, stand_in)
    assert payer.stands() == (50 * EURO, 0)
    assert differences_of(payer) == []


def test_events_that_come_twice_late_and_in_any_order_pay_once(payer: Payer, stand_in: StandIn) -> None:
    payment = payer.tops_up(50)
    session = stand_in.pay(payment.checkout_id)
    intent = stand_in.intent(session["payment_intent"])
    assert tell("payment_intent.payment_failed", {**intent, "status": "requires_payment_method"}).startswith("declined")
    said = event("payment_intent.succeeded", intent)
    assert [tell_again(said) for _ in range(3)] == ["paid", "already received", "already received"]
    assert tell("checkout.session.completed", session) == "already recorded"
    assert tell("checkout.session.expired", {**session, "status": "expired"}) == "already recorded"
    assert payer.stands() == (50 * EURO, 0)
    assert payer.kinds() == ["payment"]


def test_one_event_told_by_many_at_once_is_done_once(payer: Payer, stand_in: StandIn) -> None:
    said = event("checkout.session.completed", stand_in.pay(payer.tops_up(50).checkout_id))
    assert sorted(all_at_once(lambda: tell_again(said))) == [*["already received"] * 5, "paid"]
    assert payer.kinds() == ["payment"]


def test_two_events_of_one_payment_at_once_pay_once(payer: Payer, stand_in: StandIn) -> None:
    invoice = payer.invoice(100)
    payment = payer.pays(invoice)
    session = stand_in.pay(payment.checkout_id)
    events = cycle(
        [
            ("checkout.session.completed", session),
            ("payment_intent.succeeded", stand_in.intent(session["payment_intent"])),
        ]
    )
    assert sorted(all_at_once(lambda: tell(*next(events)))) == [*["already recorded"] * 5, "paid"]
    assert open_of(invoice) == 0
    assert payer.account("payments") == -100 * EURO


def test_a_payment_whose_event_is_lost_is_found_by_asking(payer: Payer, stand_in: StandIn) -> None:
    payment = payer.tops_up(50)
    stand_in.pay(payment.checkout_id)
    look_after_payments()
    assert fresh(payment).status == "pending", "it is young, and its event may be under way"
    grow_older(payment, "6 minutes")
    look_after_payments()
    assert fresh(payment).status == "succeeded"
    assert payer.stands() == (50 * EURO, 0)


def test_a_page_that_nobody_paid_on_is_over_when_the_provider_says_so(payer: Payer, stand_in: StandIn) -> None:
    payment = payer.tops_up(50)
    stand_in.account.sessions[payment.checkout_id]["status"] = "expired"
    grow_older(payment, "3 hours")
    look_after_payments()
    assert fresh(payment).status == "canceled"
    assert payer.kinds() == []


def test_money_that_comes_for_a_payment_that_was_given_up_is_there(payer: Payer, stand_in: StandIn) -> None:
    payment = payer.tops_up(50)
    tell("checkout.session.expired", {**stand_in.account.sessions[payment.checkout_id], "status": "expired"})
    assert fresh(payment).status == "canceled"
    assert tell("checkout.session.completed", stand_in.pay(payment.checkout_id)) == "paid"
    assert payer.stands() == (50 * EURO, 0)


def test_what_comes_for_an_invoice_that_is_paid_already_becomes_credit(payer: Payer, stand_in: StandIn) -> None:
    invoice = payer.invoice(100)
    paid(payer, stand_in, payer.pays(invoice))
    with operator_work():
        same = Payment.objects.filter(invoice=invoice).values("provider", "purpose", "currency", "amount_micros")
        late = Payment.objects.create(tenant_id=payer.tenant_id, invoice=invoice, **same.get())
    assert paid(payer, stand_in, start(late)).invoice_micros == 0
    assert payer.stands() == (100 * EURO, 0)
    assert differences_of(payer) == []


@pytest.mark.parametrize("wrong", [{"amount": 4999}, {"amount": 1}, {"currency": "usd"}])
def test_what_does_not_fit_is_a_difference_and_no_payment(
    payer: Payer, stand_in: StandIn, wrong: dict[str, int | str]
) -> None:
    payment = payer.tops_up(50)
    session = stand_in.pay(payment.checkout_id, **wrong)  # type: ignore[arg-type]
    assert "mismatch" in tell("checkout.session.completed", session)
    assert fresh(payment).status == "pending"
    assert payer.kinds() == []
    with operator_work():
        row = LedgerDifference.objects.get(tenant_id=payer.tenant_id, resolved_at=None)
    assert (row.compared, row.subject, row.found_micros) == ("provider", str(payment.id), 0)
    assert differences_of(payer) == ["provider"], "the nightly comparison tells of it as well"


def test_another_tenant_in_what_is_told_is_a_difference(payer: Payer, stand_in: StandIn, other_tenant: object) -> None:
    session = stand_in.pay(payer.tops_up(50).checkout_id)
    names = {**session["metadata"], "maas_tenant": str(uuid7())}
    assert "mismatch" in tell("checkout.session.completed", {**session, "metadata": names})
    assert payer.kinds() == []


def test_a_second_click_is_given_the_same_page(payer: Payer, stand_in: StandIn) -> None:
    invoice, once = payer.invoice(100), uuid7()
    assert payer.pays(invoice).id == payer.pays(invoice).id
    assert payer.tops_up(50, once=once).checkout_id == payer.tops_up(50, once=once).checkout_id
    assert len(stand_in.account.sessions) == 2


def test_many_clicks_at_once_are_one_payment(payer: Payer, stand_in: StandIn) -> None:
    invoice = payer.invoice(100)
    pages = set(all_at_once(lambda: payer.pays(invoice).checkout_id))
    assert len(pages) == len(stand_in.account.sessions) == 1
    assert len(stand_in.account.customers) == 1


@pytest.mark.parametrize("trouble", ["500", "before", "after"])
def test_an_answer_that_does_not_come_is_asked_for_again_and_never_twice_done(
    payer: Payer, stand_in: StandIn, trouble: str
) -> None:
    payer.has_card(stand_in)
    stand_in.account.troubles = [trouble, trouble]
    with pytest.raises(ProviderUnavailable):
        payer.tops_up(50)
    with operator_work():
        payment = Payment.objects.get(tenant_id=payer.tenant_id)
    assert payment.status == "pending"
    assert start(payment).checkout_url
    assert len(stand_in.account.sessions) == 1
    keys = {key for method, path, _, key in stand_in.account.requests if (method, path) == ("POST", SESSIONS)}
    assert keys == {f"maas-payment-{payment.id}"}


def test_a_page_whose_address_never_came_is_found_by_its_name(payer: Payer, stand_in: StandIn) -> None:
    payer.has_card(stand_in)
    stand_in.account.troubles = ["after", "after"]
    with pytest.raises(ProviderUnavailable):
        payer.tops_up(50)
    with operator_work():
        payment = Payment.objects.get(tenant_id=payer.tenant_id)
    (session_id,) = stand_in.account.sessions
    stand_in.pay(session_id)
    grow_older(payment, "2 days")
    asked = len(stand_in.account.asked(SESSIONS))
    look_after_payments()
    assert len(stand_in.account.asked(SESSIONS)) == asked, "what is older than a day is not sent again"
    assert fresh(payment).status == "succeeded"


def test_what_the_provider_refuses_is_over(payer: Payer, stand_in: StandIn) -> None:
    with pytest.raises(PaymentRefused, match="amount_too_small"):
        start(begin_top_up(tenant_id=payer.tenant_id, provider="stripe", wanted=TopUp("EUR", 10_000), made_by=""))
    with operator_work():
        assert Payment.objects.get(tenant_id=payer.tenant_id).status == "canceled"


def test_a_page_elsewhere_is_gone_to_by_nobody(payer: Payer, stand_in: StandIn, settings: object) -> None:
    settings.MAAS_STRIPE_CHECKOUT = "https://checkout.stripe.com"  # type: ignore[attr-defined]
    with pytest.raises(ProviderUnavailable, match="not its own"):
        payer.tops_up(50)


def test_a_key_that_is_refused_is_shown_to_nobody(
    payer: Payer, stand_in: StandIn, settings: object, caplog: pytest.LogCaptureFixture
) -> None:
    settings.MAAS_STRIPE_SECRET_KEY = "sk_test_very_secret"  # type: ignore[attr-defined]
    with pytest.raises(ProviderUnavailable) as refused:
        payer.tops_up(50)
    assert "very_secret" not in caplog.text + str(refused.value)


def test_another_tenants_invoice_never_was(payer: Payer, stand_in: StandIn, other_tenant: object) -> None:
    theirs = Payer(other_tenant.tenant.id).invoice(100)  # type: ignore[attr-defined]
    for invoice_id in (theirs.id, uuid7()):
        with pytest.raises(NoSuchPayment):
            begin_invoice_payment(tenant_id=payer.tenant_id, provider="stripe", invoice_id=invoice_id, made_by="")


def test_an_invoice_that_is_paid_is_paid_no_more(payer: Payer, stand_in: StandIn) -> None:
    invoice = payer.invoice(100)
    paid(payer, stand_in, payer.pays(invoice))
    with pytest.raises(InvoiceNotOpen):
        payer.pays(invoice)


def test_a_page_that_is_not_needed_any_more_is_closed(payer: Payer, stand_in: StandIn) -> None:
    invoice = payer.invoice(100)
    page = payer.pays(invoice)
    from_bank = payer.pays(invoice, "offline")
    record_announced(payment_id=from_bank.id, amount_micros=100 * EURO, note="", made_by="op")
    grow_older(page, "6 minutes")
    look_after_payments()
    assert stand_in.account.sessions[page.checkout_id]["status"] == "expired"
    assert fresh(page).status == "canceled"


def test_yen_have_no_cents(payer: Payer, stand_in: StandIn) -> None:
    invoice = payer.invoice(1200, currency="JPY")
    payment = payer.pays(invoice)
    (asked,) = stand_in.account.asked(SESSIONS)
    assert asked["line_items"]["0"]["price_data"]["unit_amount"] == "1200"
    assert tell("checkout.session.completed", stand_in.pay(payment.checkout_id)) == "paid"
    assert open_of(invoice) == 0
