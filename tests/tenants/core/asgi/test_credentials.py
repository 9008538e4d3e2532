"""Tests of how often one client IP may try unknown credentials, and of who is not delayed by that."""

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any

import pytest

from tenants.core.asgi.client_ip_limit import ClientIpLimit, TooManyTries
from tenants.core.asgi.credentials import Familiar, UnknownCallers
from tenants.core.asgi.threads import DatabaseThreads
from tests.waiting import eventually

GOOD = "good"


class House:
    """A store that finds only credentials that begin with GOOD, and that records each lookup."""

    def __init__(self, max_a_minute: int) -> None:
        self.asked: list[str] = []
        self.door = threading.Event()
        self.door.set()
        self.unknown_callers = UnknownCallers(ClientIpLimit(max_a_minute, "Wait {pause_s} s.", clock=lambda: 1_000.0))
        self.threads = DatabaseThreads("house", 1)
        self.familiar: Familiar[bool] = Familiar(
            self.threads, self.unknown_callers, self._find, is_good=bool, is_nobodys=lambda found: not found
        )

    def _find(self, credential: str) -> bool:
        self.asked.append(credential)
        assert self.door.wait(30)
        return credential.startswith(GOOD)

    async def has_asked(self, count: int) -> None:
        await asyncio.to_thread(eventually, lambda: len(self.asked) >= count, f"{count} are looked up")

    async def tries(self, count: int, place: str = "a", name: str = "bad") -> list[bool | BaseException]:
        looks = (self.familiar.look_up(f"{name}{number}", place) for number in range(count))
        return await asyncio.gather(*looks, return_exceptions=True)

    def run(self, scenario: Coroutine[Any, Any, None]) -> None:
        try:
            asyncio.run(scenario)
        finally:
            self.door.set()
            self.threads.close()
            self.unknown_callers.close()


def test_of_many_strange_ones_at_once_no_more_are_looked_up_than_may_be() -> None:
    house = House(max_a_minute=5)

    async def scenario() -> None:
        seen = await house.tries(200)
        assert seen.count(False) == len(house.asked) == 5
        assert all(isinstance(one, TooManyTries) for one in seen if one is not False)
        assert await house.tries(3, place="b") == [False] * 3

    house.run(scenario())


def test_any_number_of_good_ones_from_one_place_is_looked_up() -> None:
    house = House(max_a_minute=5)

    async def scenario() -> None:
        assert await house.tries(200, name=GOOD) == [True] * 200

    house.run(scenario())


def test_who_was_good_of_late_is_found_though_the_place_has_no_try_left_and_strangers_are_slow() -> None:
    house = House(max_a_minute=5)

    async def scenario() -> None:
        assert await house.familiar.look_up(GOOD, "a")
        await house.tries(10)
        with pytest.raises(TooManyTries):
            await house.familiar.look_up("good, but never seen", "a")
        house.door.clear()
        slow = [asyncio.create_task(house.familiar.look_up(f"bad{number}", "b")) for number in range(2)]
        await house.has_asked(8)
        known = asyncio.create_task(house.familiar.look_up(GOOD, "a"))
        await house.has_asked(9)
        house.door.set()
        assert await known
        assert await asyncio.gather(*slow) == [False, False]

    house.run(scenario())
