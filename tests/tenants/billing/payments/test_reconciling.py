"""Tests that payments are compared with the ledger and with the provider's list: each difference is reported."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connections

from jobs.charges.reconciling import reconcile
from tenants.billing.ledger.checks import Compared
from tenants.billing.ledger.models import LedgerDifference
from tenants.billing.payments import reconciling
from tenants.billing.payments.protocol import Ours, Standing, against_provider
from tenants.billing.payments.reconciling import compare_payments, compare_provider
from tenants.billing.payments.refunds import ask_refund
from tenants.core.db.unit_of_work import OPERATOR, operator_work
from tenants.core.ids import uuid7
from tests.stand_in_stripe import StandIn

from .conftest import EURO, Payer, decide, fresh, paid, tell


def run(statement: str, *values: Any) -> None:
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute(statement, values)


def of(payer: Payer, found: list[Compared] | None) -> list[tuple[str, int, int]]:
    assert found is not None
    return [(one.compared, one.expected_micros, one.found_micros) for one in found if one.tenant_id == payer.tenant_id]


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reconciling, "SETTLES_WITHIN", timedelta(seconds=-60))


def test_what_agrees_is_not_told(payer: Payer, stand_in: StandIn) -> None:
    for _ in range(5):  # This is more than a page of the stand-in's lists.
        payment = paid(payer, stand_in)
    ask_refund(decide(payment, 20).id)
    assert of(payer, compare_provider()) == []
    assert of(payer, compare_payments()) == []


def test_what_only_the_payments_or_only_the_books_have_is_told(payer: Payer, stand_in: StandIn) -> None:
    unbooked, booked = payer.tops_up(50), paid(payer, stand_in)
    run("UPDATE tenants_payment SET status = 'succeeded' WHERE id = %s", unbooked.id)
    run("UPDATE tenants_payment SET status = 'failed' WHERE id = %s", booked.id)
    assert sorted(of(payer, compare_payments())) == [("payment", 0, 50 * EURO), ("payment", 50 * EURO, 0)]


def test_an_invoice_that_says_paid_and_was_not_is_told(payer: Payer) -> None:
    invoice = payer.invoice(100)
    run("UPDATE tenants_invoice SET paid_micros = %s WHERE id = %s", 30 * EURO, invoice.id)
    assert sorted(of(payer, compare_payments())) == [
        ("invoice_paid", 0, 30 * EURO),
        ("receivable", 70 * EURO, 100 * EURO),
    ]


def test_what_the_provider_has_and_we_do_not_is_told_and_the_other_way_round(payer: Payer, stand_in: StandIn) -> None:
    lost, made_up = payer.tops_up(50), paid(payer, stand_in)
    stand_in.pay(lost.checkout_id)
    del stand_in.account.intents[made_up.provider_id]
    assert sorted(of(payer, compare_provider())) == [
        ("provider", 0, 50 * EURO),
        ("provider", 50 * EURO, 0),
    ]


def test_a_refund_that_only_the_provider_knows_is_told(payer: Payer, stand_in: StandIn) -> None:
    payment = paid(payer, stand_in)
    stand_in.intent(payment.provider_id)["latest_charge"]["amount_refunded"] = 1000
    assert of(payer, compare_provider()) == [("provider", 40 * EURO, 50 * EURO)]


def test_a_payment_whose_row_is_lost_is_told(payer: Payer, stand_in: StandIn) -> None:
    """The row is missing as after the restore of a backup of the database from before the payment."""
    payment = payer.tops_up(50)
    stand_in.pay(payment.checkout_id)
    for row in stand_in.account.intents.values():
        row["metadata"] = {**row["metadata"], "maas_payment": str(uuid7())}
    assert of(payer, compare_provider()) == [("provider", 50 * EURO, 0)]


def test_while_the_provider_is_away_nothing_that_was_told_is_gone(payer: Payer, stand_in: StandIn) -> None:
    payment = payer.tops_up(50)
    stand_in.pay(payment.checkout_id)
    reconcile()
    stand_in.account.troubles = ["500"] * 10
    reconcile()
    with operator_work():
        row = LedgerDifference.objects.get(tenant_id=payer.tenant_id, compared="provider")
    assert row.resolved_at is None
    stand_in.account.troubles = []
    tell("checkout.session.completed", stand_in.account.sessions[payment.checkout_id])
    reconcile()
    assert fresh(row).resolved_at is not None


def test_both_ways_are_compared_by_what_is_left_and_other_installations_let_be() -> None:
    mine, gone, tenant = uuid7(), uuid7(), uuid7()
    ours = {mine: Ours(tenant, "EUR", 50, 20), gone: Ours(tenant, "EUR", 7, 0)}
    others = Standing("succeeded", "EUR", 5, uuid7(), uuid7(), "pi_2")
    theirs = [Standing("succeeded", "EUR", 50, mine, tenant, "pi_1", refunded_micros=20), others]
    assert [
        (one.subject, one.expected_micros, one.found_micros)
        for one in against_provider(ours, theirs, tenants={mine: tenant, gone: tenant})
    ] == [(str(gone), 0, 7)]
