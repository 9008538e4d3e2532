"""Tests of many callers who write at once, while Redis dies, freezes, refuses and comes back."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import Any

import pytest
import redis
from django.conf import settings

from tenants.billing.metering import stream as streaming
from tenants.billing.metering.events import MeterEvent, read_event
from tenants.billing.metering.keys import FIELD, STREAM
from tenants.billing.metering.roll_up import Backlog
from tenants.billing.metering.stream import MeteringUnavailable, MeterStream
from tests.inference.rpc.mortal import LaneWire, MortalRedis
from tests.inference.workers.brokers.servers import redis_server
from tests.tenants.billing.metering.conftest import MakeEvent, entries


@pytest.fixture
def wire() -> Iterator[LaneWire]:
    with redis_server() as url:
        wire = LaneWire(url)
        yield wire
        wire.cut()


def written(url: str) -> list[MeterEvent]:
    with redis.Redis.from_url(url) as client:
        return [read_event(entry.fields[FIELD]) for entry in entries(Backlog(client, STREAM))]


def at_stream(url: str, work: Callable[[MeterStream], Coroutine[Any, Any, None]]) -> None:
    async def do() -> None:
        stream = MeterStream(url)
        await work(stream)
        await stream.close()

    asyncio.run(asyncio.wait_for(do(), 60))


async def away(stream: MeterStream, event: MeterEvent) -> bool:
    """Say whether the stream was away and the caller was asked to come again."""
    try:
        await stream.add(event)
    except MeteringUnavailable as error:
        return error.extra == {"gate": "metering", "retry_after_s": 1}
    return False


def test_callers_at_once_share_trips(make_event: MakeEvent) -> None:
    """64 callers share one connection, and Redis, used by nobody else, makes far fewer reads than events."""

    async def add(stream: MeterStream, count: int) -> None:
        for _ in range(count):
            await stream.add(make_event())

    async def all_add(url: str) -> None:
        stream = MeterStream(url)
        await asyncio.gather(*(add(stream, 20) for _ in range(64)))
        await stream.close()

    with redis_server() as url, redis.Redis.from_url(url) as client:
        before = client.info("stats")
        asyncio.run(all_add(url))
        after = client.info("stats")
        assert client.xlen(STREAM) == 64 * 20
    assert after["total_connections_received"] == before["total_connections_received"] + 1
    assert after["total_reads_processed"] - before["total_reads_processed"] < 64 * 20 / 8


def test_callers_who_leave_take_no_event_with_them(client: "redis.Redis", make_event: MakeEvent) -> None:
    made = [make_event() for _ in range(60)]

    async def leave(stream: MeterStream) -> None:
        callers = [asyncio.create_task(stream.add(event)) for event in made]
        await asyncio.sleep(0)
        for caller in callers[::3]:
            caller.cancel()
        await asyncio.gather(*callers, return_exceptions=True)
        assert [caller.cancelled() for caller in callers] == [number % 3 == 0 for number in range(60)]
        assert not await away(stream, make_event())

    at_stream(settings.MAAS_REDIS_URL, leave)
    assert written(settings.MAAS_REDIS_URL)[:60] == made


def test_closing_writes_what_waits(client: "redis.Redis", make_event: MakeEvent) -> None:
    async def close(stream: MeterStream) -> None:
        callers = [asyncio.create_task(stream.add(make_event())) for _ in range(10)]
        await asyncio.sleep(0)
        await stream.close()
        await asyncio.gather(*callers)

    at_stream(settings.MAAS_REDIS_URL, close)
    assert client.xlen(STREAM) == 10


def test_redis_down_is_said_at_once_and_all_goes_on_when_it_is_back(mortal: MortalRedis, make_event: MakeEvent) -> None:
    late = make_event()

    async def outlive(stream: MeterStream) -> None:
        assert not await away(stream, make_event())
        mortal.kill()
        assert all(await asyncio.gather(*(away(stream, make_event()) for _ in range(20))))
        await asyncio.to_thread(mortal.start)
        assert not await away(stream, late)

    at_stream(mortal.url, outlive)
    assert written(mortal.url) == [late]


def test_a_redis_that_hangs_holds_nobody_for_longer_than_the_patience(
    mortal: MortalRedis, make_event: MakeEvent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streaming, "TIMEOUT_S", 0.5)
    hung = [make_event() for _ in range(6)]

    async def hang(stream: MeterStream) -> None:
        assert not await away(stream, make_event())
        mortal.freeze()
        loop = asyncio.get_running_loop()

        async def timed(event: MeterEvent, after_s: float) -> float:
            await asyncio.sleep(after_s)
            begun_s = loop.time()
            assert await away(stream, event)
            return loop.time() - begun_s

        # Callers who come while a write hangs wait no longer than the caller who began it.
        took = await asyncio.gather(*(timed(event, 0.1 * number) for number, event in enumerate(hung)))
        assert max(took) < 0.5 + 0.4
        mortal.thaw()
        assert not await away(stream, make_event())

    at_stream(mortal.url, hang)


def test_a_connection_that_broke_in_silence_is_made_anew_without_a_refusal(
    wire: LaneWire, make_event: MakeEvent
) -> None:
    async def go_on(stream: MeterStream) -> None:
        assert not await away(stream, make_event())
        wire.hang_up()
        assert not await away(stream, make_event())

    at_stream(wire.url, go_on)
    assert len({event.id for event in written(wire.target_url)}) == 2


def test_what_redis_refuses_is_refused_until_it_takes_it_again(make_event: MakeEvent) -> None:
    async def fill(url: str) -> None:
        stream = MeterStream(url)
        with redis.Redis.from_url(url) as client:
            client.config_set("maxmemory", 1)
            assert all(await asyncio.gather(*(away(stream, make_event()) for _ in range(5))))
            client.config_set("maxmemory", 0)
        assert not any(await asyncio.gather(*(away(stream, make_event()) for _ in range(5))))
        await stream.close()

    with redis_server("--maxmemory-policy", "noeviction") as url:
        asyncio.run(fill(url))
        assert len(written(url)) == 5


def test_more_than_may_wait_are_refused_at_once(
    mortal: MortalRedis, make_event: MakeEvent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streaming, "MAX_WAITING", 5)

    async def crowd() -> Sequence[bool]:
        stream = MeterStream(mortal.url)
        return await asyncio.gather(*(away(stream, make_event()) for _ in range(8)))

    assert asyncio.run(crowd()) == [False] * 5 + [True] * 3


def test_nobody_is_left_waiting_when_the_writing_is_ended_in_the_middle(
    mortal: MortalRedis, make_event: MakeEvent
) -> None:
    async def end(stream: MeterStream) -> None:
        await stream.add(make_event())
        mortal.freeze()
        callers = []
        for _ in range(3):
            callers.append(asyncio.create_task(away(stream, make_event())))
            await asyncio.sleep(0.01)
        assert stream._writer is not None
        stream._writer.cancel()
        async with asyncio.timeout(streaming.TIMEOUT_S / 2):
            assert await asyncio.gather(*callers) == [True] * 3
        mortal.thaw()
        assert not await away(stream, make_event())

    at_stream(mortal.url, end)
