"""Test a Redis that dies and comes back empty, and connections that are cut."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest
import redis

from inference.core.errors import DeadlinePassed
from inference.rpc import AsyncLaneClient, LaneClient, LaneUnavailable
from tests.inference.rpc.conftest import (
    TIMEOUT_S,
    Caller,
    Model,
    OpenClient,
    StartReader,
    call_of,
    text,
    wait_in_lane,
)
from tests.inference.rpc.mortal import LaneWire, MortalRedis
from tests.inference.workers.brokers.servers import redis_server
from tests.waiting import eventually


@pytest.fixture
def mortal() -> Iterator[MortalRedis]:
    server = MortalRedis()
    yield server
    server.thaw()
    server.kill()


@pytest.fixture
def wire() -> Iterator[LaneWire]:
    with redis_server() as url:
        wire = LaneWire(url)
        yield wire
        wire.cut()


def answers(client: LaneClient, model_key: str) -> bool:
    try:
        return client.call(model_key, text("x"), {}, call_of(within_s=2)).output.result == {"texts": ["x"]}
    except LaneUnavailable:
        return False


def test_whoever_waits_when_redis_dies_is_told_at_once_and_after_a_restart_all_goes_on(
    mortal: MortalRedis, start_reader: StartReader, open_client: OpenClient, model: Model, model_key: str
) -> None:
    client = open_client(at=mortal.url)
    start_reader(at=mortal.url)
    assert answers(client, model_key)
    waiting = Caller(client, "nobody@1", "x", call_of(within_s=600))
    model.gate.clear()
    running = Caller(client, model_key, "running", call_of(within_s=600))
    eventually(lambda: len(model.asked) == 2, "it runs")
    mortal.kill()
    assert isinstance(waiting.done().error, LaneUnavailable)
    assert isinstance(running.done().error, LaneUnavailable)
    with pytest.raises(LaneUnavailable, match="did not take the request"):
        client.call(model_key, text("x"), {}, call_of())
    model.gate.set()
    mortal.start()
    eventually(lambda: answers(client, model_key), "the lane answers again", TIMEOUT_S)


def test_an_answer_is_offered_until_the_worker_reaches_redis_again(
    wire: LaneWire, start_reader: StartReader, open_client: OpenClient, model: Model, model_key: str
) -> None:
    start_reader(at=wire.url)
    model.gate.clear()
    caller = Caller(open_client(at=wire.target_url), model_key, "x", call_of())
    eventually(lambda: model.asked, "it runs")
    wire.cut()
    model.gate.set()
    wire.mend()
    assert caller.done().answer == {"texts": ["x"]}


def test_an_answer_is_found_again_by_a_caller_whose_connection_broke(
    wire: LaneWire, start_reader: StartReader, open_client: OpenClient, model: Model, model_key: str
) -> None:
    start_reader(at=wire.target_url)
    model.gate.clear()
    caller = Caller(open_client(at=wire.url), model_key, "x", call_of())
    eventually(lambda: model.asked, "it runs")
    wire.hang_up()
    model.gate.set()
    assert caller.done().answer == {"texts": ["x"]}


def test_calls_during_an_outage_end_by_their_deadlines(
    mortal: MortalRedis, open_client: OpenClient, model_key: str
) -> None:
    client = open_client(at=mortal.url)
    call = call_of(within_s=2)
    waits = Caller(client, model_key, "x", call)
    eventually(lambda: redis.Redis.from_url(mortal.url).exists(f"maas:lane:{model_key}:wake"), "it waits")
    mortal.kill()
    assert isinstance(waits.done().error, LaneUnavailable)
    assert call.deadline_s is not None
    assert time.monotonic() < call.deadline_s + 5
    mortal.start()


def test_calls_to_a_redis_that_hangs_end_by_their_deadlines_and_say_why(
    mortal: MortalRedis, start_reader: StartReader, open_client: OpenClient, model: Model, model_key: str
) -> None:
    client = open_client(at=mortal.url)
    start_reader(at=mortal.url)
    assert answers(client, model_key)
    model.gate.clear()
    calls = [call_of(within_s=1.5), call_of(within_s=1.5)]
    callers = [Caller(client, model_key, "x", calls[0])]
    eventually(lambda: len(model.asked) == 2, "it runs")
    mortal.freeze()
    callers += [Caller(client, model_key, "y", calls[1])]
    for caller in callers:
        assert isinstance(caller.done().error, LaneUnavailable)
        assert caller.ended_s < (caller.call.deadline_s or 0.0) + 0.5
    mortal.thaw()
    model.gate.set()
    eventually(lambda: answers(client, model_key), "the lane answers again", TIMEOUT_S)


def test_a_cut_wire_is_mended_by_itself(
    wire: LaneWire, start_reader: StartReader, open_client: OpenClient, model_key: str
) -> None:
    client = open_client(at=wire.url)
    start_reader(at=wire.url)
    assert answers(client, model_key)
    wire.cut()
    with pytest.raises(LaneUnavailable):
        client.call(model_key, text("x"), {}, call_of())
    wire.mend()
    eventually(lambda: answers(client, model_key), "the lane answers again", TIMEOUT_S)


def test_asyncio_calls_that_wait_when_redis_dies_are_told_at_once_and_go_on_after_a_restart(
    mortal: MortalRedis, start_reader: StartReader, model_key: str
) -> None:
    start_reader(at=mortal.url)

    async def ask(client: AsyncLaneClient) -> bool:
        try:
            await client.call(model_key, text("x"), {}, call_of(within_s=2))
        except LaneUnavailable:
            return False
        return True

    async def outlive() -> None:
        client = AsyncLaneClient(mortal.url)
        assert await ask(client)
        waiting = asyncio.create_task(client.call("nobody@1", text("x"), {}, call_of(within_s=600)))
        await asyncio.to_thread(wait_in_lane, mortal.url, "nobody@1", 1)
        mortal.kill()
        with pytest.raises(LaneUnavailable):
            await asyncio.wait_for(waiting, TIMEOUT_S)
        assert not await ask(client)
        mortal.start()
        until_s = time.monotonic() + TIMEOUT_S
        while not await ask(client):
            assert time.monotonic() < until_s
        await client.close()

    asyncio.run(outlive())


def test_asyncio_calls_to_a_redis_that_hangs_end_by_their_deadlines_and_say_why(
    mortal: MortalRedis, model_key: str
) -> None:
    async def hang() -> None:
        client = AsyncLaneClient(mortal.url)
        calls = [call_of(within_s=1.5) for _ in range(2)]
        tasks = [asyncio.create_task(client.call(model_key, text("x"), {}, calls[0]))]
        await asyncio.to_thread(wait_in_lane, mortal.url, model_key, 1)
        mortal.freeze()
        tasks.append(asyncio.create_task(client.call(model_key, text("x"), {}, calls[1])))
        for error in await asyncio.gather(*tasks, return_exceptions=True):
            assert isinstance(error, LaneUnavailable)
        assert time.monotonic() < (calls[1].deadline_s or 0.0) + 0.5
        mortal.thaw()
        await client.close()

    asyncio.run(hang())


def test_an_answer_to_asyncio_is_found_again_after_its_connection_broke(
    wire: LaneWire, start_reader: StartReader, model: Model, model_key: str
) -> None:
    start_reader(at=wire.target_url)
    model.gate.clear()

    async def ask() -> object:
        client = AsyncLaneClient(wire.url)
        task = asyncio.create_task(client.call(model_key, text("x"), {}, call_of()))
        await asyncio.to_thread(eventually, lambda: model.asked, "it runs")
        wire.hang_up()
        model.gate.set()
        answer = await task
        await client.close()
        return answer.output.result

    assert asyncio.run(ask()) == {"texts": ["x"]}


def test_a_client_that_never_reached_redis_says_so_at_once(model_key: str, open_client: OpenClient) -> None:
    with pytest.raises(LaneUnavailable):
        open_client(at="redis://127.0.0.1:1/0").call(model_key, text("x"), {}, call_of())


def test_asyncio_calls_through_a_wire_that_stalls_end_by_their_deadlines(
    wire: LaneWire, start_reader: StartReader, model_key: str
) -> None:
    start_reader(at=wire.url)

    async def stall() -> None:
        client = AsyncLaneClient(wire.url)
        await client.call(model_key, text("x"), {}, call_of())
        wire.stall()
        begun_s = time.monotonic()
        with pytest.raises((LaneUnavailable, DeadlinePassed)):
            await client.call(model_key, text("x"), {}, call_of(within_s=0.5))
        assert time.monotonic() - begun_s < 10
        wire.mend()
        answer = None
        while answer is None:
            with suppress(LaneUnavailable, DeadlinePassed):
                answer = await client.call(model_key, text("y"), {}, call_of(within_s=2))
        assert answer.output.result == {"texts": ["y"]}
        await client.close()

    asyncio.run(stall())


def test_an_event_loop_ends_though_its_client_was_not_closed(
    url: str, start_reader: StartReader, model_key: str
) -> None:
    start_reader()

    async def forget() -> None:
        client = AsyncLaneClient(url)
        await client.call(model_key, text("x"), {}, call_of())
        await client._line.close()

    asyncio.run(asyncio.wait_for(forget(), TIMEOUT_S))
