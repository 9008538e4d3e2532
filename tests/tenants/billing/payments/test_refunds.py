"""Tests of refunds and disputes: never more than came in, once, and in the books when the provider has confirmed it."""

import time
from contextlib import suppress

import pytest
from django.db import connections

from tenants.audit.models import AuditEntry
from tenants.billing.payments.bookkeeping import record_announced
from tenants.billing.payments.protocol import LOOK_EVERY, NotRefundable
from tenants.billing.payments.refunds import (
    ask_pending_refunds,
    ask_refund,
    read_back_disputes,
)
from tenants.core.db.unit_of_work import OPERATOR, operator_work
from tenants.core.ids import uuid7
from tests.stand_in_stripe import StandIn

from .conftest import EURO, Payer, all_at_once, decide, differences_of, dispute_of, fresh, open_of, paid, tell

REFUNDS = "/v1/refunds"


def test_a_part_and_then_the_rest_go_back(payer: Payer, stand_in: StandIn) -> None:
    payment = paid(payer, stand_in)
    for euros, left in ((20, 30), (30, 0)):
        assert ask_refund(decide(payment, euros).id).status == "succeeded"
        assert payer.stands() == (left * EURO, 0)
    assert fresh(payment).refunded_micros == 50 * EURO
    assert differences_of(payer) == []
    with pytest.raises(NotRefundable, match=r"Up to 0\.00 EUR"):
        decide(payment, 1)


@pytest.mark.parametrize("euros", [51, 0, -1])
def test_more_than_came_or_nothing_is_not_given_back(payer: Payer, stand_in: StandIn, euros: int) -> None:
    with pytest.raises(NotRefundable):
        decide(paid(payer, stand_in), euros)
    assert stand_in.account.refunds == {}


def test_many_at_once_never_give_back_more_than_came(payer: Payer, stand_in: StandIn) -> None:
    payment = paid(payer, stand_in)

    def give() -> bool:
        with suppress(NotRefundable):
            return ask_refund(decide(payment, 20).id).status == "succeeded"
        return False

    assert sum(all_at_once(give)) == 2
    assert payer.stands() == (10 * EURO, 0)


def test_a_form_that_is_sent_twice_gives_back_once(payer: Payer, stand_in: StandIn) -> None:
    payment, once = paid(payer, stand_in), uuid7()
    for _ in range(2):
        ask_refund(decide(payment, 20, once=once).id)
    assert len(stand_in.account.refunds) == 1
    assert payer.stands() == (30 * EURO, 0)


def test_the_same_form_with_something_else_in_it_gives_nothing_back(payer: Payer, stand_in: StandIn) -> None:
    payment, once = paid(payer, stand_in), uuid7()
    decide(payment, 20, once=once)
    with pytest.raises(NotRefundable, match="already refunded another amount"):
        decide(payment, 10, once=once)
    with pytest.raises(NotRefundable, match="already refunded another amount"):
        decide(paid(payer, stand_in), 20, once=once)
    assert fresh(payment).refunded_micros == 20 * EURO


@pytest.mark.parametrize("trouble", ["500", "before", "after"])
def test_an_answer_that_does_not_come_is_asked_for_until_it_does(payer: Payer, stand_in: StandIn, trouble: str) -> None:
    payment = paid(payer, stand_in)
    stand_in.account.troubles = [trouble, trouble]
    refund = decide(payment, 20)
    assert ask_refund(refund.id).status == "pending"
    assert payer.stands() == (50 * EURO, 0), "nothing is in the books that nobody has confirmed"
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute(
            "UPDATE tenants_refund SET created_at = created_at - interval '1 hour', checked_at = NULL WHERE id = %s",
            [refund.id],
        )
    ask_pending_refunds(LOOK_EVERY, 100)
    assert fresh(refund).status == "succeeded"
    assert len(stand_in.account.refunds) == 1
    assert payer.stands() == (30 * EURO, 0)


def test_one_that_takes_its_time_is_confirmed_by_its_event(payer: Payer, stand_in: StandIn) -> None:
    payment = paid(payer, stand_in)
    stand_in.account.refunds_wait = True
    refund = ask_refund(decide(payment, 20).id)
    assert (refund.status, payer.stands()[0]) == ("pending", 50 * EURO)
    (row,) = stand_in.account.refunds.values()
    assert tell("refund.updated", {**row, "status": "succeeded"}) == "refunded"
    assert tell("charge.refund.updated", {**row, "status": "succeeded"}) == "already recorded"
    assert payer.stands()[0] == 30 * EURO
    assert "mismatch" in tell("refund.failed", {**row, "status": "failed", "failure_reason": "expired"})
    assert payer.kinds() == ["payment", "refund"]


