"""Tests of whose messages are read while the messages of others have to wait."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

import pytest

from maas.web.grpc.message_flow import Bounds, ReadSlots, TooManyMessages

LONG_S = 1000.0


class Hall:
    """Readers whose messages come when the test releases them."""

    def __init__(self, bounds: Bounds) -> None:
        self.seats = ReadSlots(bounds)
        self.reading: list[str] = []
        self._tasks: list[asyncio.Task[None]] = []

    async def enter(self, *tenants: str) -> list["asyncio.Task[None]"]:
        entered = [asyncio.create_task(self._read(tenant)) for tenant in tenants]
        self._tasks += entered
        await self.settled()
        return entered

    async def leave(self, *tasks: "asyncio.Task[None]") -> None:
        for task in tasks:
            task.cancel()
        await self.settled()

    async def settled(self) -> None:
        for _ in range(10):
            await asyncio.sleep(0)

    async def close(self) -> None:
        await self.leave(*self._tasks)
        for task in self._tasks:
            with suppress(asyncio.CancelledError, TooManyMessages):
                await task
        assert (self.seats._reading.total, self.seats._waiting.total, self.seats._hurried) == (0, 0, None)
        assert not self.seats._reading.of_tenants
        assert not self.seats._waiting.of_tenants

    async def _read(self, tenant: str) -> None:
        async with self.seats.slot(tenant):
            self.reading.append(tenant)
            try:
                await asyncio.Event().wait()
            finally:
                self.reading.remove(tenant)


def run(bounds: Bounds, check: Callable[[Hall], Awaitable[None]]) -> None:
    async def scenario() -> None:
        async with asyncio.timeout(30):
            hall = Hall(bounds)
            await check(hall)
            await hall.close()

    asyncio.run(scenario())


def refusal_of(task: "asyncio.Task[None]") -> str:
    assert task.done()
    with pytest.raises(TooManyMessages) as refused:
        task.result()
    return refused.value.detail


def test_those_of_one_tenant_wait_for_each_other_and_for_nobody_else() -> None:
    async def check(hall: Hall) -> None:
        first, *_ = await hall.enter(*"aaab")
        assert hall.reading == ["a", "b"]
        await hall.leave(first)
        assert hall.reading == ["b", "a"]

    run(Bounds(reading=3, reading_of_one=1, for_first=0), check)


def test_the_last_seats_are_for_tenants_of_whom_nothing_is_read() -> None:
    async def check(hall: Hall) -> None:
        await hall.enter(*"aaaab")
        assert sorted(hall.reading) == ["a", "a", "b"]

    run(Bounds(reading=4, reading_of_one=4, for_first=2, undisturbed_s=LONG_S), check)


def test_tenants_of_whom_as_much_is_read_take_turns() -> None:
    async def check(hall: Hall) -> None:
        tasks = await hall.enter(*"abbc")
        seen = []
        for position in (0, 1, 3, 2):
            seen += hall.reading
            await hall.leave(tasks[position])
        assert seen == ["a", "b", "c", "b"]

    run(Bounds(reading=1, reading_of_one=1, for_first=0, undisturbed_s=LONG_S), check)


def test_who_reads_most_gives_way_to_who_reads_nothing() -> None:
    async def check(hall: Hall) -> None:
        tasks = await hall.enter(*"aaabbc")
        assert sorted(hall.reading) == ["a", "a", "a", "b", "b", "c"]
        await hall.enter("d")
        assert "not whole after 0 s" in refusal_of(tasks[0])
        assert sorted(hall.reading) == ["a", "a", "b", "b", "c", "d"]

    run(Bounds(reading=6, reading_of_one=3, for_first=0, undisturbed_s=0), check)


def test_who_has_nearly_as_much_takes_nothing_from_another() -> None:
    async def check(hall: Hall) -> None:
        tasks = await hall.enter(*"aabb")
        assert sorted(hall.reading) == ["a", "a", "b"]
        assert not any(task.done() for task in tasks)
        await hall.enter(*"aa")
        assert sorted(hall.reading) == ["a", "a", "b"]

    run(Bounds(reading=3, reading_of_one=3, for_first=0, undisturbed_s=0), check)


def test_nobody_is_hurried_any_more_once_there_is_a_seat() -> None:
    async def check(hall: Hall) -> None:
        old, young = await hall.enter("a", "b")
        (waiting,) = await hall.enter("c")
        assert hall.seats._hurried is not None
        await hall.leave(young)
        assert sorted(hall.reading) == ["a", "c"]
        assert hall.seats._hurried is None
        assert not old.done()
        assert not waiting.done()

    run(Bounds(reading=2, reading_of_one=2, for_first=0, undisturbed_s=LONG_S), check)


def test_a_tenant_may_have_so_many_waiting_and_no_more() -> None:
    async def check(hall: Hall) -> None:
        *_, one_more = await hall.enter(*"aaaa")
        assert refusal_of(one_more) == "2 messages of yours wait to be read already. Send it again."
        (other,) = await hall.enter("b")
        assert not other.done()

    run(Bounds(reading=1, reading_of_one=1, waiting=9, waiting_of_one=2, undisturbed_s=LONG_S), check)


def test_where_too_many_wait_the_tenant_who_has_most_makes_room() -> None:
    async def check(hall: Hall) -> None:
        *_, last, reading = await hall.enter(*"aaaax")
        assert not reading.done()
        (other,) = await hall.enter("b")
        assert "most are yours" in refusal_of(last)
        assert not other.done()
        (own,) = await hall.enter("a")
        assert refusal_of(own) == "4 messages wait to be read already. Send it again."

    run(
        Bounds(reading=1, reading_of_one=1, for_first=0, waiting=4, waiting_of_one=4, undisturbed_s=LONG_S),
        check,
    )


def test_who_leaves_while_it_waits_is_forgotten() -> None:
    async def check(hall: Hall) -> None:
        first, second, third = await hall.enter(*"aaa")
        await hall.leave(second)
        await hall.leave(first)
        assert hall.reading == ["a"]
        await hall.leave(third)

    run(Bounds(reading=1, reading_of_one=1), check)
