"""Test that callers who want the same at the same time share one run."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from inference.cache.flights import Flights


class Work:
    def __init__(self) -> None:
        self.started = 0
        self.canceled = 0
        self.gate = asyncio.Event()
        self.fails: Exception | None = None

    async def __call__(self) -> int:
        self.started += 1
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.canceled += 1
            raise
        if self.fails is not None:
            raise self.fails
        return self.started


def run(scenario: Callable[[Flights[int], Work], Awaitable[None]]) -> None:
    async def go() -> None:
        await scenario(Flights(), Work())

    asyncio.run(go())


async def _joined(flights: Flights[int], work: Work, count: int) -> "list[asyncio.Task[bool]]":
    async def join() -> bool:
        landed = await flights.join(b"k", work)
        landed.end()
        return landed.led

    tasks = [asyncio.create_task(join()) for _ in range(count)]
    await asyncio.sleep(0)
    return tasks


def test_two_hundred_at_once_are_one_run_and_one_of_them_began_it() -> None:
    async def scenario(flights: Flights[int], work: Work) -> None:
        tasks = await _joined(flights, work, 200)
        work.gate.set()
        assert sorted(await asyncio.gather(*tasks)) == [False] * 199 + [True]
        assert (work.started, len(flights)) == (1, 0)
        await flights.join(b"k", work)
        assert work.started == 2

    run(scenario)


def test_who_began_it_may_leave_without_ending_it_for_the_others() -> None:
    async def scenario(flights: Flights[int], work: Work) -> None:
        first, *others = await _joined(flights, work, 3)
        first.cancel()
        await asyncio.wait([first])
        work.gate.set()
        # The run counts as made for the caller who receives its value first. Otherwise no caller would pay for it.
        assert sorted(await asyncio.gather(*others)) == [False, True]
        assert (work.started, work.canceled) == (1, 0)

    run(scenario)


def test_when_the_last_one_leaves_the_work_ends_and_the_next_one_begins_anew() -> None:
    async def scenario(flights: Flights[int], work: Work) -> None:
        tasks = await _joined(flights, work, 3)
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        assert len(flights) == 0
        (again,) = await _joined(flights, work, 1)
        work.gate.set()
        assert await again
        assert (work.started, work.canceled) == (2, 1)

    run(scenario)


def test_a_failure_is_everybodys_and_is_not_remembered() -> None:
    async def scenario(flights: Flights[int], work: Work) -> None:
        work.fails = ValueError("no")
        tasks = await _joined(flights, work, 3)
        work.gate.set()
        failures = await asyncio.gather(*tasks, return_exceptions=True)
        assert [type(failure) for failure in failures] == [ValueError] * 3
        work.fails = None
        assert (await flights.join(b"k", work)).led

    run(scenario)


def test_until_its_leader_ends_it_others_join_what_has_landed() -> None:
    async def scenario(flights: Flights[int], work: Work) -> None:
        work.gate.set()
        first = await flights.join(b"k", work)
        second = await flights.join(b"k", work)
        second.end()
        third = await flights.join(b"k", work)
        assert (first.led, second.led, third.led, work.started) == (True, False, False, 1)
        first.end()
        assert (await flights.join(b"k", work)).led
        assert work.started == 2

    run(scenario)


def test_what_has_landed_too_long_ago_is_joined_no_more() -> None:
    async def scenario(flights: Flights[int], work: Work) -> None:
        work.gate.set()
        first = await flights.join(b"k", work)
        assert (await flights.join(b"k", work, 60.0)).value == first.value
        anew = await flights.join(b"k", work, 0.0)
        assert (anew.led, work.started) == (True, 2)
        first.end()
        assert flights.is_under_way(b"k"), "the other one's"
        anew.end()
        assert not flights.is_under_way(b"k")

    run(scenario)


def test_different_keys_fly_apart() -> None:
    async def scenario(flights: Flights[int], work: Work) -> None:
        work.gate.set()
        one, other = await asyncio.gather(flights.join(b"a", work), flights.join(b"b", work))
        assert one.led
        assert other.led

    run(scenario)


def test_cancelling_all_leaves_no_task_behind() -> None:
    async def scenario(flights: Flights[int], work: Work) -> None:
        tasks = await _joined(flights, work, 2)
        for task in tasks:
            task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await tasks[0]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    run(scenario)