def test_one_that_fails_can_be_decided_again(payer: Payer, stand_in: StandIn) -> None:
    payment = paid(payer, stand_in)
    stand_in.account.refunds_wait = True
    ask_refund(decide(payment, 50).id)
    (row,) = stand_in.account.refunds.values()
    tell("refund.failed", {**row, "status": "failed", "failure_reason": "expired_or_canceled_card"})
    assert fresh(payment).refunded_micros == 0
    assert payer.kinds() == ["payment"]
    decide(payment, 50)


def test_one_decided_in_the_providers_own_pages_is_taken_down(payer: Payer, stand_in: StandIn) -> None:
    payment = paid(payer, stand_in)
    row = dispute_of(payment, id=f"re_{payment.id}", amount=1500, status="succeeded")
    assert [tell("refund.created", row) for _ in range(2)] == ["refunded", "already recorded"]
    assert payer.stands()[0] == 35 * EURO
    assert differences_of(payer) == []


@pytest.mark.parametrize(("owed_again", "is_open", "credit"), [(True, 40, 0), (False, 0, -40)])
def test_an_invoice_is_owed_again_only_where_that_was_meant(
    payer: Payer, stand_in: StandIn, owed_again: bool, is_open: int, credit: int
) -> None:
    invoice = payer.invoice(100)
    payment = paid(payer, stand_in, payer.pays(invoice))
    ask_refund(decide(payment, 40, owed_again=owed_again).id)
    assert (open_of(invoice), payer.stands()[0]) == (is_open, credit * EURO)
    assert differences_of(payer) == []


def test_a_dispute_is_on_record_and_one_that_is_lost_is_owed_again(payer: Payer, stand_in: StandIn) -> None:
    invoice = payer.invoice(100)
    payment = paid(payer, stand_in, payer.pays(invoice))
    dispute = dispute_of(payment, status="needs_response")
    tell("charge.dispute.created", dispute)
    assert (fresh(payment).dispute, open_of(invoice)) == ("needs_response", 0)
    for _ in range(2):
        tell("charge.dispute.closed", {**dispute, "status": "lost"})
    assert (fresh(payment).dispute, open_of(invoice)) == ("lost", 100)
    assert differences_of(payer) == []


def test_a_dispute_whose_event_is_lost_is_read_back(payer: Payer, stand_in: StandIn) -> None:
    invoice = payer.invoice(100)
    payment = paid(payer, stand_in, payer.pays(invoice))
    for number in range(3):  # They belong to others on the same account.
        stand_in.account.disputes[f"dp_{number}"] = {"id": f"dp_{number}", "created": int(time.time())}
    dispute = dispute_of(payment, created=int(time.time()), status="under_review")
    stand_in.account.disputes = {dispute["id"]: dispute, **stand_in.account.disputes}
    assert (read_back_disputes(), read_back_disputes()) == (1, 0)
    assert (fresh(payment).dispute, open_of(invoice)) == ("under_review", 0)
    dispute["status"] = "lost"
    assert (read_back_disputes(), read_back_disputes()) == (1, 0)
    assert (fresh(payment).dispute, open_of(invoice)) == ("lost", 100)
    assert differences_of(payer) == []
    stand_in.account.troubles += ["500"] * 9
    assert read_back_disputes() == 0


def test_what_is_told_late_of_a_dispute_does_not_open_it_again(payer: Payer, stand_in: StandIn) -> None:
    payment = paid(payer, stand_in, payer.pays(payer.invoice(100)))
    dispute = dispute_of(payment)
    tell("charge.dispute.closed", {**dispute, "status": "won"})
    tell("charge.dispute.created", {**dispute, "status": "needs_response"})
    assert fresh(payment).dispute == "won"
    tell("charge.dispute.created", {**dispute, "id": f"dp_2_{payment.id}", "status": "needs_response"})
    assert fresh(payment).dispute == "needs_response"


def test_what_a_provider_brings_about_is_in_the_accounts_log_under_its_name(payer: Payer, stand_in: StandIn) -> None:
    payment = payer.pays(payer.invoice(100))
    session = stand_in.pay(payment.checkout_id)
    for _ in range(2):
        tell("checkout.session.completed", session)
    ask_refund(decide(fresh(payment), 40).id)
    with operator_work():
        told = AuditEntry.objects.filter(subject_id=str(payment.id), actor_name="Stripe")
        assert set(told.values_list("action", flat=True)) == {"payment.succeeded", "payment.given_back"}
        assert told.count() == 2


def test_a_transfer_is_given_back_by_hand_and_booked_at_once(payer: Payer) -> None:
    payment = payer.tops_up(50, "offline")
    record_announced(payment_id=payment.id, amount_micros=50 * EURO, note="", made_by="op")
    assert ask_refund(decide(payment, 20).id).status == "succeeded"
    assert payer.stands()[0] == 30 * EURO
    assert differences_of(payer) == []
