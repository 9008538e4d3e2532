"""Test a call between a client and a reader, through Redis."""

import asyncio
from contextlib import ExitStack
from typing import cast

import numpy as np
import pytest
import redis

from inference.core.contracts import TensorInput, TextInput, WorkRefused
from inference.core.errors import CallCanceled, DeadlinePassed, ModelFailed, StepFailed
from inference.rpc import AsyncLaneClient, LaneClient
from inference.rpc.envelopes import read_request
from inference.rpc.keys import read_entry, wake_key
from tests.inference.rpc.conftest import (
    Caller,
    Model,
    OpenClient,
    StartReader,
    call_of,
    running,
    text,
    wait_in_lane,
)
from tests.waiting import eventually


def test_a_text_is_answered_with_how_long_it_took(
    start_reader: StartReader, client: LaneClient, model_key: str
) -> None:
    start_reader()
    answer = client.call(model_key, text("hello"), {}, call_of())
    assert answer.output.result == {"texts": ["hello"]}
    assert answer.queue_ms >= 0
    assert answer.run_ms > 0


def test_the_model_is_asked_for_the_tenant_until_the_deadline_with_the_parameters(
    start_reader: StartReader, client: LaneClient, model: Model, model_key: str
) -> None:
    start_reader()
    call = call_of("tenant-7")
    client.call(model_key, text("hello"), {"top": 3}, call)
    (asked,) = model.asked
    assert (asked.model_key, asked.parameters, asked.call.tenant) == (model_key, {"top": 3}, "tenant-7")
    assert call.deadline_s is not None
    assert asked.call.deadline_s == pytest.approx(call.deadline_s, abs=0.5)


@pytest.mark.parametrize(
    "error", [WorkRefused("input_empty", "no text"), StepFailed("rank", "model_output_invalid", "no rows")]
)
def test_what_the_model_raises_is_raised_at_the_caller(
    start_reader: StartReader, client: LaneClient, model: Model, model_key: str, error: Exception
) -> None:
    model.fails = error
    start_reader()
    with pytest.raises(type(error)) as raised:
        client.call(model_key, text("hello"), {}, call_of())
    assert vars(raised.value) == vars(error)


def test_a_crash_of_ours_names_no_secrets_and_the_lane_goes_on(
    start_reader: StartReader, client: LaneClient, model: Model, model_key: str
) -> None:
    start_reader(slots=1)
    model.fails = ZeroDivisionError("a secret")
    with pytest.raises(ModelFailed, match="internal_error") as raised:
        client.call(model_key, text("hello"), {}, call_of())
    assert "secret" not in str(raised.value)
    model.fails = None
    assert client.call(model_key, text("again"), {}, call_of()).output.result == {"texts": ["again"]}


def test_tensors_reach_the_model_as_they_were(
    url: str, model_key: str, open_client: OpenClient, start_reader: StartReader, model: Model
) -> None:
    start_reader()
    tensor = np.random.default_rng(7).random((3, 224, 224)).astype(np.float32)
    open_client().call(model_key, TensorInput({"x": tensor}), {}, call_of())
    work = model.asked[0].work
    assert isinstance(work, TensorInput)
    assert work.tensors["x"].tobytes() == tensor.tobytes()


def test_asyncio_calls_share_the_lane(start_reader: StartReader, model_key: str, url: str, model: Model) -> None:
    start_reader(slots=8)

    async def ask() -> list[object]:
        client = AsyncLaneClient(url)
        works = [TextInput((f"{number}" * 30_000,), True) for number in range(20)]
        answers = await asyncio.gather(*[client.call(model_key, work, {}, call_of()) for work in works])
        with pytest.raises(DeadlinePassed):
            await client.call("nobody@1", text("x"), {}, call_of(within_s=0.05))
        await client.close()
        return [answer.output.result["texts"][0][:2] for answer in answers]

    assert asyncio.run(ask()) == [f"{number}{number}"[:2] for number in range(20)]


def test_the_same_questions_of_one_tenant_share_a_run(
    start_reader: StartReader, client: LaneClient, model: Model, model_key: str
) -> None:
    start_reader(slots=4)
    model.gate.clear()
    callers = [Caller(client, model_key, "same", call_of("a"), coalesce="digest") for _ in range(3)]
    other = Caller(client, model_key, "same", call_of("b"), coalesce="digest")
    eventually(lambda: len(model.asked) == 2, "both tenants' run")
    callers[0].call.cancel()
    assert isinstance(callers[0].done().error, CallCanceled)
    model.gate.set()
    for caller in [*callers[1:], other]:
        assert caller.done().answer == {"texts": ["same"]}
    assert sorted(model.tenants()) == ["a", "b"]


def test_bytes_that_are_no_request_are_dropped_and_the_lane_goes_on(
    start_reader: StartReader, client: LaneClient, model_key: str, url: str
) -> None:
    store = redis.Redis.from_url(url)
    store.rpush(wake_key(model_key), b"x", b"\x00" * 40, b"\xff" * 500)
    start_reader(slots=1)
    assert client.call(model_key, text("after"), {}, call_of()).output.result == {"texts": ["after"]}


def test_bytes_that_are_no_reply_are_dropped_and_the_client_goes_on(
    start_reader: StartReader, client: LaneClient, model_key: str, url: str
) -> None:
    store = redis.Redis.from_url(url)
    caller = Caller(client, model_key, "x", call_of())
    wait_in_lane(url, model_key, 1)
    (entry,) = cast("list[bytes]", store.lrange(wake_key(model_key), 0, -1))
    replies = read_request(read_entry(entry).message).replies
    store.rpush(replies, b"x", b"\x09" * 100, b"\x01\x01" + b"f" * 32 + b"late")
    start_reader()
    assert caller.done().answer == {"texts": ["x"]}


def test_processes_that_ask_and_processes_that_serve_get_nothing_of_each_other(url: str, model_key: str) -> None:
    with ExitStack() as stack:
        for _ in range(2):
            stack.enter_context(running("tests.inference.rpc.lane_worker", url, "4", model_key))
        askers = [
            stack.enter_context(running("tests.inference.rpc.lane_asker", url, model_key, name))
            for name in ("one", "two")
        ]
        for asker in askers:
            assert asker.stdout is not None
            assert asker.stdout.readline().strip() == "right: 200"
