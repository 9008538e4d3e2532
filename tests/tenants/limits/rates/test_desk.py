"""Tests of many callers at several processes: what is let through, and what Redis does meanwhile."""

import asyncio
import os
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
import redis
from structlog.testing import capture_logs

from tenants.limits.rates.desk import Desk
from tenants.limits.rates.limits import Limit
from tenants.limits.rates.slots import Slots
from tenants.limits.rates.tab import Tab
from tests.inference.rpc.mortal import MortalRedis
from tests.tenants.limits.rates.conftest import UNHURRIED_S, calls, requests, tokens
from tests.waiting import eventually


@asynccontextmanager
async def desk_at(server: MortalRedis, timeout_s: float = UNHURRIED_S) -> AsyncIterator[Desk]:
    desk = Desk(server.url, timeout_s=timeout_s)
    yield desk
    await desk.close()


async def passes(desk: Desk, *limits: Limit) -> bool:
    return await desk.take([desk.gate(limit) for limit in limits]) is None


async def let_through(desk: Desk, limit: Limit, callers: int) -> int:
    return sum(await asyncio.gather(*(passes(desk, limit) for _ in range(callers))))


async def until(look: Callable[[], Coroutine[Any, Any, object]], what: str) -> None:
    """Wait in the running loop until `look` returns something true."""
    deadline = time.monotonic() + 30
    while not await look():
        assert time.monotonic() < deadline, what
        await asyncio.sleep(0.01)


def most_in(limit: Limit, began_s: float) -> int:
    """Return a full bucket plus what has flowed into it since."""
    return limit.amount + int((time.monotonic() - began_s) * limit.amount / 60) + 1


@pytest.mark.parametrize("amount", [1, 5, 60, 150])
def test_of_two_hundred_at_once_exactly_the_limit_gets_through(server: MortalRedis, amount: int) -> None:
    limit = requests(amount)

    async def go() -> tuple[int, float]:
        began_s = time.monotonic()
        async with desk_at(server) as one, desk_at(server) as two:
            passed = await asyncio.gather(let_through(one, limit, 100), let_through(two, limit, 100))
        return sum(passed), began_s

    passed, began_s = asyncio.run(go())
    assert amount <= passed <= most_in(limit, began_s)


