"""Test calls that are charged by the time that the model computes."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from tenants.identity.identity import Identity
from tests.inference.gateway.house import Embedder, House, houses


def run(scenario: Callable[[House], Awaitable[None]], cache_url: str) -> None:
    async def go() -> None:
        async with houses(cache_url) as (house,):
            await scenario(house)

    asyncio.run(go())


def test_a_call_is_charged_by_its_milliseconds_and_a_known_one_by_those_of_its_run(
    identity: Identity, timed_model: str, embedder: Embedder, cache_url: str
) -> None:
    embedder.device_us = 2_500

    async def scenario(house: House) -> None:
        ran = await house.embed(identity, timed_model, "a text")
        known = await house.embed(identity, timed_model, "a text")
        assert (ran.word, ran.bill) == ("MISS", [("call", 3, 10)])
        assert (known.word, known.bill) == ("HIT", [("cache", 3, 1)])
        (use,) = known.uses
        assert (use.price.meter, use.amount_micros, use.saved_micros) == ("gpu_second", 3, 27)

    run(scenario, cache_url)


def test_of_a_list_the_known_texts_cost_their_share_of_the_run_that_they_were_in(
    identity: Identity, timed_model: str, embedder: Embedder, cache_url: str
) -> None:
    async def scenario(house: House) -> None:
        embedder.device_us = 8_000
        await house.embed(identity, timed_model, ["four", "five", "six!", "sevn"])
        await house.cache.settle()
        embedder.device_us = 5_000
        given = await house.embed(identity, timed_model, ["four", "new!", "sevn"])
        assert embedder.runs[-1] == ("new!",)
        assert given.bill == [("call", 5, 10), ("cache", 4, 1)]

    run(scenario, cache_url)


def test_of_a_run_that_takes_longer_than_is_set_aside_no_more_is_charged(
    identity: Identity, timed_model: str, embedder: Embedder, cache_url: str, settings: Any
) -> None:
    settings.MAAS_HOLD_GPU_MS_PER_PAGE = 7
    embedder.device_us = 60_000

    async def scenario(house: House) -> None:
        ran = await house.embed(identity, timed_model, "long")
        assert ran.bill == [("call", 7, 10)]
        await house.cache.settle()
        embedder.device_us = 4_000
        both = await house.embed(identity, timed_model, ["long", "new"])
        assert sum(quantity for _, quantity, _ in both.bill) <= 7

    run(scenario, cache_url)


def test_a_call_that_fails_costs_nothing(
    identity: Identity, timed_model: str, embedder: Embedder, cache_url: str
) -> None:
    embedder.device_us, embedder.fails = 9_000, RuntimeError("a defect")

    async def scenario(house: House) -> None:
        try:
            given = await house.embed(identity, timed_model, "a text")
        except Exception:
            return
        assert not given.uses

    run(scenario, cache_url)
