"""Test what a call learns that no worker answered: whether its pools have none, and when one will be there."""

import asyncio
from collections.abc import Callable, Iterator, Mapping

import pytest

from inference.gateway.absent_workers import AbsentWorkers
from inference.rpc.errors import NoWorker
from inference.scaling.next_worker import NextWorker
from inference.tiers.routes import CallPool
from inference.workers.heartbeats import Beat, Heartbeat
from tests.fixtures import unique


@pytest.fixture
def work() -> Iterator[Callable[..., None]]:
    """Return what registers a worker of these pools."""
    hearts: list[Heartbeat] = []

    def start(*pools: str, **fields: object) -> None:
        hearts.append(Heartbeat(unique("worker"), "CPU"))
        hearts[-1].beat(Beat(pools=pools, **fields))  # type: ignore[arg-type]

    yield start
    for heart in hearts:
        heart.end()


def pools(*names: str, dedicated: bool = True) -> tuple[CallPool, ...]:
    return tuple(CallPool(f"m@1~{name}", name, dedicated=dedicated) for name in names)


def error_of(*of: CallPool, left_s: Mapping[str, float | None] | None = None) -> NoWorker | None:
    return asyncio.run(AbsentWorkers(lambda pool: NextWorker((left_s or {}).get(pool))).of(of))


def too_far(*of: CallPool, left_s: Mapping[str, float | None]) -> NoWorker | None:
    return asyncio.run(AbsentWorkers(lambda pool: NextWorker(left_s.get(pool))).too_far(of))


def test_a_worker_that_names_no_pool_serves_no_dedicated_one(work: Callable[..., None]) -> None:
    work()
    assert error_of(*pools(unique("gold"))) is not None
    assert error_of(*pools(unique("shared"), dedicated=False)) is None


@pytest.mark.parametrize("fields", [{"draining": True}, {"loading": ("m@1",)}, {"look_age_s": 60.0}])
def test_a_worker_that_takes_no_work_does_not_count(work: Callable[..., None], fields: Mapping[str, object]) -> None:
    gold = unique("gold")
    work(gold, **fields)
    assert error_of(*pools(gold)) is not None
    work(gold)
    assert error_of(*pools(gold)) is None


def test_a_call_whose_overflow_has_a_worker_was_not_left_without_one(work: Callable[..., None]) -> None:
    home, overflow = unique("home"), unique("overflow")
    work(overflow)
    assert error_of(*pools(home, overflow)) is None
    assert too_far(*pools(home, overflow), left_s={home: 300.0}) is None


def test_it_comes_again_when_any_of_its_pools_has_a_worker() -> None:
    home, overflow = unique("home"), unique("overflow")
    for left_s in ({home: 300.0, overflow: 30.0}, {home: 30.0}, {overflow: 30.0}):
        error = error_of(*pools(home, overflow), left_s=left_s)
        assert error is not None
        assert error.retry_after_s == 30


def test_it_waits_at_home_unless_the_next_worker_there_is_too_far() -> None:
    home, overflow = unique("home"), unique("overflow")
    assert too_far(*pools(home, overflow), left_s={home: 50.0, overflow: 300.0}) is None
    error = too_far(*pools(home, overflow), left_s={home: 300.0, overflow: 30.0})
    assert error is not None
    assert error.retry_after_s == 30
