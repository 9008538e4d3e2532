"""Tests of what a stop cuts short, and of what it lets finish."""

import asyncio
import time
from collections.abc import Awaitable, Callable

import pytest

from tenants.core.asgi.stopping import Stop


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


async def _never() -> None:
    await asyncio.Event().wait()


def test_waits_that_share_a_timer_end_each_at_its_moment() -> None:
    async def check(stop: Stop) -> None:
        now_s = time.monotonic()
        over = asyncio.create_task(stop.wait(now_s, _never))
        goes_on = asyncio.create_task(stop.wait(now_s + 1000, _never))
        with pytest.raises(TimeoutError):
            await over
        assert not goes_on.done()
        stop.tell()
        with pytest.raises(TimeoutError):
            await goes_on

    _run(check)


def test_a_wait_that_begins_after_the_stop_is_ended_too() -> None:
    async def check(stop: Stop) -> None:
        stop.tell()
        with pytest.raises(TimeoutError):
            await stop.wait(time.monotonic() + 1000, _never)

    _run(check)


def test_who_is_cancelled_while_waiting_is_cancelled() -> None:
    async def check(stop: Stop) -> None:
        task = asyncio.create_task(stop.wait(time.monotonic() + 1000, _never))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    _run(check)
