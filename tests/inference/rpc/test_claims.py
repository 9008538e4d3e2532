"""Test inputs and answers that are too large for the queue itself."""

from functools import partial

import pytest
import redis

from inference.core.contracts import WorkRefused
from inference.core.errors import CallCanceled, ModelFailed
from inference.rpc import LaneClient, LaneLimits
from inference.rpc.keys import wake_key
from tests.inference.rpc.conftest import (
    SMALL,
    Caller,
    Model,
    OpenClient,
    StartReader,
    call_of,
    text,
    wait_in_lane,
)
from tests.waiting import eventually


def test_large_inputs_and_answers_travel_beside_the_lane_and_leave_nothing(
    start_reader: StartReader, open_client: OpenClient, model: Model, model_key: str, url: str
) -> None:
    client = open_client(SMALL)
    caller = Caller(client, model_key, "x" * 5000, call_of())
    wait_in_lane(url, model_key, 1)
    store = redis.Redis.from_url(url)
    (entry,) = store.lrange(wake_key(model_key), 0, -1)
    assert len(entry) < 500
    start_reader(limits=SMALL)
    caller.done()
    assert caller.answer == {"texts": ["x" * 5000]}
    assert list(store.scan_iter("maas:lane-claim:*")) == []


def test_an_input_that_is_too_large_is_refused_to_its_caller(open_client: OpenClient, model_key: str) -> None:
    with pytest.raises(WorkRefused, match="at most 20000 fit"):
        open_client(SMALL).call(model_key, text("x" * 20_001), {}, call_of())


def test_an_input_that_is_larger_than_this_worker_takes_is_not_read_into_memory(
    start_reader: StartReader, client: LaneClient, model_key: str
) -> None:
    start_reader(limits=LaneLimits(payload_bytes=1000))
    with pytest.raises(ModelFailed, match="the input is gone"):
        client.call(model_key, text("x" * 100_000), {}, call_of())


def test_an_answer_that_is_too_large_is_an_error(start_reader: StartReader, client: LaneClient, model_key: str) -> None:
    start_reader(limits=LaneLimits(answer_bytes=1000))
    with pytest.raises(ModelFailed, match="model_output_too_large"):
        client.call(model_key, text("x" * 2000), {}, call_of())


def test_large_inputs_of_those_who_share_a_run_or_leave_it_are_erased(
    start_reader: StartReader, open_client: OpenClient, model: Model, model_key: str, url: str
) -> None:
    client = open_client(SMALL)
    store = redis.Redis.from_url(url)

    def lie_there(count: int) -> bool:
        return len(list(store.scan_iter("maas:lane-claim:*:work"))) == count

    start_reader(limits=SMALL)
    model.gate.clear()
    callers = [Caller(client, model_key, "x" * 5000, call_of(), coalesce="same")]
    eventually(lambda: model.asked, "it runs, its input read")
    for number in (1, 2):
        callers.append(Caller(client, model_key, "x" * 5000, call_of(), coalesce="same"))
        eventually(partial(lie_there, number), "its input lies there")
    callers[1].call.cancel()
    assert isinstance(callers[1].done().error, CallCanceled)
    assert lie_there(1)
    model.gate.set()
    assert callers[0].done().answer == callers[2].done().answer == {"texts": ["x" * 5000]}
    assert lie_there(0)
