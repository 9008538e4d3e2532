"""Tests of `/v1/payments`: one payment per idempotency key, shown to its tenant alone, for permitted callers only."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import DEFAULT_DB_ALIAS as APP
from django.db import connections
from django.test.utils import CaptureQueriesContext
from rest_framework.response import Response
from rest_framework.test import APIRequestFactory

from jobs.api.payments import PaymentDetail, PaymentList
from jobs.core.errors import RequestInProgress
from jobs.idempotency.idempotent_requests import Answered, Keep, make_in_steps
from jobs.idempotency.keys import Sent
from jobs.idempotency.models import IdempotencyKey
from tenants.api.authentication import IDENTITY
from tenants.api_keys.services import create_key
from tenants.authentication.selectors import identify_key
from tenants.billing.payments.models import Payment
from tenants.billing.payments.services import TopUp, begin_top_up
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.core.ids import uuid7
from tenants.onboarding.create_tenant import CreatedTenant
from tests.stand_in_stripe import StandIn
from tests.tenants.billing.payments.conftest import EURO, Payer, payer, stand_in

__all__ = ["payer", "stand_in"]
CREDIT = {"amount_micros": 50 * EURO, "currency": "EUR"}


def key_of(tenant: CreatedTenant, *scopes: str, livemode: bool = True) -> str:
    with unit_of_work(tenant.tenant.id):
        made = create_key(tenant_id=tenant.tenant.id, name="pays", scopes=scopes, livemode=livemode)
    return made.text


@pytest.fixture
def key(tenant: CreatedTenant) -> str:
    return key_of(tenant, "billing:read", "billing:write")


def post(key: str, body: dict[str, Any], again: str = "") -> Response:
    headers = {"HTTP_IDEMPOTENCY_KEY": again} if again else {}
    request = APIRequestFactory().post("/v1/payments", body, format="json", **headers)
    request.META[IDENTITY] = identify_key(key)
    return PaymentList.as_view()(request)


def get(key: str, payment_id: object = "") -> Response:
    request = APIRequestFactory().get(f"/v1/payments/{payment_id}")
    request.META[IDENTITY] = identify_key(key)
    if payment_id:
        return PaymentDetail.as_view()(request, payment_id=str(payment_id))
    return PaymentList.as_view()(request)


def test_a_payment_is_begun_once_under_its_key(key: str, payer: Payer, stand_in: StandIn) -> None:
    first, again = (post(key, CREDIT, "k1") for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.data["id"] == again.data["id"]
    assert again["Idempotent-Replay"] == "true"
    assert first.data["checkout_url"].startswith(f"{stand_in.url}/c/pay/")
    assert post(key, {**CREDIT, "amount_micros": EURO}, "k1").data["code"] == "idempotency_key_reused"
    assert len(stand_in.account.sessions) == 1


def test_a_payment_is_there_with_its_key_or_not_at_all(tenant: CreatedTenant, key: str, payer: Payer) -> None:
    """Another process has kept the key a moment before. The payment that this process began does not stay open."""
    identity = identify_key(key)
    sent = Sent(identity.tenant_id, "create_payment", "k3", "f" * 64)

    def begin(keep: Keep[Payment]) -> Answered[Payment]:
        def also(made: Payment) -> None:
            with ThreadPoolExecutor(1) as other:
                other.submit(keep_elsewhere, made).result()
            keep(Answered(made, 201))

        def keep_elsewhere(made: Payment) -> None:
            with operator_work():
                IdempotencyKey.objects.create(
                    tenant_id=identity.tenant_id,
                    key="k3",
                    operation="create_payment",
                    fingerprint="",
                    made_id=made.id,
                )
            connections.close_all()

        wanted = TopUp("EUR", 50 * EURO)
        made = begin_top_up(tenant_id=identity.tenant_id, provider="offline", wanted=wanted, made_by="test", also=also)
        return Answered(made, 201)

    with pytest.raises(RequestInProgress):
        make_in_steps(sent, make=begin, look=lambda _: Payment())
    with unit_of_work(identity.tenant_id):
        assert not Payment.objects.exists()


def test_whoever_was_not_answered_is_given_the_page_when_they_ask_again(
    key: str, payer: Payer, stand_in: StandIn
) -> None:
    payer.has_card(stand_in)
    stand_in.account.troubles = ["after", "after"]
    refused = post(key, CREDIT, "k2")
    assert (refused.status_code, refused.data["code"]) == (503, "payment_provider_unavailable")
    assert post(key, CREDIT, "k2").data["checkout_url"]
    assert len(stand_in.account.sessions) == 1


def test_a_transfer_is_told_where_it_goes(key: str, payer: Payer) -> None:
    invoice = payer.invoice(100)
    told = post(key, {"invoice": str(invoice.id), "provider": "offline"}).data
    assert (told["amount_micros"], told["status"]) == (100 * EURO, "pending")
    assert told["instructions"]["reference"] == invoice.number
    assert told["checkout_url"] is None
    assert get(key, told["id"]).data == told
    assert [one["id"] for one in get(key).data["data"]] == [told["id"]]


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ({}, "amount_micros"),
        ({"amount_micros": 1, "currency": "EUR"}, "multiple"),
        ({"amount_micros": 10**13, "currency": "EUR"}, "at most"),
        ({"amount_micros": EURO, "currency": "USD"}, "EUR"),
        ({"amount_micros": EURO, "currency": "eur"}, "currency"),
        ({"amount_micros": -EURO, "currency": "EUR"}, "amount_micros"),
        ({"amount_micros": EURO, "currency": "EUR", "provider": "stripe"}, "offline"),
        ({"amount_micros": EURO, "currency": "EUR", "invoice": str(uuid7())}, "invoice"),
        ({**CREDIT, "ammount": 1}, "ammount"),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_reason(key: str, payer: Payer, body: dict[str, Any], word: str) -> None:
    answer = post(key, body)
    assert (answer.status_code, answer.data["code"]) == (400, "invalid_request")
    assert word in answer.data["detail"]
    assert get(key).data["data"] == []


def test_anothers_payment_and_invoice_never_were(key: str, payer: Payer, other_tenant: CreatedTenant) -> None:
    other = Payer(other_tenant.tenant.id)
    theirs = other.tops_up(50, "offline")
    for foreign, unknown in (
        (get(key, theirs.id), get(key, uuid7())),
        (post(key, {"invoice": str(other.invoice(5).id)}), post(key, {"invoice": str(uuid7())})),
    ):
        assert foreign.status_code == unknown.status_code == 404
    assert get(key).data["data"] == []


def test_a_key_pays_only_where_it_may(tenant: CreatedTenant, payer: Payer) -> None:
    reading = key_of(tenant, "billing:read")
    assert post(reading, CREDIT).data["code"] == "insufficient_scope"
    assert get(key_of(tenant, "jobs:read")).data["code"] == "insufficient_scope"
    test_key = key_of(tenant, "billing:read", "billing:write", livemode=False)
    assert "test key" in post(test_key, CREDIT).data["detail"]


def test_however_many_transfers_are_listed_the_bank_details_are_read_once(key: str, payer: Payer) -> None:
    for _ in range(3):
        payer.tops_up(50, "offline")
    with CaptureQueriesContext(connections[APP]) as seen:
        assert len(get(key).data["data"]) == 3
    assert sum("tenants_seller" in one["sql"] for one in seen.captured_queries) == 1
