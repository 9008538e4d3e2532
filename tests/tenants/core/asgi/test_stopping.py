"""Tests of what a stop cuts short, and of what it lets finish."""

import asyncio
import time

import pytest

from tenants.core.asgi.stopping import Stop
from tests.tenants.core.asgi.in_loop import in_loop


async def _waiting(stop: Stop, seconds: float | None) -> "asyncio.Task[None]":
    async def wait() -> None:
        async with stop.limit(seconds):
            await asyncio.Event().wait()

    task = asyncio.create_task(wait())
    await asyncio.sleep(0)
    return task


@pytest.mark.parametrize("seconds", [None, 1000.0])
@pytest.mark.parametrize("told_before", [True, False])
@in_loop
async def test_who_waits_is_ended_by_the_stop(seconds: float | None, told_before: bool) -> None:
    stop = Stop()
    if told_before:
        stop.tell()
    task = await _waiting(stop, seconds)
    if not told_before:
        stop.tell()
    assert stop.told
    with pytest.raises(TimeoutError):
        await task


@in_loop
async def test_a_stop_minds_nobody_whose_time_is_up_at_that_moment() -> None:
    stop = Stop()
    over = await _waiting(stop, 0)
    stop.tell()
    with pytest.raises(TimeoutError):
        await over


@in_loop
async def test_who_is_done_before_the_stop_is_not_disturbed() -> None:
    stop = Stop()
    async with stop.limit():
        pass
    stop.tell()
    await asyncio.sleep(0)


async def _never() -> None:
    await asyncio.Event().wait()


@in_loop
async def test_waits_that_share_a_timer_end_each_at_its_moment() -> None:
    stop = Stop()
    now_s = time.monotonic()
    over = asyncio.create_task(stop.wait(now_s, _never))
    goes_on = asyncio.create_task(stop.wait(now_s + 1000, _never))
    with pytest.raises(TimeoutError):
        await over
    assert not goes_on.done()
    stop.tell()
    with pytest.raises(TimeoutError):
        await goes_on


@in_loop
async def test_a_wait_that_begins_after_the_stop_is_ended_too() -> None:
    stop = Stop()
    stop.tell()
    with pytest.raises(TimeoutError):
        await stop.wait(time.monotonic() + 1000, _never)


@in_loop
async def test_who_is_cancelled_while_waiting_is_cancelled() -> None:
    stop = Stop()
    task = asyncio.create_task(stop.wait(time.monotonic() + 1000, _never))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
