"""Tests of the decision alone, with tables of queues and without a clock or a server."""

from collections.abc import Mapping
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from jobs.core.priorities import BULK, INTERACTIVE, STANDARD
from jobs.queue.fairness import TenantQueue
from jobs.queue.queue_age import REOPENS_AT, Queue, Verdict, Wait, retry_after_s, verdict, wait_of

ONE, TWO, NEW = (UUID(int=number) for number in (11, 12, 13))
LIMIT_S = 60.0


def queue(
    *lines: TenantQueue, slots: int = 10, service_s: float = 1.0, oldest: Mapping[UUID, float] | None = None
) -> Queue:
    ages = {(tenant, STANDARD): age_s for tenant, age_s in (oldest or {}).items()}
    return Queue(lines, 0.0, 2_000, ages, slots, service_s)


def decided(queue: Queue, tenant: UUID, priority: int = STANDARD) -> Verdict:
    return verdict(wait_of(queue, tenant, priority), LIMIT_S, refused=False)


def test_an_empty_queue_is_open_to_all() -> None:
    assert decided(queue(), NEW) is Verdict.OPEN


def test_who_floods_is_refused_for_his_own_backlog_and_nobody_else_is() -> None:
    flooded = queue(TenantQueue(ONE, STANDARD, waiting=1_000))
    assert decided(flooded, ONE) is Verdict.OWN_BACKLOG
    assert decided(flooded, NEW) is Verdict.OPEN
    assert decided(flooded, TWO, INTERACTIVE) is Verdict.OPEN
    assert decided(flooded, TWO, BULK) is Verdict.OPEN


def test_where_very_many_have_a_little_whoever_comes_is_refused() -> None:
    # Seven hundred turns come before that of the tenant with the highest id.
    crowd = queue(*(TenantQueue(UUID(int=1_000 + number), STANDARD, waiting=1) for number in range(700)), slots=10)
    newest = UUID(int=1 << 100)
    assert wait_of(crowd, newest, STANDARD).own_s == 70.0
    many = [TenantQueue(UUID(int=1_000 + number), STANDARD, waiting=3, ends=0.0) for number in range(700)]
    mine = TenantQueue(newest, STANDARD, waiting=2)
    assert decided(queue(*many, mine), newest) in (Verdict.TOO_LONG, Verdict.OWN_BACKLOG)


def test_a_line_that_nobody_serves_is_refused_by_its_age() -> None:
    stuck = queue(TenantQueue(ONE, STANDARD, waiting=1), service_s=0.0, oldest={ONE: LIMIT_S + 1})
    assert decided(stuck, ONE) is Verdict.TOO_LONG
    assert decided(stuck, NEW) is Verdict.OPEN, "nothing of his waits"


def test_age_counts_where_the_workers_are_slower_than_they_say() -> None:
    slow = queue(TenantQueue(ONE, STANDARD, waiting=5), oldest={ONE: 2 * LIMIT_S})
    assert decided(slow, ONE) is Verdict.OWN_BACKLOG


def test_without_a_limit_everything_is_let_in() -> None:
    assert verdict(Wait(1e9, 1e9), 0, refused=True) is Verdict.OPEN


def test_whoever_was_refused_is_let_in_again_only_well_below_the_limit() -> None:
    between = Wait(LIMIT_S * (REOPENS_AT + 1) / 2, 0.0)
    assert verdict(between, LIMIT_S, refused=False) is Verdict.OPEN
    assert verdict(between, LIMIT_S, refused=True) is Verdict.OWN_BACKLOG
    assert verdict(Wait(LIMIT_S * REOPENS_AT, 0.0), LIMIT_S, refused=True) is Verdict.OPEN


@given(own_s=st.floats(61, 10_000), chance=st.floats(0, 1), pace_known=st.booleans())
def test_whoever_comes_when_told_is_let_in_if_nothing_more_came(own_s: float, chance: float, pace_known: bool) -> None:
    wait = Wait(own_s, 0.0 if pace_known else None)
    pause_s = retry_after_s(wait, LIMIT_S, chance)
    assert 1 <= pause_s <= 4_500
    if pace_known and own_s < 3_000:
        later = Wait(max(0.0, own_s - pause_s), 0.0)
        assert verdict(later, LIMIT_S, refused=True) is Verdict.OPEN


@given(st.lists(st.integers(1, 1_999), max_size=8), st.integers(0, 1_998))
def test_more_of_ones_own_never_makes_the_wait_shorter(others: list[int], mine: int) -> None:
    lines = [TenantQueue(UUID(int=100 + at), STANDARD, waiting=waiting) for at, waiting in enumerate(others)]
    shorter = wait_of(queue(*lines, TenantQueue(ONE, STANDARD, waiting=mine)), ONE, STANDARD)
    longer = wait_of(queue(*lines, TenantQueue(ONE, STANDARD, waiting=mine + 1)), ONE, STANDARD)
    assert longer.own_s >= shorter.own_s
