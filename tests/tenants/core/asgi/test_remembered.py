"""Tests of answers that are kept for a moment."""

import asyncio
from dataclasses import dataclass

import pytest

from tenants.core.asgi.remembered import Remembered
from tests.tenants.core.asgi.in_loop import in_loop


@dataclass
class Clock:
    now_s: float = 0.0

    def __call__(self) -> float:
        return self.now_s


class Source:
    """A source that counts its requests. Each answer is the count."""

    def __init__(self) -> None:
        self.asked = 0
        self.gate = asyncio.Event()
        self.gate.set()

    async def __call__(self) -> int:
        self.asked += 1
        answer = self.asked
        await self.gate.wait()
        return answer


@in_loop
async def test_an_answer_is_kept_for_its_lifetime_and_not_longer() -> None:
    clock, source = Clock(), Source()
    remembered: Remembered[str, int] = Remembered(lifetime_s=1, capacity=10, clock=clock)
    assert await remembered.get("a", source) == 1
    clock.now_s = 0.99
    assert await remembered.get("a", source) == 1
    clock.now_s = 1.0
    assert await remembered.get("a", source) == 2


@in_loop
async def test_an_answers_age_counts_from_its_question() -> None:
    clock, source = Clock(), Source()
    remembered: Remembered[str, int] = Remembered(lifetime_s=1, capacity=10, clock=clock)
    source.gate.clear()
    slow = asyncio.ensure_future(remembered.get("a", source))
    await asyncio.sleep(0)
    clock.now_s = 1.5
    source.gate.set()
    assert await slow == 1
    assert await remembered.get("a", source) == 2


@in_loop
async def test_all_who_ask_at_once_share_one_look_up_even_when_the_first_gives_up() -> None:
    source = Source()
    remembered: Remembered[str, int] = Remembered(lifetime_s=1, capacity=10)
    source.gate.clear()
    askers = [asyncio.ensure_future(remembered.get("a", source)) for _ in range(5)]
    await asyncio.sleep(0)
    askers[0].cancel()
    await asyncio.sleep(0)
    source.gate.set()
    assert await asyncio.gather(*askers[1:]) == [1, 1, 1, 1]
    assert source.asked == 1


@in_loop
async def test_a_look_up_that_fails_is_not_remembered() -> None:
    remembered: Remembered[str, int] = Remembered(lifetime_s=1, capacity=10)

    async def fails() -> int:
        raise LookupError

    with pytest.raises(LookupError):
        await remembered.get("a", fails)
    assert await remembered.get("a", Source()) == 1


@in_loop
async def test_no_more_is_kept_than_the_capacity() -> None:
    source = Source()
    remembered: Remembered[int, int] = Remembered(lifetime_s=1, capacity=3)
    for key in range(10):
        await remembered.get(key, source)
    assert len(remembered) == 3
    assert await remembered.get(9, source) == 10


@dataclass
class Feed:
    covered: bool = True

    def covers(self, _requested_s: float) -> bool:
        return self.covered


@in_loop
async def test_with_a_feed_an_answer_is_kept_until_it_is_forgotten() -> None:
    clock, source, feed = Clock(), Source(), Feed()
    remembered: Remembered[str, int] = Remembered(lifetime_s=1, capacity=10, clock=clock, feed=feed)
    assert await remembered.get("a", source) == 1
    clock.now_s = 60
    assert remembered.peek("a") == 1
    feed.covered = False
    assert remembered.peek("a") is None
    feed.covered = True
    remembered.forget_where(lambda key, answer: (key, answer) == ("a", 1))
    assert await remembered.get("a", source) == 2


@in_loop
async def test_with_a_feed_an_answer_is_kept_no_longer_than_it_lasts() -> None:
    clock, source = Clock(), Source()
    remembered: Remembered[str, int] = Remembered(
        lifetime_s=1, capacity=10, clock=clock, feed=Feed(), lasts_s=lambda _: 30
    )
    await remembered.get("a", source)
    clock.now_s = 29
    assert remembered.peek("a") == 1
    clock.now_s = 30
    assert remembered.peek("a") is None


@in_loop
async def test_a_look_up_in_progress_is_forgotten_with_every_change() -> None:
    clock, source = Clock(), Source()
    remembered: Remembered[str, int] = Remembered(lifetime_s=1, capacity=10, clock=clock, feed=Feed())
    source.gate.clear()
    slow = asyncio.ensure_future(remembered.get("a", source))
    await asyncio.sleep(0)
    remembered.forget_where(lambda *_: False)
    source.gate.set()
    assert await slow == 1
    assert remembered.peek("a") is None
