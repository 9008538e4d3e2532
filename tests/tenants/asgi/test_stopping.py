"""What a stop cuts short, and what it leaves its time."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from tenants.asgi.stopping import Stop


async def _waiting(stop: Stop, seconds: float | None) -> "asyncio.Task[None]":
    async def wait() -> None:
        async with stop.limit(seconds):
            await asyncio.Event().wait()

    task = asyncio.create_task(wait())
    await asyncio.sleep(0)
    return task


def _run(check: Callable[[Stop], Awaitable[None]]) -> None:
    async def run() -> None:
        async with asyncio.timeout(10):
            await check(Stop())

    asyncio.run(run())


@pytest.mark.parametrize("seconds", [None, 1000.0])
@pytest.mark.parametrize("told_before", [True, False])
def test_who_waits_is_ended_by_the_stop(seconds: float | None, told_before: bool) -> None:
    async def check(stop: Stop) -> None:
        if told_before:
            stop.tell()
        task = await _waiting(stop, seconds)
        if not told_before:
            stop.tell()
        assert stop.told
        with pytest.raises(TimeoutError):
            await task

    _run(check)


def test_a_stop_minds_nobody_whose_time_is_up_at_that_moment() -> None:
    async def check(stop: Stop) -> None:
        over = await _waiting(stop, 0)
        stop.tell()
        with pytest.raises(TimeoutError):
            await over

    _run(check)


def test_who_is_done_before_the_stop_is_not_disturbed() -> None:
    async def check(stop: Stop) -> None:
        async with stop.limit():
            pass
        stop.tell()
        await asyncio.sleep(0)

    _run(check)
