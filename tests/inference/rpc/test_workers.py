"""Test workers that start, stop and die, and what happens to the requests that they held."""

import asyncio
import threading
from collections.abc import Callable, Iterator

import pytest
import redis

from inference.core.errors import DeadlinePassed
from inference.rpc import AsyncLaneClient, LaneClient
from inference.rpc.commands import KEPT_LONGER_S
from inference.rpc.errors import WorkerGone
from inference.rpc.keys import wake_key
from inference.rpc.seats import TOLD_MS
from inference.rpc.talk import LISTEN_S
from tests.inference.rpc.conftest import (
    SMALL,
    TIMEOUT_S,
    Caller,
    Model,
    OpenClient,
    StartReader,
    call_of,
    running,
    text,
    wait_in_lane,
    waiting,
)
from tests.inference.workers.brokers.servers import redis_server
from tests.waiting import eventually


def test_lanes_are_added_and_left_while_it_reads(
    start_reader: StartReader, client: LaneClient, model: Model, model_key: str, url: str
) -> None:
    reader = start_reader()
    caller = Caller(client, f"{model_key}2", "x", call_of())
    wait_in_lane(url, f"{model_key}2", 1)
    reader.set_lanes([f"{model_key}2"])
    assert caller.done().error is None
    left = Caller(client, model_key, "y", call_of())
    client.call(f"{model_key}2", text("z"), {}, call_of())
    wait_in_lane(url, model_key, 1)
    assert model.texts() == ["x", "z"]
    left.call.cancel()
    left.done()


def test_a_token_that_was_lost_with_its_reader_strands_nobody(
    start_reader: StartReader, client: LaneClient, model_key: str, url: str
) -> None:
    callers = [Caller(client, model_key, "x", call_of()) for _ in range(3)]
    wait_in_lane(url, model_key, 3)
    store = redis.Redis.from_url(url)
    store.rpop(wake_key(model_key))
    callers[0].call.cancel()
    start_reader()
    done = [caller.done().error for caller in callers[1:]]
    assert done == [None, None]


def test_a_stop_finishes_what_it_can(
    start_reader: StartReader, client: LaneClient, model: Model, model_key: str
) -> None:
    reader = start_reader()
    model.gate.clear()
    caller = Caller(client, model_key, "x", call_of())
    eventually(lambda: model.asked, "it runs")
    stopping = threading.Thread(target=reader.stop, args=[TIMEOUT_S])
    stopping.start()
    model.gate.set()
    stopping.join(TIMEOUT_S)
    assert caller.done().answer == {"texts": ["x"]}


def test_a_stop_gives_back_what_it_cannot_finish_in_order(
    start_reader: StartReader, open_client: OpenClient, model: Model, model_key: str, url: str
) -> None:
    client = open_client(SMALL)
    reader = start_reader(slots=2, limits=SMALL)
    model.gate.clear()
    callers = []
    for number in range(4):
        callers.append(Caller(client, model_key, f"{number}" * 600, call_of()))
        eventually(lambda: len(model.asked) + waiting(url, model_key) == len(callers), "it is there")
    reader.stop(0.1)
    wait_in_lane(url, model_key, 4)
    assert all(request.call.canceled for request in model.asked)
    model.asked.clear()
    model.gate.set()
    start_reader(slots=1)
    for number, caller in enumerate(callers):
        assert caller.done().answer == {"texts": [f"{number}" * 600]}
    assert [one[0] for one in model.texts()] == list("0123")


@pytest.fixture
def own_url() -> Iterator[str]:
    with redis_server() as url:
        yield url


def killed_while_it_holds(url: str, model_key: str, ask: Callable[[], None]) -> None:
    with running("tests.inference.rpc.lane_worker", url, "4", model_key) as worker:
        ask()
        assert worker.stdout is not None
        assert worker.stdout.readline().strip() == "holds"
        worker.kill()


def test_what_a_killed_worker_held_fails_to_be_tried_again_and_what_waits_goes_to_another(
    own_url: str, open_client: OpenClient, model_key: str
) -> None:
    client, callers = open_client(SMALL, at=own_url), []

    def ask() -> None:
        callers.append(Caller(client, model_key, "hold", call_of()))

    killed_while_it_holds(own_url, model_key, ask)
    callers.append(Caller(client, model_key, "x" * 5000, call_of()))
    wait_in_lane(own_url, model_key, 1)
    with running("tests.inference.rpc.lane_worker", own_url, "4", model_key):
        waited = callers[1].done().answer
        assert isinstance(waited, dict)
        assert waited["texts"] == ["x" * 5000]
        error = callers[0].done().error
        assert isinstance(error, WorkerGone)
        assert error.retryable
    store = redis.Redis.from_url(own_url)
    assert list(store.scan_iter("maas:lane-claim:*")) == []
    longest_ms = (SMALL.longest_s + KEPT_LONGER_S) * 1000
    assert [key for key in store.scan_iter("*") if not 0 < store.pttl(key) <= longest_ms] == []


def test_what_a_killed_worker_held_ends_by_its_deadline_where_that_is_sooner(
    own_url: str, open_client: OpenClient, model_key: str
) -> None:
    client, callers = open_client(at=own_url), []

    def ask() -> None:
        callers.append(Caller(client, model_key, "hold", call_of(within_s=1.0)))

    killed_while_it_holds(own_url, model_key, ask)
    (caller,) = callers
    assert isinstance(caller.done().error, DeadlinePassed)
    assert caller.ended_s < (caller.call.deadline_s or 0.0) + 0.5


def test_an_asyncio_caller_is_told_that_its_worker_was_killed(own_url: str, model_key: str) -> None:
    async def call() -> None:
        client = AsyncLaneClient(own_url)
        tasks = []

        def ask() -> None:
            tasks.append(asyncio.run_coroutine_threadsafe(client.call(model_key, text("hold"), {}, call_of()), loop))

        loop = asyncio.get_running_loop()
        await asyncio.to_thread(killed_while_it_holds, own_url, model_key, ask)
        with pytest.raises(WorkerGone):
            await asyncio.wrap_future(tasks[0])
        await client.close()

    asyncio.run(call())


def test_a_call_that_runs_for_long_is_not_taken_for_lost(
    start_reader: StartReader, client: LaneClient, model: Model, model_key: str
) -> None:
    start_reader(slots=1)
    model.gate.clear()
    caller = Caller(client, model_key, "x", call_of(within_s=60))
    eventually(lambda: model.asked, "it runs")
    caller.join(TOLD_MS / 1000 + 3 * LISTEN_S)
    assert caller.is_alive()
    model.gate.set()
    assert caller.done().answer == {"texts": ["x"]}
