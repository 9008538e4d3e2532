"""Tests of slots that are lent in turn."""

import asyncio
from collections.abc import Awaitable, Callable
from uuid import UUID

import pytest

from jobs.intake.fair_slots import FairSlots
from tenants.core.asgi.threads import Overloaded

A, B, C = (UUID(int=number) for number in (1, 2, 3))


class Counter:
    """A record of who took a slot, in order."""

    def __init__(self, places: int, max_each: int, max_waiting_each: int = 100) -> None:
        self.turns = FairSlots(places, max_each=max_each, max_waiting_each=max_waiting_each)
        self.served: list[str] = []

    async def ask(self, tenant_id: UUID, *names: str, ahead: bool = False) -> "list[asyncio.Task[None]]":
        tasks = [asyncio.create_task(self._take(tenant_id, name, ahead)) for name in names]
        await _settle()
        return tasks

    async def give_back(self, tenant_id: UUID) -> None:
        self.turns.give_back(tenant_id)
        await _settle()

    async def _take(self, tenant_id: UUID, name: str, ahead: bool) -> None:
        await self.turns.take(tenant_id, ahead=ahead)
        self.served.append(name)


async def _settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def _run(check: Callable[[], Awaitable[None]]) -> None:
    async def run() -> None:
        await check()
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()

    asyncio.run(run())


def test_a_tenant_is_served_in_its_own_order_and_never_has_all_places() -> None:
    async def check() -> None:
        counter = Counter(places=3, max_each=2)
        await counter.ask(A, "a1", "a2", "a3", "a4")
        assert counter.served == ["a1", "a2"]
        await counter.ask(B, "b1")
        assert counter.served == ["a1", "a2", "b1"]
        await counter.give_back(A)
        assert counter.served == ["a1", "a2", "b1", "a3"]

    _run(check)


def test_tenants_are_served_in_turn_however_much_one_asks_for() -> None:
    async def check() -> None:
        counter = Counter(places=1, max_each=1)
        await counter.ask(A, "a1", "a2", "a3", "a4")
        await counter.ask(B, "b1", "b2")
        await counter.ask(C, "c1")
        for tenant_id in (A, A, B, C, A):
            await counter.give_back(tenant_id)
        assert counter.served == ["a1", "a2", "b1", "c1", "a3", "b2"]

    _run(check)


def test_those_ahead_stand_before_their_tenants_others_and_before_nobody_elses() -> None:
    async def check() -> None:
        counter = Counter(places=1, max_each=1)
        await counter.ask(A, "a1", "a2", "a3")
        await counter.ask(B, "b1", "b2")
        first, _ = await counter.ask(A, "a4", "a5", ahead=True)
        await counter.ask(A, "a6")
        assert (counter.turns.waiting_of(A, ahead=True), counter.turns.waiting_of(A)) == (2, 5)
        first.cancel()
        await _settle()
        assert (counter.turns.waiting_of(A, ahead=True), counter.turns.waiting_of(A)) == (1, 4)
        for tenant_id in (A, A, B, A, B, A, A):
            await counter.give_back(tenant_id)
        assert counter.served == ["a1", "a5", "b1", "a2", "b2", "a3", "a6"]
        assert counter.turns.waiting == 0

    _run(check)


def test_however_many_are_ahead_the_others_have_a_turn_now_and_then() -> None:
    async def check() -> None:
        counter = Counter(places=1, max_each=1)
        await counter.ask(A, "a0", "a1", "a2")
        await counter.ask(A, *(f"b{number}" for number in range(8)), ahead=True)
        for _ in range(10):
            await counter.give_back(A)
        assert counter.served == ["a0", "b0", "b1", "b2", "a1", "b3", "b4", "b5", "a2", "b6", "b7"]

    _run(check)


def test_who_stops_waiting_is_passed_over() -> None:
    async def check() -> None:
        counter = Counter(places=1, max_each=1)
        await counter.ask(A, "a1")
        (gone, _) = await counter.ask(A, "a2", "a3")
        gone.cancel()
        await _settle()
        await counter.give_back(A)
        assert counter.served == ["a1", "a3"]

    _run(check)


def test_a_place_lent_to_somebody_who_just_left_goes_to_the_next() -> None:
    async def check() -> None:
        counter = Counter(places=1, max_each=1)
        await counter.ask(A, "a1")
        (leaving,) = await counter.ask(B, "b1")
        await counter.ask(C, "c1")
        counter.turns.give_back(A)  # Lends to b1, whose task has not run since.
        leaving.cancel()
        await _settle()
        assert counter.served == ["a1", "c1"]

    _run(check)


def test_too_many_of_one_tenant_are_refused_at_once() -> None:
    async def check() -> None:
        counter = Counter(places=1, max_each=1, max_waiting_each=2)
        await counter.ask(A, "a1", "a2", "a3")
        with pytest.raises(Overloaded):
            await counter.turns.take(A)
        await counter.ask(B, "b1")
        await counter.give_back(A)
        await counter.give_back(A)
        assert "b1" in counter.served

    _run(check)
