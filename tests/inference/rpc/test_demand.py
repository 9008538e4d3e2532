"""Test the messages that workers receive about a model that no worker serves."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence

import pytest
import redis

from inference.core.control import DEMAND, ControlChannel, ControlListener
from inference.rpc import AsyncLaneClient, LaneClient, lane_demand
from inference.rpc.demand import unserved_since_last
from inference.rpc.errors import NoWorker
from inference.rpc.lines import CommandLine
from inference.tiers.routes import CallPool
from tests.inference.rpc.conftest import TIMEOUT_S, Caller, StartReader, call_of, text, wait_in_lane
from tests.waiting import eventually


def test_demand_tells_how_many_wait_and_since_when(client: LaneClient, model_key: str, url: str) -> None:
    caller = Caller(client, model_key, "x", call_of())
    wait_in_lane(url, model_key, 1)
    line = CommandLine(url)
    before = lane_demand(line, [model_key, "nobody@1"])
    assert (before["nobody@1"].waiting, before["nobody@1"].oldest_wait_s) == (0, 0.0)
    eventually(
        lambda: lane_demand(line, [model_key])[model_key].oldest_wait_s > before[model_key].oldest_wait_s,
        "the wait grows",
    )
    caller.call.cancel()
    caller.done()
    assert lane_demand(line, [model_key])[model_key].waiting == 0
    assert lane_demand(line, []) == {}
    line.close()


def unserved(url: str, model_key: str) -> int:
    line = CommandLine(url)
    try:
        return unserved_since_last(line).get(model_key, 0)
    finally:
        line.close()


@pytest.mark.xdist_group("scaling")  # Whoever reads the counts of one Redis takes them.
def test_calls_that_no_worker_serves_count_as_demand_even_after_they_have_ended(
    client: LaneClient, model_key: str, url: str, start_reader: StartReader
) -> None:
    callers = [Caller(client, model_key, "x", call_of()) for _ in range(2)]
    wait_in_lane(url, model_key, 2)
    for caller in callers:
        caller.call.cancel()
        caller.done()
    assert unserved(url, model_key) == 2
    assert unserved(url, model_key) == 0
    start_reader()
    client.call(model_key, text("x"), {}, call_of())
    assert unserved(url, model_key) == 0


@pytest.mark.xdist_group("scaling")
def test_a_call_is_refused_at_once_if_the_next_worker_is_too_far_and_counts_nevertheless(
    url: str, model_key: str
) -> None:
    asked: list[Sequence[CallPool]] = []
    pools = (CallPool(model_key, "gpu"),)

    async def too_far(pools: Sequence[CallPool]) -> NoWorker:
        asked.append(pools)
        return NoWorker("none", retry_after_s=300)

    async def ask() -> None:
        client = AsyncLaneClient(url, too_far=too_far)
        for _ in range(2):
            with pytest.raises(NoWorker):
                await client.call(model_key, text("x"), {}, call_of(), pools=pools)
        await client.close()

    asyncio.run(ask())
    assert asked == [pools, pools]
    line = CommandLine(url)
    assert lane_demand(line, [model_key])[model_key].waiting == 0
    line.close()
    assert unserved(url, model_key) == 2


@pytest.fixture
def words(url: str, model_key: str) -> Iterator[list[str]]:
    """Return the messages that workers receive about this model. Other tests use the same channel, whatever their
    database.
    """
    heard: list[str] = []

    def hear(about: Mapping[str, str]) -> None:
        if about["model"].startswith(model_key):
            heard.append(about["model"])

    listener = ControlListener(url, {DEMAND: hear})
    listener.start()
    assert listener.listening.wait(TIMEOUT_S)
    yield heard
    listener.stop()


def test_the_first_request_for_a_model_that_nobody_serves_is_told_to_the_workers_at_once(
    client: LaneClient, model_key: str, url: str, words: list[str]
) -> None:
    callers = [Caller(client, model_key, "x", call_of()) for _ in range(3)]
    wait_in_lane(url, model_key, 3)
    ControlChannel(url).tell(DEMAND, model=f"{model_key}, the next")
    eventually(lambda: f"{model_key}, the next" in words, "the next word")
    assert words == [model_key, f"{model_key}, the next"]
    for caller in callers:
        caller.call.cancel()
        caller.done()


def test_of_a_model_that_is_served_nobody_is_told(
    start_reader: StartReader, client: LaneClient, model_key: str, url: str, words: list[str]
) -> None:
    start_reader()
    for _ in range(3):
        client.call(model_key, text("x"), {}, call_of())
    ControlChannel(url).tell(DEMAND, model=f"{model_key}, the next")
    eventually(lambda: words, "the next word")
    assert words == [f"{model_key}, the next"]


def test_a_lane_that_is_no_longer_served_is_told_of_again(
    start_reader: StartReader, client: LaneClient, model_key: str, url: str, words: list[str]
) -> None:
    reader, server = start_reader(), redis.Redis.from_url(url)
    eventually(lambda: server.exists(f"maas:lane:{model_key}:served"), "it is marked")
    reader.set_lanes([])
    eventually(lambda: not server.exists(f"maas:lane:{model_key}:served"), "it is forgotten")
    caller = Caller(client, model_key, "x", call_of())
    eventually(lambda: words == [model_key], "it is told")
    caller.call.cancel()
    caller.done()
