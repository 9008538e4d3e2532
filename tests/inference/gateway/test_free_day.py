"""Test that each text of a test key counts against its account's daily allowance, in every protocol."""

import asyncio
from dataclasses import replace

import pytest
from pytest_django import Settings

from tenants.identity.identity import Identity
from tenants.limits.rates.free_day import AllowanceSpent, free_day
from tests.inference.gateway.house import Embedder, houses


def left(identity: Identity) -> int | None:
    return next(day.left for day in free_day().left(identity.tenant_id) if day.kind == "calls")


def test_texts_of_a_list_are_counted_before_they_are_read(
    identity: Identity, model: str, embedder: Embedder, cache_url: str, settings: Settings
) -> None:
    """The first text is counted by the guard, which does not run here."""
    settings.MAAS_TEST_CALLS_A_DAY = 10
    tests = replace(identity, livemode=False)

    async def scenario() -> None:
        async with houses(cache_url) as (house,):
            await house.embed(tests, model, ["a", "b", "c"])
            assert left(tests) == 8
            await house.infer(tests, model, ["d", "e", "f", "g"])
            assert left(tests) == 5
            with pytest.raises(AllowanceSpent):
                await house.embed(tests, model, [f"more {number}" for number in range(7)])
            await house.embed(identity, model, [f"live {number}" for number in range(20)])
            assert left(tests) == 5

    asyncio.run(scenario())
    assert sum(len(texts) for texts in embedder.runs) == 27
