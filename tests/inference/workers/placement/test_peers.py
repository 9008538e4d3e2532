"""Test which workers count as alive, as far as Redis shows, and which count as dead after Redis was unavailable."""

from collections.abc import Callable, Iterator

import pytest
import redis
from django.conf import settings

from inference.workers import heartbeats
from inference.workers.heartbeats import EXPIRES_S, PREFIX, Beat, Heartbeat, HeldModel
from inference.workers.placement.peers import Company, OtherWorkers
from tests.fixtures import unique
from tests.inference.workers.placement.clocks import Clock

HOLDS = Beat(models=(HeldModel("a@1"),))


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def me() -> Iterator[Heartbeat]:
    heart = Heartbeat(unique("worker"), "CPU")
    heart.beat(Beat())
    yield heart
    heart.end()


@pytest.fixture
def other() -> Iterator[Heartbeat]:
    heart = Heartbeat(unique("worker"), "CPU")
    heart.beat(HOLDS)
    yield heart
    heart.end()


@pytest.fixture
def away(monkeypatch: pytest.MonkeyPatch) -> Callable[[OtherWorkers], Company]:
    """Return a function that looks while Redis does not answer."""
    nowhere = redis.Redis(port=1, socket_connect_timeout=0.2)

    def look(others: OtherWorkers) -> Company:
        with monkeypatch.context() as patched:
            patched.setattr(heartbeats, "_connection", lambda: nowhere)
            return others.look()

    return look


def forget(*hearts: Heartbeat) -> None:
    """Forget the heartbeats, like a Redis that was unavailable for longer than they are kept."""
    redis.Redis.from_url(settings.MAAS_REDIS_URL).delete(*(PREFIX + heart.name for heart in hearts))


def names(company: Company) -> set[str]:
    return {report.name for report in company.reports}


def test_a_worker_that_falls_silent_while_redis_answers_has_lost_its_models(
    me: Heartbeat, other: Heartbeat, clock: Clock
) -> None:
    others = OtherWorkers(me.name, clock)
    assert other.name in names(others.look())
    forget(other)
    company = others.look()
    assert (company.lost, company.returning) == (frozenset({"a@1"}), False)


def test_after_an_outage_nobody_is_taken_for_dead_before_all_could_beat_again(
    me: Heartbeat, other: Heartbeat, clock: Clock, away: Callable[[OtherWorkers], Company]
) -> None:
    others = OtherWorkers(me.name, clock)
    others.look()
    assert away(others) == Company(alone=True)
    forget(other)
    clock.pass_s(EXPIRES_S - 1)
    company = others.look()
    assert (company.alone, company.returning, company.lost) == (False, True, frozenset())
    other.beat(HOLDS)
    company = others.look()
    assert (company.returning, company.lost) == (False, frozenset())


def test_whoever_does_not_come_back_after_an_outage_is_dead(
    me: Heartbeat, other: Heartbeat, clock: Clock, away: Callable[[OtherWorkers], Company]
) -> None:
    others = OtherWorkers(me.name, clock)
    others.look()
    away(others)
    forget(other)
    clock.pass_s(EXPIRES_S)
    company = others.look()
    assert (company.returning, company.lost) == (False, frozenset({"a@1"}))


def test_whoever_starts_during_an_outage_waits_for_others_whom_it_never_saw(
    me: Heartbeat, clock: Clock, away: Callable[[OtherWorkers], Company]
) -> None:
    others = OtherWorkers(me.name, clock)
    away(others)
    assert others.look().returning
    clock.pass_s(EXPIRES_S)
    assert not others.look().returning


def test_a_redis_that_lost_all_beats_without_being_seen_away_tells_of_no_dead(
    me: Heartbeat, other: Heartbeat, clock: Clock
) -> None:
    others = OtherWorkers(me.name, clock)
    others.look()
    forget(me, other)
    company = others.look()
    assert (company.returning, company.lost) == (True, frozenset())
    me.beat(Beat())
    assert others.look().returning
    other.beat(HOLDS)
    company = others.look()
    assert (company.returning, company.lost) == (False, frozenset())
