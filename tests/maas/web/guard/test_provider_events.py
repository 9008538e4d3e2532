"""Tests of the only address of the API that accepts data without a key: it accepts small bodies that are signed."""

import json
from uuid import uuid4

import httpx
import pytest

from tests.maas.granian_server import GranianServer
from tests.stand_in_stripe import event, signed

PATH = "/v1/payments/stripe/events"


@pytest.fixture
def server(proxied_web: GranianServer) -> GranianServer:
    return proxied_web


def post(server: GranianServer, body: bytes, **headers: str) -> httpx.Response:
    return httpx.post(f"{server.url}{PATH}", content=body, headers=headers)


def test_what_is_signed_is_heard_without_a_key(server: GranianServer) -> None:
    body = json.dumps(event("customer.updated", {"id": uuid4().hex})).encode()
    answer = post(server, body, **{"Stripe-Signature": signed(body)})
    assert (answer.status_code, answer.json()["outcome"]) == (200, "nothing to do")
    assert post(server, body, **{"Stripe-Signature": signed(body)}).json()["outcome"] == "already received"


def test_what_is_not_signed_is_refused(server: GranianServer) -> None:
    for headers in ({}, {"Stripe-Signature": signed(b"other")}, {"Authorization": "Bearer nonsense"}):
        answer = post(server, b"{}", **headers)
        assert (answer.status_code, answer.json()["code"]) == (400, "signature_invalid")


def test_what_is_larger_than_any_event_is_not_read(server: GranianServer) -> None:
    body = b"x" * (257 << 10)
    answer = post(server, body, **{"Stripe-Signature": signed(body)})
    assert (answer.status_code, answer.json()["code"]) == (413, "request_too_large")


def test_nothing_else_there_is_open(server: GranianServer) -> None:
    assert httpx.post(f"{server.url}{PATH}/", content=b"{}").status_code == 401
    assert httpx.post(f"{server.url}/v1/payments", content=b"{}").status_code == 401
    assert httpx.get(f"{server.url}{PATH}").status_code == 405
