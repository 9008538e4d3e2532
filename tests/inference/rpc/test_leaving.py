"""Test calls that are canceled, or whose deadline passes."""

import asyncio

import pytest
import redis

from inference.core.calls import Call
from inference.core.errors import CallCanceled, DeadlinePassed
from inference.rpc import AsyncLaneClient, LaneClient
from tests.inference.rpc.conftest import (
    TIMEOUT_S,
    Caller,
    Model,
    StartReader,
    call_of,
    text,
    wait_in_lane,
    waiting,
)
from tests.waiting import eventually


def test_a_deadline_is_told_in_time_and_what_expired_is_never_run(
    start_reader: StartReader, client: LaneClient, model: Model, model_key: str
) -> None:
    for _ in range(3):
        with pytest.raises(DeadlinePassed, match="did not answer"):
            client.call(model_key, text("late"), {}, call_of(within_s=0.05))
    start_reader()
    client.call(model_key, text("timely"), {}, call_of())
    assert model.texts() == ["timely"]


def test_a_cancel_takes_a_waiting_request_out_of_the_lane(
    start_reader: StartReader, client: LaneClient, model: Model, model_key: str, url: str
) -> None:
    callers = [Caller(client, model_key, str(number), call_of()) for number in range(3)]
    wait_in_lane(url, model_key, 3)
    for caller in callers:
        caller.call.cancel()
        assert isinstance(caller.done().error, CallCanceled)
    assert waiting(url, model_key) == 0
    start_reader()
    client.call(model_key, text("after"), {}, call_of())
    assert model.texts() == ["after"]


def test_a_cancel_is_heard_where_the_request_runs(
    start_reader: StartReader, client: LaneClient, model: Model, model_key: str, url: str
) -> None:
    reader = start_reader(slots=1)
    model.gate.clear()
    caller = Caller(client, model_key, "x", call_of())
    eventually(lambda: model.asked, "it runs")
    store = redis.Redis.from_url(url)
    with store.pubsub(ignore_subscribe_messages=True) as channel:  # type: ignore[no-untyped-call]
        channel.subscribe("maas:control")
        channel.get_message(timeout=TIMEOUT_S)
        caller.call.cancel()
        assert isinstance(caller.done().error, CallCanceled)
        word = eventually(lambda: channel.get_message(timeout=1), "the word")
    assert b'"lane_cancel"' in word["data"]
    request_id = word["data"].split(b'"request": "')[1][:32].decode()
    assert not model.asked[0].call.canceled
    reader.cancel(request_id)
    assert model.asked[0].call.canceled
    model.gate.set()
    client.call(model_key, text("the slot is free"), {}, call_of())


def test_a_task_that_is_canceled_takes_its_request_with_it(
    model_key: str, url: str, start_reader: StartReader, model: Model
) -> None:
    async def leave_two() -> None:
        client = AsyncLaneClient(url)
        calls = [call_of(), call_of()]
        tasks = [asyncio.create_task(client.call(model_key, text("x"), {}, call)) for call in calls]
        await asyncio.to_thread(wait_in_lane, url, model_key, 2)
        tasks[0].cancel()
        await asyncio.to_thread(calls[1].cancel)
        first, second = await asyncio.gather(*tasks, return_exceptions=True)
        assert isinstance(first, asyncio.CancelledError)
        assert isinstance(second, CallCanceled)
        await asyncio.to_thread(wait_in_lane, url, model_key, 0)
        await client.close()

    asyncio.run(leave_two())


def test_a_call_that_was_canceled_or_is_late_already_asks_nobody(client: LaneClient, model_key: str) -> None:
    canceled = Call(tenant="a")
    canceled.cancel()
    with pytest.raises(CallCanceled):
        client.call(model_key, text("x"), {}, canceled)
    with pytest.raises(DeadlinePassed):
        client.call(model_key, text("x"), {}, call_of(within_s=-1))
