"""Tests of one line in a handler of the gateway: what it used, and what becomes of a refusal."""

import asyncio
from dataclasses import replace

import pytest

from inference.gateway.batch_lines import PinnedTargets
from inference.gateway.exchange import Exchange
from inference.gateway.gateway import Handler
from inference.gateway.replies import Reply
from inference.gateway.room import Room
from inference.gateway.targets import Target, Targets
from inference.registry.models import ServedModel
from jobs.batches import line_calls
from jobs.batches.claims import TaskClaim
from jobs.batches.ids import line_id
from jobs.batches.line_calls import LineCall, SliceAsker
from jobs.batches.line_parsing import BatchLine
from jobs.batches.tries import max_tries
from maas.web.guard.refusals import worded
from tenants.core.asgi.protocol import ClientGone
from tenants.core.asgi.stopping import Stop
from tenants.core.asgi.threads import DatabaseThreads
from tenants.core.db.unit_of_work import operator_work
from tenants.core.errors import DomainError
from tenants.core.ids import uuid7
from tenants.plans.prices import Price

from .desk import BatchDesk
from .test_settlement import use

LINE = BatchLine(7, "mine", {"model": "any", "input": "a"}, "any")


@pytest.fixture
def claim(desk: BatchDesk) -> TaskClaim:
    return desk.claimed(desk.checked())


def asked(claim: TaskClaim, handler: Handler) -> LineCall:
    return asyncio.run(SliceAsker(claim, handler, worded, Stop(), Room()).ask(LINE))


def test_a_use_has_the_lines_own_id_however_often_it_is_run(claim: TaskClaim) -> None:
    async def handle(exchange: Exchange) -> Reply:
        assert await exchange.body() == b'{"model":"any","input":"a"}'
        exchange.uses += [replace(use(claim, 1), source_kind="call", price=Price("token", 1, 1, "EUR"))]
        exchange.tokens = 3
        return Reply(b"{}")

    first, second = asked(claim, handle), asked(claim, handle)
    assert (first.status, first.tokens) == (200, 3)
    assert [one.id for one in first.uses] == [line_id(claim.batch_id, 7)] == [one.id for one in second.uses]
    assert {one.source_kind for one in first.uses} == {"batch_line"}


def test_lines_pay_the_prices_of_the_time_when_they_were_checked(desk: BatchDesk) -> None:
    served = desk.version.served_model
    claim = desk.claimed(desk.checked())
    with operator_work():
        ServedModel.objects.filter(id=served.id).update(price_micros=999_999, cached_price_micros=888_888)
    assert claim.price is not None
    assert claim.model_key is not None
    now = asyncio.run(_found(Targets(threads := DatabaseThreads("prices", 1)), claim.model_key))
    assert (now.price.amount_micros, now.price_of_hits.amount_micros) == (999_999, 888_888)
    pinned = PinnedTargets(Targets(threads), claim.model_key, claim.price, claim.cached_price)
    then = asyncio.run(_found(pinned, claim.model_key))
    assert (then.price, then.price_of_hits) == (served.price, served.cached_price)
    threads.close()


async def _found(targets: Targets, key: str) -> Target:
    return await targets.find(uuid7(), key)


def test_an_answer_that_is_no_json_is_refused_and_paid_for(claim: TaskClaim) -> None:
    async def handle(exchange: Exchange) -> Reply:
        exchange.uses.append(use(claim, 1))
        return Reply(b"\0\1", "application/octet-stream")

    found = asked(claim, handle)
    assert found.status == 400
    assert b"cannot contain binary tensors" in found.body
    assert len(found.uses) == 1


def test_an_answer_that_is_larger_than_a_line_may_be_is_refused(
    claim: TaskClaim, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_calls, "MAX_ANSWER_BYTES", 10)

    async def handle(exchange: Exchange) -> Reply:
        exchange.uses.append(use(claim, 1))
        return Reply(b'{"long": 1}')

    found = asked(claim, handle)
    assert found.status == 400
    assert b"has 11 bytes" in found.body
    assert len(found.uses) == 1


def test_a_run_that_was_broken_off_is_tried_again_and_is_no_fault_of_the_line(claim: TaskClaim) -> None:
    async def handle(exchange: Exchange) -> Reply:
        raise ClientGone

    with pytest.raises(DomainError) as refusal:
        asked(claim, handle)
    assert max_tries(refusal.value) is None
