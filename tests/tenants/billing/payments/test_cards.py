"""Tests that a card is saved once, by who requested it last, and that what was removed or switched off stays so."""

from tenants.billing.payments.cards import begin_saving_card, forget_card, keep_card, let_card_pay
from tenants.billing.payments.models import ProviderCustomer
from tenants.core.db.unit_of_work import operator_work
from tests.stand_in_stripe import StandIn

from .conftest import Payer, tell


def page(payer: Payer) -> str:
    return begin_saving_card(tenant_id=payer.tenant_id).rpartition("/")[2]


def card_of(payer: Payer) -> ProviderCustomer:
    with operator_work():
        return ProviderCustomer.objects.get(tenant_id=payer.tenant_id)


def saves(payer: Payer, stand_in: StandIn) -> str:
    session_id = page(payer)
    stand_in.save_card(session_id)
    assert keep_card(session_id, of_tenant=payer.tenant_id) == "card saved"
    return session_id


def attach_again(stand_in: StandIn, session_id: str) -> None:
    """Attach the method again, as if the provider had never learned that it was removed."""
    session = stand_in.account.sessions[session_id]
    session["setup_intent"]["payment_method"]["customer"] = session["customer"]


def test_a_removed_card_comes_back_neither_by_its_page_nor_by_its_event(payer: Payer, stand_in: StandIn) -> None:
    session_id = saves(payer, stand_in)
    forget_card(tenant_id=payer.tenant_id)
    attach_again(stand_in, session_id)
    keep_card(session_id, of_tenant=payer.tenant_id)
    tell("checkout.session.completed", stand_in.account.sessions[session_id])
    assert card_of(payer).method_id == ""


def test_a_page_that_was_opened_before_a_card_was_removed_saves_none(payer: Payer, stand_in: StandIn) -> None:
    saves(payer, stand_in)
    late = page(payer)
    forget_card(tenant_id=payer.tenant_id)
    stand_in.save_card(late)
    assert "outdated" in tell("checkout.session.completed", stand_in.account.sessions[late])
    assert card_of(payer).method_id == ""
    saves(payer, stand_in)


def test_a_page_that_counted_does_not_replace_the_card_that_was_saved_after_it(payer: Payer, stand_in: StandIn) -> None:
    first = saves(payer, stand_in)
    saves(payer, stand_in)
    kept = card_of(payer).method_id
    assert keep_card(first) == "already recorded"
    assert card_of(payer).method_id == kept


def test_a_card_that_was_detached_at_the_provider_is_not_kept(payer: Payer, stand_in: StandIn) -> None:
    session_id = page(payer)
    stand_in.save_card(session_id)
    stand_in.account.sessions[session_id]["setup_intent"]["payment_method"]["customer"] = None
    assert keep_card(session_id) == "no matching card"


def test_what_was_switched_off_stays_off_for_another_card(payer: Payer, stand_in: StandIn) -> None:
    saves(payer, stand_in)
    assert card_of(payer).pays_invoices
    let_card_pay(tenant_id=payer.tenant_id, pays_invoices=False)
    saves(payer, stand_in)
    assert not card_of(payer).pays_invoices
    forget_card(tenant_id=payer.tenant_id)
    saves(payer, stand_in)
    assert not card_of(payer).pays_invoices
