"""Tests that events are accepted from nobody but Stripe, and that each takes effect once or not at all."""

import json
import time

import pytest
from pytest_django import Settings

from tenants.billing.payments.events import receive_event
from tenants.billing.payments.models import ProviderEvent
from tenants.billing.payments.protocol import NoSuchPayment, ProviderUnavailable, WrongSignature
from tenants.core.db.unit_of_work import operator_work
from tenants.core.ids import uuid7
from tests.stand_in_stripe import StandIn, event, signed

from .conftest import EURO, Payer, fresh, grow_older, open_of, tell, tell_again


def paid_event(payer: Payer, stand_in: StandIn) -> bytes:
    payment = payer.tops_up(50)
    return json.dumps(event("checkout.session.completed", stand_in.pay(payment.checkout_id))).encode()


@pytest.mark.parametrize("signature", [None, "", "t=1", "v1=abc", "t=x,v1=y", "t=1,v1=é", "t=1,v0=abc", "=,=="])
def test_what_is_signed_otherwise_is_refused(payer: Payer, stand_in: StandIn, signature: str | None) -> None:
    with pytest.raises(WrongSignature):
        receive_event(paid_event(payer, stand_in), signature)
    assert payer.kinds() == []


def test_another_secret_an_old_moment_and_another_body_are_refused(payer: Payer, stand_in: StandIn) -> None:
    body = paid_event(payer, stand_in)
    for wrong in (
        signed(body, secret="whsec_other"),
        signed(body, at=time.time() - 301),
        signed(body + b" "),
        signed(body).replace("v1=", "v0="),
    ):
        with pytest.raises(WrongSignature):
            receive_event(body, wrong)
    assert payer.kinds() == []
    assert receive_event(body, signed(body, at=time.time() - 200)) == "paid"


@pytest.mark.parametrize("body", [b"", b"\xff\xfe", b"[]", b"null", b"{}", b'{"id": ""}', b"{" * 5000])
def test_what_is_no_event_is_refused_though_it_is_signed(stand_in: StandIn, body: bytes) -> None:
    # A body that is not UTF-8 cannot be signed as Stripe signs, and is refused as well.
    with pytest.raises(WrongSignature):
        receive_event(body, signed(body))


def test_without_a_secret_nothing_is_heard(payer: Payer, stand_in: StandIn, settings: Settings) -> None:
    body = paid_event(payer, stand_in)
    settings.MAAS_STRIPE_WEBHOOK_SECRET = ""
    with pytest.raises(NoSuchPayment):
        receive_event(body, signed(body, secret=""))


@pytest.mark.parametrize(
    "what",
    [
        {},
        {"id": "pi_x", "object": "payment_intent", "status": "succeeded", "amount": 5, "currency": "eur"},
        {"metadata": {"maas_payment": "not a uuid"}, "status": "succeeded", "amount": 5, "currency": "eur"},
        {"metadata": {"maas_payment": str(uuid7())}, "status": "succeeded", "amount": 5, "currency": "eur"},
    ],
)
def test_payments_of_others_on_the_same_account_are_let_be(stand_in: StandIn, what: dict[str, object]) -> None:
    assert tell("payment_intent.succeeded", what) == "no matching payment"
    assert tell("customer.subscription.created", what) == "nothing to do"


def test_what_was_told_is_on_record(payer: Payer, stand_in: StandIn) -> None:
    body = paid_event(payer, stand_in)
    receive_event(body, signed(body))
    with operator_work():
        row = ProviderEvent.objects.get(event_id=json.loads(body)["id"])
    assert (row.kind, row.outcome, row.handled_at is not None) == ("checkout.session.completed", "paid", True)


def test_an_event_of_live_money_pays_nothing_where_the_key_is_a_test_key(payer: Payer, stand_in: StandIn) -> None:
    payment = payer.tops_up(50)
    session = stand_in.pay(payment.checkout_id)
    assert "not the mode" in tell("checkout.session.completed", session, livemode=True)
    assert fresh(payment).status == "pending"


def test_what_breaks_while_it_is_done_is_told_again(
    payer: Payer, stand_in: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = paid_event(payer, stand_in)
    with monkeypatch.context() as broken:
        broken.setattr("tenants.billing.payments.settling.pay", None)
        with pytest.raises(TypeError):
            receive_event(body, signed(body))
    with operator_work():
        assert not ProviderEvent.objects.filter(event_id=json.loads(body)["id"]).exists()
    assert receive_event(body, signed(body)) == "paid"
    assert payer.kinds() == ["payment"]


def _event_of(intent: str, kind: str = "refund.created", **more: object) -> dict[str, object]:
    row = {"id": f"re_{intent}", "amount": 1500, "currency": "eur", "payment_intent": intent}
    return event(kind, {**row, "status": "succeeded", **more})


@pytest.mark.parametrize(
    ("kind", "status", "is_open"), [("refund.created", "succeeded", 0), ("charge.dispute.closed", "lost", 15)]
)
def test_what_is_told_before_its_payment_is_told_again_and_taken_down_then(
    payer: Payer, stand_in: StandIn, kind: str, status: str, is_open: int
) -> None:
    invoice = payer.invoice(100)
    session = stand_in.pay(payer.pays(invoice).checkout_id)
    early = _event_of(session["payment_intent"], kind, status=status)
    with pytest.raises(ProviderUnavailable):
        tell_again(early)
    with operator_work():
        assert not ProviderEvent.objects.filter(event_id=early["id"]).exists()
    tell("checkout.session.completed", session)
    assert tell_again(early) == "refunded"
    assert (open_of(invoice), payer.account("payments")) == (is_open, -85 * EURO)


def test_a_refund_of_others_is_let_be_where_nothing_is_pending_or_it_is_too_old(
    payer: Payer, stand_in: StandIn
) -> None:
    assert tell_again(_event_of("pi_others")) == "no matching payment"
    grow_older(payer.tops_up(50), "3 days 1 minute")
    assert tell_again(_event_of("pi_others_again")) == "no matching payment"
