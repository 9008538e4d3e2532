"""Test the cache Redis from this process: what it stores, how much of a tenant, and what happens without it."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from typing import Any
from uuid import UUID, uuid4

import pytest
import redis
import uvloop
from django.conf import settings
from structlog.testing import capture_logs

from inference.cache.erasing import erase_entries
from inference.cache.keeping import NewEntry, RemoteKeeper
from inference.cache.reading import RemoteReader
from inference.cache.scripts import NOTE_BYTES, entries_prefix, entry_key, keys_of
from inference.core.breaker import MAX_FAILURES, Breaker
from tests.inference.rpc.mortal import MortalRedis
from tests.inference.rpc.slow_wire import SlowWire

SIZE = 1_000
ROOM = 10
PATIENT_S = 0.3
NOWHERE = "redis://127.0.0.1:1/0"


@pytest.fixture
def mortal() -> Iterator[MortalRedis]:
    server = MortalRedis()
    yield server
    server.thaw()
    server.kill()


def entry(number: int, ttl_s: float = 1_000.0, size: int = SIZE) -> NewEntry:
    return NewEntry(number.to_bytes(32, "big"), bytes(size), ttl_s)


def keep(url: str, tenant_id: UUID, *together: list[NewEntry]) -> None:
    async def go() -> None:
        keeper = RemoteKeeper(url, Breaker(), tenant_bytes=ROOM * (SIZE + NOTE_BYTES))
        for entries in together:
            keeper.keep(tenant_id, entries)
            await keeper.settle()
        await keeper.close()

    asyncio.run(go())


def kept(url: str, tenant_id: UUID) -> set[int]:
    with redis.Redis.from_url(url) as client:
        found = set(client.keys(entries_prefix(tenant_id) + b"*")) - set(keys_of(tenant_id))
    return {int(key.rpartition(b":")[2], 16) for key in found}


def counted(url: str, tenant_id: UUID) -> int:
    with redis.Redis.from_url(url) as client:
        return int(client.get(keys_of(tenant_id)[1]) or 0)


def test_a_tenant_has_its_share_and_what_would_expire_first_leaves_for_what_is_new(
    mortal: MortalRedis,
) -> None:
    one, other = uuid4(), uuid4()
    keep(mortal.url, other, [entry(number) for number in range(5)])
    keep(mortal.url, one, *([entry(number, ttl_s=1_000 + number)] for number in range(25)))
    assert kept(mortal.url, one) == set(range(15, 25))
    assert kept(mortal.url, other) == set(range(5))
    assert counted(mortal.url, one) == ROOM * (SIZE + NOTE_BYTES)


def test_the_same_again_counts_once_and_what_expired_counts_no_more(mortal: MortalRedis) -> None:
    tenant_id = uuid4()
    keep(mortal.url, tenant_id, [entry(1)], [entry(1)], [entry(2, ttl_s=0.001)], [entry(3)])
    keep(mortal.url, tenant_id, [entry(4)])
    assert kept(mortal.url, tenant_id) == {1, 3, 4}
    assert counted(mortal.url, tenant_id) == 3 * (SIZE + NOTE_BYTES)


def test_what_is_kept_again_in_another_size_counts_once_and_its_older_note_takes_nothing_along(
    mortal: MortalRedis,
) -> None:
    tenant_id = uuid4()
    keep(mortal.url, tenant_id, [entry(1, ttl_s=1_000)], [entry(1, ttl_s=5_000, size=SIZE // 2)])
    assert counted(mortal.url, tenant_id) == SIZE // 2 + NOTE_BYTES
    # Redis evicts an entry whose note remains.
    with redis.Redis.from_url(mortal.url) as client:
        client.delete(entry_key(tenant_id, (1).to_bytes(32, "big")))
    keep(mortal.url, tenant_id, [entry(1, ttl_s=6_000)], *([entry(n, ttl_s=7_000)] for n in range(2, 11)))
    assert kept(mortal.url, tenant_id) == set(range(1, 11))


def test_what_redis_has_forgotten_of_its_own_accord_does_not_stand_in_the_way(mortal: MortalRedis) -> None:
    tenant_id = uuid4()
    notes, number_of_bytes, _erased_until = keys_of(tenant_id)
    keep(mortal.url, tenant_id, [entry(number) for number in range(5)])
    with redis.Redis.from_url(mortal.url) as client:
        client.delete(notes)
    keep(mortal.url, tenant_id, [entry(6)])
    assert counted(mortal.url, tenant_id) == SIZE + NOTE_BYTES
    with redis.Redis.from_url(mortal.url) as client:
        client.delete(number_of_bytes)
    keep(mortal.url, tenant_id, *([entry(number)] for number in range(10, 40)))
    assert len(kept(mortal.url, tenant_id)) <= 2 * ROOM


def test_what_is_larger_than_the_whole_share_leaves_nothing_behind(mortal: MortalRedis) -> None:
    tenant_id = uuid4()
    keep(mortal.url, tenant_id, [entry(1, size=2 * ROOM * SIZE)])
    assert (kept(mortal.url, tenant_id), counted(mortal.url, tenant_id)) == (set(), 0)


def test_erasing_takes_all_of_a_tenant_and_nothing_of_another(cache_url: str) -> None:
    one, other = uuid4(), uuid4()
    keep(cache_url, one, [entry(number, size=1) for number in range(1_200)])
    keep(cache_url, other, [entry(1)])
    erase_entries(one, 1)
    assert (kept(cache_url, one), kept(cache_url, other)) == (set(), {1})
    with redis.Redis.from_url(cache_url) as client:
        assert client.exists(*keys_of(one)[:2]) == 0


def ask(url: str, scenario: Callable[[RemoteReader, Breaker], Awaitable[None]], timeout_s: float = 10.0) -> None:
    async def go() -> None:
        breaker = Breaker()
        reader = RemoteReader(url, breaker, timeout_s=timeout_s)
        await scenario(reader, breaker)
        await reader.close()

    asyncio.run(go())


def test_each_of_many_who_ask_at_once_gets_its_own(mortal: MortalRedis) -> None:
    tenant_id = uuid4()
    keep(mortal.url, tenant_id, [NewEntry(bytes([number]), bytes([number]), 100.0) for number in range(8)])

    async def scenario(reader: RemoteReader, _breaker: Breaker) -> None:
        wanted = [[number, 99, number + 1] for number in range(7)]
        keys = [[entry_key(tenant_id, bytes([number])) for number in one] for one in wanted]
        for _ in range(3):
            found = await asyncio.gather(*[reader.get(one) for one in keys])
            assert found == [[bytes([number]), None, bytes([number + 1])] for number in range(7)]

    ask(mortal.url, scenario)


@pytest.mark.parametrize("harm", [MortalRedis.kill, MortalRedis.freeze])
def test_one_that_is_away_has_nothing_is_told_of_once_and_soon_is_not_asked(
    mortal: MortalRedis, harm: Callable[[MortalRedis], None]
) -> None:
    harm(mortal)

    async def scenario(reader: RemoteReader, breaker: Breaker) -> None:
        with capture_logs() as lines:
            for _ in range(MAX_FAILURES + 2):
                assert await asyncio.gather(*[reader.get([b"k"]) for _ in range(20)]) == [[None]] * 20
        assert [line["event"] for line in lines] == ["result_cache_unavailable"]
        assert breaker.is_open

    ask(mortal.url, scenario, timeout_s=0.02)


def test_one_that_was_away_is_asked_again_and_nothing_late_is_taken_for_anothers(mortal: MortalRedis) -> None:
    tenant_id = uuid4()
    keep(mortal.url, tenant_id, [NewEntry(b"a", b"of a", 100.0), NewEntry(b"b", b"of b", 100.0)])
    a, b = entry_key(tenant_id, b"a"), entry_key(tenant_id, b"b")

    async def scenario(reader: RemoteReader, breaker: Breaker) -> None:
        assert await reader.get([a]) == [b"of a"]
        mortal.freeze()
        assert await reader.get([a]) == [None]
        mortal.thaw()
        breaker.succeeded()
        while (found := await reader.get([b])) == [None]:
            breaker.succeeded()
            await asyncio.sleep(0.01)
        assert found == [b"of b"]

    ask(mortal.url, scenario, timeout_s=0.6)


def test_a_caller_who_leaves_disturbs_nobody(mortal: MortalRedis) -> None:
    tenant_id = uuid4()
    keep(mortal.url, tenant_id, [NewEntry(b"a", b"of a", 100.0)])
    a = entry_key(tenant_id, b"a")

    async def scenario(reader: RemoteReader, _breaker: Breaker) -> None:
        calls = [asyncio.create_task(reader.get([a])) for _ in range(3)]
        await asyncio.sleep(0)
        calls[1].cancel()
        found = await asyncio.gather(*calls, return_exceptions=True)
        assert [found[0], found[2]] == [[b"of a"], [b"of a"]]

    ask(mortal.url, scenario)


def test_where_it_is_nowhere_nothing_waits_to_be_kept() -> None:
    async def go() -> None:
        keeper = RemoteKeeper(NOWHERE, Breaker(), tenant_bytes=1 << 20)
        for number in range(100):
            keeper.keep(uuid4(), [entry(number)])
            await keeper.settle()
        await keeper.close()

    with capture_logs() as lines:
        asyncio.run(go())
    assert [line["event"] for line in lines] == ["result_cache_unavailable"]


def test_a_redis_that_is_full_is_told_of_once(mortal: MortalRedis) -> None:
    with redis.Redis.from_url(mortal.url) as client:
        client.config_set("maxmemory", 1)
    with capture_logs() as lines:
        keep(mortal.url, uuid4(), [entry(1)], [entry(2)])
    assert [line["event"] for line in lines] == ["result_cache_write_refused"]


@pytest.fixture
def cache_url() -> str:
    return str(settings.MAAS_CACHE_URL)


def test_who_has_waited_in_vain_waits_for_the_same_trip_no_second_time(mortal: MortalRedis) -> None:
    async def go() -> tuple[float, float]:
        with SlowWire(mortal.url) as wire:
            reader = RemoteReader(wire.url, Breaker(), timeout_s=PATIENT_S)
            assert await reader.get([b"warm"]) == [None]
            wire.delay_s = 10 * PATIENT_S
            loop = asyncio.get_running_loop()
            began_s = loop.time()
            assert await reader.get([b"answer"]) == [None]
            first_s = loop.time() - began_s
            assert await reader.get([b"text"]) == [None]
            both_s = loop.time() - began_s
            await reader.close()
            return first_s, both_s - first_s

    first_s, second_s = asyncio.run(go())
    assert first_s >= PATIENT_S
    assert second_s < PATIENT_S / 2


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run], ids=["asyncio", "uvloop"])
def test_a_look_that_was_given_up_before_it_set_out_stops_no_later_one(
    run: Callable[[Coroutine[Any, Any, None]], None], mortal: MortalRedis
) -> None:
    """The process was busy for longer than the timeout. On uvloop, timers come before the tasks that are ready
    to run.
    """
    tenant_id = uuid4()
    keep(mortal.url, tenant_id, [NewEntry(b"a", b"of a", 100.0)])
    key = entry_key(tenant_id, b"a")

    async def go() -> None:
        reader = RemoteReader(mortal.url, Breaker(), timeout_s=0.2)
        assert await reader.get([key]) == [b"of a"]
        look = asyncio.create_task(reader.get([key]))
        asyncio.get_running_loop().call_soon(time.sleep, 0.4)
        await look
        # The late answer has arrived in the meantime.
        await asyncio.sleep(0.1)
        assert await reader.get([key]) == [b"of a"]
        await reader.close()

    run(go())
