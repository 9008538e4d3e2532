"""Tests of the payment pages: who may see and do what, and that what the pages say is so."""

import pytest
from django.test import Client
from django.urls import reverse

from tenants.billing.payments.cards import begin_saving_card
from tenants.billing.payments.models import Payment, ProviderCustomer
from tenants.core.db.unit_of_work import operator_work
from tenants.core.ids import uuid7
from tests.stand_in_stripe import StandIn
from tests.tenants.billing.payments.conftest import Payer, payer, stand_in

__all__ = ["payer", "stand_in"]


def test_a_form_that_is_sent_twice_buys_once(member: Client, payer: Payer, stand_in: StandIn) -> None:
    form = {"amount": "12.50", "currency": "EUR", "provider": "stripe", "once": str(uuid7())}
    places = {member.post(reverse("top_up"), form)["Location"] for _ in range(2)}
    assert len(places) == 1
    assert places.pop().startswith(f"{stand_in.url}/c/pay/")
    with operator_work():
        assert Payment.objects.get(tenant_id=payer.tenant_id).amount_micros == 12_500_000


@pytest.mark.parametrize("changed", [{"amount": "13"}, {"provider": "offline"}])
def test_a_form_that_is_sent_again_with_something_else_in_it_is_refused(
    member: Client, payer: Payer, stand_in: StandIn, changed: dict[str, str]
) -> None:
    form = {"amount": "12.50", "currency": "EUR", "provider": "stripe", "once": str(uuid7())}
    member.post(reverse("top_up"), form)
    answer = member.post(reverse("top_up"), {**form, **changed})
    assert answer.status_code == 422
    assert "You already started" in answer.content.decode()
    with operator_work():
        assert Payment.objects.filter(tenant_id=payer.tenant_id).count() == 1


@pytest.mark.parametrize("amount", ["", "0", "-1", "1.234", "abc", "NaN", "1e400", "99999999"])
def test_amounts_that_cannot_be_paid_are_said_so(member: Client, payer: Payer, amount: str) -> None:
    form = {"amount": amount, "currency": "EUR", "provider": "offline", "once": str(uuid7())}
    answer = member.post(reverse("top_up"), form)
    assert answer.status_code == 422
    assert "amount" in answer.context["form"].errors


def test_a_transfer_leads_to_where_it_goes(member: Client, payer: Payer) -> None:
    invoice = payer.invoice(100)
    answer = member.post(reverse("pay_invoice", args=[invoice.id]), follow=True)
    assert invoice.number in answer.content.decode()
    assert ">pending</span>" in answer.content.decode()


def test_who_can_choose_is_asked_how(member: Client, payer: Payer, stand_in: StandIn) -> None:
    page = reverse("pay_invoice", args=[payer.invoice(100).id])
    assert "Pay by card" in member.post(page).content.decode()
    assert stand_in.account.sessions == {}
    assert member.post(page, {"provider": "stripe"})["Location"].startswith(stand_in.url)


def test_the_page_says_paid_only_when_the_provider_does(member: Client, payer: Payer, stand_in: StandIn) -> None:
    payment = payer.tops_up(50)
    page = reverse("payment", args=[payment.id])
    assert ">pending</span>" in member.get(page).content.decode()
    stand_in.pay(payment.checkout_id)
    assert ">pending</span>" in member.get(page).content.decode(), "it was asked a moment ago"
    with operator_work():
        Payment.objects.filter(id=payment.id).update(checked_at=None)
    assert ">paid<" in member.get(page).content.decode()


def test_while_the_provider_is_away_the_page_still_opens(member: Client, payer: Payer, stand_in: StandIn) -> None:
    payment = payer.tops_up(50)
    stand_in.account.troubles = ["500", "500"]
    assert ">pending</span>" in member.get(reverse("payment", args=[payment.id])).content.decode()
    stand_in.account.troubles = ["500", "500"]
    form = {"amount": "1", "currency": "EUR", "provider": "stripe", "once": str(uuid7())}
    assert "does not answer" in member.post(reverse("top_up"), form, follow=True).content.decode()


def test_anothers_payments_and_invoices_never_were(member: Client, other_tenant: object) -> None:
    other = Payer(other_tenant.tenant.id)  # type: ignore[attr-defined]
    payment, invoice = other.tops_up(50, "offline"), other.invoice(10)
    for unknown in (payment.id, uuid7(), "nonsense"):
        assert member.get(reverse("payment", args=[unknown])).status_code == 404
    for unknown in (invoice.id, uuid7(), "nonsense"):
        assert member.post(reverse("pay_invoice", args=[unknown])).status_code == 404
    assert str(payment.id) not in member.get(reverse("payments")).content.decode()


def test_anothers_page_saves_no_card_here(
    member: Client, payer: Payer, stand_in: StandIn, other_tenant: object
) -> None:
    other = other_tenant.tenant.id  # type: ignore[attr-defined]
    begin_saving_card(tenant_id=other)
    (session_id,) = stand_in.account.sessions
    stand_in.save_card(session_id)
    member.get(reverse("saved_card"), {"saved": session_id})
    with operator_work():
        assert not ProviderCustomer.objects.exclude(method_id="").filter(tenant_id=payer.tenant_id).exists()
        assert not ProviderCustomer.objects.exclude(method_id="").filter(tenant_id=other).exists()


def test_a_card_is_saved_switched_off_and_removed(member: Client, payer: Payer, stand_in: StandIn) -> None:
    assert member.post(reverse("save_card"))["Location"].startswith(stand_in.url)
    (session_id,) = stand_in.account.sessions
    stand_in.save_card(session_id)
    page = member.get(reverse("saved_card"), {"saved": session_id}, follow=True).content.decode()
    assert "visa •••• 4242, 12/30" in page
    member.post(reverse("use_card"), {"pays_invoices": "no"})
    with operator_work():
        card = ProviderCustomer.objects.get(tenant_id=payer.tenant_id)
    assert (card.pays_invoices, bool(card.method_id)) == (False, True)
    member.post(reverse("remove_card"))
    with operator_work():
        assert ProviderCustomer.objects.get(tenant_id=payer.tenant_id).method_id == ""
    assert stand_in.account.methods[card.method_id]["customer"] is None
