"""Test what is recorded of a call, and when."""

import asyncio
from uuid import UUID

import pytest
from django.conf import settings

from inference.gateway.exchange import Exchange
from inference.gateway.gateway import EMBEDDINGS, Gateway
from inference.gateway.replies import Reply
from tenants.billing.metering.events import MeterEvent, read_event
from tenants.billing.metering.keys import FIELD, STREAM
from tenants.billing.metering.roll_up import Backlog, durable_redis
from tenants.billing.metering.stream import MeteringUnavailable, MeterStream
from tenants.core.asgi.protocol import Message, Receive, Scope, Send
from tenants.core.asgi.stopping import Stop
from tenants.core.errors import DomainError
from tenants.core.ids import uuid7
from tenants.plans.prices import Price

NOWHERE = "redis://127.0.0.1:1/0"


def written_down(use: MeterEvent) -> bool:
    batches = Backlog(durable_redis(), STREAM).batches()
    return any(read_event(entry.fields[FIELD]).id == use.id for batch in batches for entry in batch)


def use_of_a_token() -> MeterEvent:
    return MeterEvent(uuid7(), UUID(int=1), "call", "m", 1, 1, Price("token", 1, 1, "EUR"), True, 0)


def called(use: MeterEvent, error: DomainError | None, meter_url: str) -> list[Message]:
    """Return what is sent for a call whose model has run, and whose handler then ends with this error or
    without one.
    """
    sent: list[Message] = []

    async def handler(exchange: Exchange) -> Reply:
        exchange.uses.append(use)
        if error is not None:
            raise error
        return Reply(b"{}")

    async def never(scope: Scope, receive: Receive, send: Send) -> None:
        raise AssertionError("a call is none of Django's")

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        assert written_down(use), "before the answer leaves"
        sent.append(message)

    async def scenario() -> None:
        meter = MeterStream(meter_url)
        gateway = Gateway(never, Stop(), meter, embeddings=handler, open_inference=handler)
        try:
            await gateway({"type": "http", "path": EMBEDDINGS, "headers": []}, receive, send)
        finally:
            await meter.close()

    asyncio.run(scenario())
    return sent


def test_a_use_is_written_down_before_its_answer_leaves() -> None:
    assert [message["type"] for message in called(use_of_a_token(), None, settings.MAAS_REDIS_URL)] == [
        "http.response.start",
        "http.response.body",
    ]


@pytest.mark.parametrize(("code", "counts"), [("invalid_request", True), ("model_output_invalid", False)])
def test_of_what_fails_after_the_run_only_what_was_wrongly_asked_counts(code: str, counts: bool) -> None:
    use = use_of_a_token()
    with pytest.raises(DomainError, match="no answer"):
        called(use, DomainError("no answer", code=code), settings.MAAS_REDIS_URL)
    assert written_down(use) == counts


def test_what_cannot_be_written_down_is_not_answered() -> None:
    with pytest.raises(MeteringUnavailable):
        called(use_of_a_token(), None, NOWHERE)
