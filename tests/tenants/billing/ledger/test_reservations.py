"""Tests of what Redis sets aside: never more than there is, however looks and charges interleave."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import replace
from random import Random
from typing import Any, TypeVar
from uuid import UUID, uuid4

import pytest
import redis

from tenants.billing.ledger.headroom import Gone, Headrooms, Verdict
from tenants.billing.ledger.reservations import Reservation, Reservations, ReservationsUnavailable, Reserved
from tenants.billing.ledger.reserve_script import CHARGING, SETTLE, TEXT, Words, charged_words, script_command
from tests.inference.rpc.mortal import MortalRedis

NONE_GONE = Gone(0, 0)
T = TypeVar("T")


@pytest.fixture(scope="module")
def server() -> Iterator[MortalRedis]:
    server = MortalRedis()
    yield server
    server.thaw()
    server.kill()


def at_desk(server: MortalRedis, work: Callable[[Reservations], Coroutine[Any, Any, T]]) -> T:
    async def do() -> T:
        reservations = Reservations(server.url)
        done = await work(reservations)
        await reservations.close()
        return done

    return asyncio.run(do())


def wanted(amount: int = 10, tenant: UUID | None = None, key: UUID | None = None) -> Reservation:
    return Reservation(uuid4(), tenant or uuid4(), key, "EUR", amount)


def say(server: MortalRedis, tenant_id: UUID, words: Words) -> object:
    with redis.Redis.from_url(server.url) as client:
        about = script_command(tenant_id, *words)
        return client.eval(TEXT, 1, about.key, about.text)


def charged(server: MortalRedis, one: Reservation, amount: int | None = None, token: str = "") -> None:
    charge = (one.currency, one.key, one.amount_micros if amount is None else amount)
    say(server, one.tenant_id, charged_words(token, [charge], [one.id.hex]))


def test_a_key_has_its_own_end_beside_that_of_its_account(server: MortalRedis) -> None:
    first, rooms = wanted(key=uuid4()), Headrooms(100, 25)

    async def go(desk: Reservations) -> list[Verdict]:
        asked = [replace(first, id=uuid4()) for _ in range(3)]
        asked += [replace(first, id=uuid4(), key_id=uuid4()) for _ in range(9)]
        rest = [(one, rooms if one.key_id == first.key_id else Headrooms(100)) for one in asked]
        return [(await desk.reserve(one, room, NONE_GONE)).verdict for one, room in rest]

    assert [one.name for one in at_desk(server, go)] == ["YES"] * 2 + ["NO"] + ["YES"] * 8 + ["NO"]


async def verdict(desk: Reservations, one: Reservation, micros: int = 100) -> Verdict:
    return (await desk.reserve(one, Headrooms(micros), NONE_GONE)).verdict


def test_what_cost_less_leaves_the_rest_to_others_and_what_failed_leaves_all(server: MortalRedis) -> None:
    first = wanted(100)

    async def go(desk: Reservations) -> list[int]:
        left = []
        for cost in (100, 30, 0):
            await desk.reserve(first, Headrooms(100), NONE_GONE)
            desk.settle(first, cost)
            more = replace(first, id=uuid4(), amount_micros=101)
            left.append((await desk.reserve(more, Headrooms(100), NONE_GONE)).left_micros)
        return left

    assert at_desk(server, go) == [0, 70, 100]


def test_a_line_that_is_run_again_is_set_aside_once(server: MortalRedis) -> None:
    line = wanted(60)

    async def go(desk: Reservations) -> list[Verdict]:
        return [await verdict(desk, line) for _ in range(3)]

    assert at_desk(server, go) == [Verdict.YES] * 3


def test_a_look_from_before_a_charge_is_lessened_by_it_and_refuses_nobody_surely(
    server: MortalRedis,
) -> None:
    first = wanted(60)

    async def go(desk: Reservations) -> None:
        await desk.reserve(first, Headrooms(100), NONE_GONE)
        charged(server, first, 50)
        again = replace(first, id=uuid4())
        assert await verdict(desk, again) is Verdict.UNSURE
        gone = await desk.seen(first.tenant_id, None, "EUR")
        assert gone == Gone(50, 0)
        assert await desk.reserve(again, Headrooms(50), gone) == Reserved(Verdict.NO, 50, 60)
        less = replace(again, amount_micros=50)
        assert (await desk.reserve(less, Headrooms(50), gone)).verdict is Verdict.YES

    at_desk(server, go)


def test_nobody_is_surely_refused_while_something_is_being_charged(server: MortalRedis) -> None:
    first = wanted(60)

    async def go(desk: Reservations) -> list[Verdict]:
        await desk.reserve(first, Headrooms(100), NONE_GONE)
        say(server, first.tenant_id, [CHARGING, "a"])
        say(server, first.tenant_id, [CHARGING, "b"])
        verdicts = []
        for token in ("a", "b"):
            more = replace(first, id=uuid4())
            verdicts.append(await verdict(desk, more))
            say(server, first.tenant_id, charged_words(token, [], []))
        verdicts.append(await verdict(desk, more))
        return verdicts

    assert at_desk(server, go) == [Verdict.UNSURE, Verdict.UNSURE, Verdict.NO]


def test_whoever_has_reserved_nothing_leaves_nothing_in_redis_when_charged(server: MortalRedis) -> None:
    one = wanted()
    say(server, one.tenant_id, [CHARGING, "a"])
    charged(server, one, token="a")
    with redis.Redis.from_url(server.url) as client:
        assert not client.keys(f"{script_command(one.tenant_id).key}*")


def test_what_redis_has_lost_makes_a_look_worthless(server: MortalRedis) -> None:
    async def go(desk: Reservations) -> Verdict:
        return (await desk.reserve(wanted(), Headrooms(100), Gone(5, 0))).verdict

    assert at_desk(server, go) is Verdict.UNSURE


def test_what_nobody_speaks_of_any_more_is_over_in_its_time(server: MortalRedis) -> None:
    first = wanted(100)

    async def go(desk: Reservations) -> list[Verdict]:
        verdicts = []
        for seconds in (60, 0):
            await desk.reserve(first, Headrooms(100), NONE_GONE)
            say(server, first.tenant_id, [SETTLE, first.id.hex, 100, seconds])
            await asyncio.sleep(0.002)
            verdicts.append(await verdict(desk, replace(first, id=uuid4())))
        return verdicts

    assert at_desk(server, go) == [Verdict.NO, Verdict.YES]


def test_whatever_comes_in_between_what_is_given_and_charged_never_passes_what_there_was(
    server: MortalRedis,
) -> None:
    """Old looks, charges committed but not reported yet, and settlements of any cost come in random order."""

    async def go(desk: Reservations) -> None:
        first, whole = wanted(), 300
        spent, standing, untold = 0, list[Reservation](), list[tuple[Reservation, int]]()
        looks = [(Headrooms(whole), NONE_GONE)]
        for _ in range(150):
            match random.randrange(6):
                case 0 | 1:
                    one = replace(first, id=uuid4(), amount_micros=random.randint(1, 40))
                    told = await desk.reserve(one, *random.choice(looks[-3:]))
                    standing += [one] if told.verdict is Verdict.YES else []
                case 2 if standing:
                    one = standing.pop(random.randrange(len(standing)))
                    cost = random.randint(0, one.amount_micros)
                    desk.settle(one, cost)
                    if cost:
                        spent += cost
                        untold.append((one, cost))
                case 3 if untold:
                    charged(server, *untold.pop(random.randrange(len(untold))))
                case 4:
                    gone = await desk.seen(first.tenant_id, None, "EUR")
                    looks.append((Headrooms(whole - spent), gone))
            assert spent + sum(one.amount_micros for one in standing) <= whole
        assert spent > whole / 4

    for seed in range(12):
        random = Random(seed)
        at_desk(server, go)


def test_without_redis_it_is_said_at_once_that_nobody_knows_and_known_again_when_it_is_back() -> None:
    mortal = MortalRedis()

    async def go(desk: Reservations) -> None:
        one = wanted()
        assert await verdict(desk, one, 10) is Verdict.YES
        mortal.kill()
        for _ in range(2):
            with pytest.raises(ReservationsUnavailable):
                await desk.reserve(one, Headrooms(10), NONE_GONE)
        desk.settle(one, 0)
        mortal.start()
        await asyncio.sleep(0.6)
        assert await verdict(desk, one, 10) is Verdict.YES

    try:
        at_desk(mortal, go)
    finally:
        mortal.kill()