def test_event_loops_in_several_threads_share_a_limit(server: MortalRedis) -> None:
    limit, passed = requests(90), []

    async def go() -> None:
        async with desk_at(server) as desk:
            for _ in range(10):
                passed.append(await let_through(desk, limit, 5))
                await asyncio.sleep(0.01)

    began_s = time.monotonic()
    threads = [threading.Thread(target=asyncio.run, args=[go()]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 80 <= sum(passed) <= most_in(limit, began_s)


def test_most_requests_of_a_busy_caller_need_no_trip(server: MortalRedis, client: "redis.Redis") -> None:
    limit = requests(600_000)

    async def go() -> int:
        async with desk_at(server) as desk:
            for _ in range(100):
                for _ in range(50):
                    assert await passes(desk, limit)
                await asyncio.sleep(0.01)
        return 5_000

    before = client.info("commandstats")["cmdstat_evalsha"]["calls"] if _has_evalsha(client) else 0
    count = asyncio.run(go())
    trips = client.info("commandstats")["cmdstat_evalsha"]["calls"] - before
    assert trips < count / 10


def _has_evalsha(client: "redis.Redis") -> bool:
    return "cmdstat_evalsha" in client.info("commandstats")


def test_callers_of_many_keys_share_trips(server: MortalRedis, client: "redis.Redis") -> None:
    """Each of 3,000 keys is counted, all in about a hundred trips at most, and nothing is left of them afterwards."""
    limits = [requests(60_000) for _ in range(3_000)]

    async def go() -> None:
        async with desk_at(server) as desk:
            for start in range(0, len(limits), 500):
                part = limits[start : start + 500]
                assert all(await asyncio.gather(*(passes(desk, limit) for limit in part)))

    reads = client.info("stats")["total_reads_processed"]
    asyncio.run(go())
    assert client.info("stats")["total_reads_processed"] - reads < 300
    keys = [limit.key for limit in limits]
    eventually(lambda: not client.exists(*keys), "all of them expire")


def test_a_desk_forgets_whom_it_has_not_seen_for_a_while(server: MortalRedis, monkeypatch: pytest.MonkeyPatch) -> None:
    async def go() -> None:
        async with desk_at(server) as desk:
            for _ in range(100):
                await passes(desk, requests(60))
            assert len(desk._gates) == 100
            monkeypatch.setattr("tenants.limits.rates.slice.FORGOTTEN_S", 0.1)

            async def empty() -> bool:
                return not desk._gates

            await until(empty, "they are forgotten")

    asyncio.run(go())


def test_what_is_leased_and_not_used_comes_back(server: MortalRedis) -> None:
    """One process is so busy that it leases ahead, and then it stops. The other process then gets all that is left."""
    limit = requests(1_000)

    async def go() -> None:
        async with desk_at(server) as one, desk_at(server) as two:
            used = 0
            for _ in range(60):
                used += await let_through(one, limit, 5)
                await asyncio.sleep(0.01)
            held = one.gate(limit)

            async def given_back() -> bool:
                return not (held._held or held._old) and one._writer is None  # type: ignore[attr-defined]

            assert held._held  # type: ignore[attr-defined]
            await until(given_back, "it gives back")
            assert await let_through(two, limit, 1_500) >= 1_000 - used

    asyncio.run(go())


def test_one_limit_that_says_no_takes_nothing_from_the_others(server: MortalRedis) -> None:
    wide, narrow = requests(100), requests(1)

    async def go() -> None:
        async with desk_at(server) as desk:
            passed = [await passes(desk, wide, narrow) for _ in range(20)]
            assert passed == [True] + [False] * 19
            assert desk.gate(wide).left(time.monotonic()) == 99

    asyncio.run(go())


def test_who_is_refused_is_told_when_to_come_again(server: MortalRedis) -> None:
    limit = requests(2)

    async def go() -> float:
        async with desk_at(server) as desk:
            gates = [desk.gate(limit)]
            assert await desk.take(gates) is None
            assert await desk.take(gates) is None
            refuses = await desk.take(gates)
            assert refuses is gates[0]
            return refuses.wait_s(time.monotonic())

    assert 25 < asyncio.run(go()) <= 30


def test_refusals_cost_few_trips(server: MortalRedis, client: "redis.Redis") -> None:
    limit = requests(1)

    async def go() -> None:
        async with desk_at(server) as desk:
            assert await passes(desk, limit)
            assert not await passes(desk, limit)
            reads = client.info("stats")["total_reads_processed"]
            for _ in range(1_000):
                assert not await passes(desk, limit)
            assert client.info("stats")["total_reads_processed"] - reads < 100

    asyncio.run(go())


@pytest.mark.parametrize(("old", "new", "still"), [(10, 1_000, True), (1_000, 10, False)])
def test_a_changed_limit_holds_from_the_next_request_on(server: MortalRedis, old: int, new: int, still: bool) -> None:
    """The part of the limit that is left stays the same: half of the old limit becomes half of the new one."""
    before = requests(old)
    after = replace(before, amount=new)

    async def go() -> None:
        async with desk_at(server) as one, desk_at(server) as two:
            assert await let_through(one, before, old // 2) == old // 2
            passed = await let_through(two, after, 700)
            assert new // 2 - new // 8 <= passed <= new // 2 + new // 8 + 1
            # The amount that flows in meanwhile is little compared with what both processes would have together.
            assert await let_through(one, after, 700) <= new // 8 + 1

    asyncio.run(go())


def test_a_redis_that_dies_in_mid_load_stops_nobody_and_each_process_keeps_the_limit(
    mortal: MortalRedis,
) -> None:
    limit = requests(60)

    async def go() -> None:
        async with desk_at(mortal, timeout_s=0.5) as one, desk_at(mortal, timeout_s=0.5) as two:
            first = await let_through(one, limit, 20)
            assert first == 20
            mortal.kill()
            with capture_logs() as logs:
                began_s = time.monotonic()
                alone = [await let_through(desk, limit, 200) for desk in (one, two)]
            assert 40 <= alone[0] <= most_in(limit, began_s) - first
            assert 60 <= alone[1] <= most_in(limit, began_s)
            assert [entry["event"] for entry in logs] == ["limits_redis_unavailable"] * 2  # one for each desk
            await asyncio.to_thread(mortal.start)

            async def back() -> bool:
                return not one._away and not two._away

            await until(back, "Redis is used again")
            await passes(two, limit)
            assert one.gate(limit).left(time.monotonic()) < 60

    asyncio.run(go())


def test_a_redis_that_hangs_costs_one_moment_and_then_nothing(mortal: MortalRedis) -> None:
    limit = requests(100_000)

    async def go() -> None:
        async with desk_at(mortal, timeout_s=0.045) as desk:
            assert await passes(desk, limit)
            mortal.freeze()
            fresh = [requests(10) for _ in range(500)]
            assert await passes(desk, fresh[0])
            assert desk._away
            waited = [desk.take_now([desk.gate(one)]) for one in fresh[1:]]
            assert {verdict.value for verdict in waited} == {"yes"}  # type: ignore[union-attr]
            mortal.thaw()

            async def back() -> bool:
                return not desk._away

            await until(back, "Redis is used again")

    asyncio.run(go())


def test_a_redis_that_was_slow_is_used_again_however_many_limits_there_are(mortal: MortalRedis) -> None:
    """Each of the two thousand trips takes longer than the timeout allows. A mere check that Redis answers does not."""

    async def go() -> None:
        async with desk_at(mortal, timeout_s=0.045) as desk:
            limits = [tokens(60_000) for _ in range(10_000)]
            gates = [desk.gate(limit) for limit in limits]
            desk._leave("as though Redis had been slow")

            def charge_all() -> None:
                for gate in gates:
                    assert isinstance(gate, Tab)
                    gate.charge(1)

            charge_all()
            for gate in gates:
                desk.tell(gate)

            async def back() -> bool:
                charge_all()  # All of them go on being used, and are due.
                return not desk._away

            await until(back, "Redis is used again")

            async def told() -> bool:
                return not desk._asked

            await until(told, "Redis hears of all")

    asyncio.run(go())


def test_a_redis_that_is_always_late_still_hears_what_was_used(server: MortalRedis) -> None:
    limit = tokens(600)

    async def go() -> None:
        async with desk_at(server, timeout_s=0.0) as hurried, desk_at(server) as other:
            tab = hurried.gate(limit)
            assert isinstance(tab, Tab)
            hurried._leave("as though Redis had been slow")
            tab.charge(900)
            hurried.tell(tab)

            async def told() -> bool:
                return not await passes(other, limit)

            await until(told, "the other process hears of it")
            assert hurried._away

    asyncio.run(go())


def test_tokens_are_owed_once_they_are_used_and_others_wait_until_they_are_worked_off(
    server: MortalRedis,
) -> None:
    limit = tokens(600)

    async def go() -> None:
        async with desk_at(server) as one, desk_at(server) as two:
            assert await passes(one, limit)
            tab = one.gate(limit)
            assert isinstance(tab, Tab)
            tab.charge(900)
            one.tell(tab)
            assert not await passes(one, limit)
            assert 29 < tab.wait_s(time.monotonic()) <= 31

            async def told() -> bool:
                return not await passes(two, limit)

            await until(told, "the other process hears of it")
            assert 28 < two.gate(limit).wait_s(time.monotonic()) <= 31

    asyncio.run(go())


def test_a_place_is_free_again_when_its_call_has_ended(server: MortalRedis) -> None:
    limit = calls(3)

    async def go() -> None:
        async with desk_at(server) as one, desk_at(server) as two:
            assert await let_through(one, limit, 2) == 2
            assert await let_through(two, limit, 5) == 1
            slots = one.gate(limit)
            assert isinstance(slots, Slots)
            if slots.end(time.monotonic()):
                one.tell(slots)

            async def freed() -> bool:
                return await passes(two, limit)

            await until(freed, "the place is free")
            assert not await passes(one, limit)

    asyncio.run(go())


def test_a_busy_process_keeps_spare_places_and_no_more_than_there_are(
    server: MortalRedis, client: "redis.Redis"
) -> None:
    limit = calls(200)

    async def go() -> None:
        async with desk_at(server) as one, desk_at(server) as two:
            passed = await asyncio.gather(let_through(one, limit, 120), let_through(two, limit, 120))
            assert sum(passed) <= 200
            assert sum(int(value.split()[0]) for value in client.hvals(limit.key)) <= 200
            slots = one.gate(limit)
            assert isinstance(slots, Slots)
            for _ in range(passed[0]):
                slots.end(time.monotonic())

            async def freed() -> bool:
                return await let_through(two, limit, 200 - passed[1]) > 0

            await until(freed, "others get them")

    asyncio.run(go())


KILLED = """
import asyncio, sys
from tests.tenants.limits.rates.test_desk import Desk, calls, replace
async def go():
    desk = Desk(sys.argv[1], timeout_s=20)
    limit = replace(calls(4), key=sys.argv[2])
    for _ in range(4):
        assert await desk.take([desk.gate(limit)]) is None
    print("held", flush=True)
    await asyncio.sleep(600)
asyncio.run(go())
"""


def test_a_killed_process_gives_its_places_back_within_seconds(server: MortalRedis) -> None:
    limit = calls(4)
    command = [sys.executable, "-c", KILLED, server.url, limit.key]
    # It imports this module, and so all that pytest imports.
    env = os.environ | {"PYTHONPATH": ""}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=env) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"

        async def go() -> None:
            async with desk_at(server) as desk:
                for _ in range(3):  # The process reports that it is still there.
                    assert not await passes(desk, limit)
                    await asyncio.sleep(2)
                process.kill()

                async def freed() -> bool:
                    return await passes(desk, limit)

                await until(freed, "its places are free")

        asyncio.run(go())


def test_a_clock_of_redis_that_goes_back_locks_nobody_out(server: MortalRedis, client: "redis.Redis") -> None:
    """The stored values are as if they had been written while the clock was an hour ahead."""
    rate, places = requests(60), calls(2)
    seconds, micros = client.time()
    ahead = int(seconds) * 1_000_000 + int(micros) + 3_600_000_000
    client.set(rate.key, f"{ahead + 30_000_000} {ahead}")
    client.hset(places.key, "gone", f"2 {ahead}")

    async def go() -> int:
        async with desk_at(server) as desk:
            passed = await let_through(desk, rate, 60)
            assert not await passes(desk, places)

            async def freed() -> bool:
                return await passes(desk, places)

            await until(freed, "the places of who is gone are free")
            return passed

    assert 28 <= asyncio.run(go()) <= 31


def test_redis_forgets_what_is_full_again(server: MortalRedis, client: "redis.Redis") -> None:
    limit = requests(60)

    async def go() -> None:
        async with desk_at(server) as desk:
            assert await passes(desk, limit)

    asyncio.run(go())
    assert 0 < client.pttl(limit.key) <= 1_000


def test_whoever_hangs_up_while_redis_is_asked_disturbs_nobody(server: MortalRedis) -> None:
    limit = requests(1_000)

    async def go() -> None:
        async with desk_at(server) as desk:
            tasks = [asyncio.create_task(passes(desk, limit)) for _ in range(20)]
            await asyncio.sleep(0)
            for task in tasks[::2]:
                task.cancel()
            ends = await asyncio.gather(*tasks, return_exceptions=True)
            assert [end is True for end in ends[1::2]] == [True] * 10
            assert desk.gate(limit).waiting == 0

    asyncio.run(go())
