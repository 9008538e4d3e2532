"""Tests of whose pages are next: shares follow weights, no tenant starves, and no tenant saves up turns."""

from collections import Counter
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.core.priorities import BULK, INTERACTIVE, STANDARD, WEIGHTS
from jobs.queue.fairness import (
    Notification,
    TenantQueue,
    foremost,
    newcomers_first,
    overtaken_s,
    pages_before,
    release_window,
    slots_of_one,
    step,
    turns,
)

A, B, C = (UUID(int=number) for number in (1, 2, 3))
MANY = 10_000


def line(tenant: UUID, priority: int = STANDARD, waiting: int = MANY, **more: float | int | None) -> TenantQueue:
    return TenantQueue(tenant, priority, waiting, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(("slots", "of_one"), [(1, 0), (3, 0), (4, 3), (8, 6), (16, 12), (17, 13)])
def test_one_tenant_leaves_a_quarter_of_the_slots_where_there_are_four(slots: int, of_one: int) -> None:
    assert slots_of_one(slots) == of_one


@pytest.mark.parametrize(
    ("slots", "service_s", "window"),
    [
        (16, 0.0, 32),
        (16, 0.05, 32),
        (16, 0.2, 24),
        (16, 1.0, 18),
        (16, 4.0, 17),
        (16, 600.0, 17),
        (1, 600.0, 2),
    ],
)
def test_long_pages_lie_ready_in_smaller_numbers(slots: int, service_s: float, window: int) -> None:
    assert release_window(slots, service_s) == window


@pytest.mark.parametrize(
    ("slots", "service_s", "wake_s", "min_s"),
    [(8, 0.1, 10, 0.5), (8, 5.0, 10, 1.25), (2, 60.0, 10, 5.0), (8, 0.1, 0.5, 0.25), (0, 0.0, 10, 0.5)],
)
def test_newcomers_pass_what_is_younger_than_two_slots_take_to_come_free(
    slots: int, service_s: float, wake_s: float, min_s: float
) -> None:
    assert overtaken_s(slots, service_s, wake_s) == min_s


def test_one_tenant_alone_gets_everything_in_order() -> None:
    assert turns([line(A, waiting=5)], now=0, room=8, cost_s=1).order == (0,) * 5


def test_the_newcomer_is_in_the_very_next_release_of_a_flood() -> None:
    after = turns([line(A)], now=0, room=200, cost_s=1)
    flood, newcomer = line(A, ends=after.ends[0]), line(B, waiting=1)
    assert turns([flood, newcomer], now=after.now, room=2, cost_s=1).order.count(1) == 1


def test_whose_pages_are_ten_times_as_heavy_gets_a_tenth_of_the_pages() -> None:
    lines = [line(A, heft=5.0), line(B, heft=0.5)]
    order = turns(lines, now=0, room=110, cost_s=1).order
    assert abs(order.count(1) - 10 * order.count(0)) <= 10


def test_interactive_goes_before_standard_before_bulk() -> None:
    lines = [line(A, BULK), line(A, STANDARD), line(A, INTERACTIVE)]
    assert turns(lines, now=0, room=3, cost_s=1).order == (2, 1, 0)


def test_bulk_work_gets_its_part_while_the_others_wait() -> None:
    lines = [line(A, INTERACTIVE), line(A, STANDARD), line(A, BULK)]
    order = turns(lines, now=0, room=sum(WEIGHTS.values()) * 10, cost_s=1).order
    assert [order.count(place) for place in range(3)] == [160, 40, 10]


def test_who_had_nothing_to_do_has_saved_up_no_turns() -> None:
    busy, rested = line(A, ends=1000.0), line(B, ends=3.0)
    order = turns([busy, rested], now=1000.0, room=10, cost_s=4).order
    assert abs(order.count(0) - order.count(1)) <= 1


def test_nobody_waits_for_what_was_charged_when_a_pages_cost_was_unknown() -> None:
    charged, newcomer = line(A, ends=1_000_000.0), line(B)
    order = turns([charged, newcomer], now=0, room=10, cost_s=0.01).order
    assert abs(order.count(0) - order.count(1)) <= 1


def test_a_tenant_at_its_cap_is_passed_over_at_all_priorities() -> None:
    lines = [line(A, STANDARD, room=3), line(A, BULK, room=3), line(B, BULK)]
    order = turns(lines, now=0, room=20, cost_s=1).order
    assert order.count(0) + order.count(1) == 3
    assert order.count(2) == 17


def test_a_cap_that_is_overdrawn_lets_nothing_through() -> None:
    assert turns([line(A, room=0)], now=0, room=5, cost_s=1).order == ()


some_lines = st.lists(
    st.tuples(
        st.sampled_from((INTERACTIVE, STANDARD, BULK)),
        st.integers(1, 1000),
        st.floats(0, 1e6),
        st.integers(0, 300),
        st.sampled_from((0.1, 1.0, 8.0)),
    ),
    min_size=1,
    max_size=12,
).map(
    lambda rows: [
        TenantQueue(UUID(int=number), priority, waiting, weight=weight, ends=ends, heft=heft)
        for number, (priority, weight, ends, waiting, heft) in enumerate(rows)
    ]
)
costs = st.floats(0.001, 1000)
times = st.floats(0, 1e6)


@given(some_lines, times, st.integers(0, 500), costs)
def test_as_much_is_released_as_fits_and_waits(lines: list[TenantQueue], now: float, room: int, cost_s: float) -> None:
    chosen = turns(lines, now=now, room=room, cost_s=cost_s)
    assert len(chosen.order) == min(room, sum(line.waiting for line in lines))
    assert all(chosen.pages_of(place) <= line.waiting for place, line in enumerate(lines))
    assert chosen.now >= now


@given(some_lines, times, st.integers(0, 40), costs)
def test_the_next_pages_are_among_those_of_the_foremost_lines(
    lines: list[TenantQueue], now: float, room: int, cost_s: float
) -> None:
    waiting = [line for line in lines if line.waiting]
    first = foremost(waiting, now=now, most=room, cost_s=cost_s)
    of_all = turns(waiting, now=now, room=room, cost_s=cost_s)
    of_first = turns(first, now=now, room=room, cost_s=cost_s)
    assert [first[at] for at in of_first.order] == [waiting[at] for at in of_all.order]


@given(
    st.lists(st.tuples(st.sampled_from((INTERACTIVE, STANDARD, BULK)), st.integers(1, 100)), min_size=2, max_size=8),
    st.integers(50, 800),
    costs,
)
def test_shares_follow_weights_to_within_a_page_of_each(rows: list[tuple[int, int]], room: int, cost_s: float) -> None:
    lines = [
        TenantQueue(UUID(int=number), priority, MANY, weight=weight) for number, (priority, weight) in enumerate(rows)
    ]
    order = turns(lines, now=0, room=room, cost_s=cost_s).order
    served = [order.count(place) * step(line, cost_s) for place, line in enumerate(lines)]
    widest = max(step(line, cost_s) for line in lines)
    assert max(served) - min(served) <= widest * (1 + 1e-6)


@given(some_lines, times, costs)
def test_nobody_waits_longer_than_one_page_of_theirs_lasts(lines: list[TenantQueue], now: float, cost_s: float) -> None:
    """No other queue, however many pages it has, gets more pages first than fit into the time of one page of this
    queue.
    """
    backlogged = [line for line in lines if line.waiting]
    if not backlogged:
        return
    chosen = turns(backlogged, now=now, room=sum(line.waiting for line in backlogged), cost_s=cost_s)
    for place, mine in enumerate(backlogged):
        before = Counter(chosen.order[: chosen.order.index(place)])
        for other, pages in before.items():
            steps = step(mine, cost_s) / step(backlogged[other], cost_s)
            assert pages <= steps + 2 + 1e-6 * steps


@given(some_lines, times, costs, st.integers(0, 11), st.integers(0, 299))
def test_a_position_is_the_number_of_pages_that_are_released_first(
    lines: list[TenantQueue], now: float, cost_s: float, place: int, own_before: int
) -> None:
    place %= len(lines)
    mine = lines[place]
    if own_before >= mine.waiting:
        return
    order = turns(lines, now=now, room=10_000, cost_s=cost_s).order
    mine_at = [at for at, one in enumerate(order) if one == place][own_before]
    told = pages_before(lines, mine, own_before, now=now, cost_s=cost_s, counted=MANY)
    # These are sums of floats, so a tie may be decided either way.
    assert told is not None
    assert abs(told - mine_at) <= len(lines)


def test_a_position_behind_more_pages_than_were_counted_is_not_made_up() -> None:
    others, mine = line(B, waiting=100), line(A, waiting=5000)
    assert pages_before([others, mine], mine, 4000, now=0, cost_s=1, counted=100) is None
    assert pages_before([others, mine], mine, 50, now=0, cost_s=1, counted=100) == 100


FLOOD, ONE, OTHER = uuid4(), uuid4(), uuid4()


def wake(tenant: UUID, newcomer: int | None = None) -> Notification:
    return Notification(uuid4(), tenant, newcomer)


def test_newcomers_come_before_the_rest_which_keeps_its_order() -> None:
    wakes = [wake(FLOOD), wake(ONE, STANDARD), wake(FLOOD), wake(OTHER, STANDARD)]
    assert newcomers_first(wakes) == [wakes[1], wakes[3], wakes[0], wakes[2]]


def test_the_more_urgent_of_them_is_told_before() -> None:
    wakes = [wake(ONE, STANDARD), wake(OTHER, INTERACTIVE)]
    assert newcomers_first(wakes) == wakes[::-1]


def test_of_each_the_most_urgent_page_passes_and_no_other() -> None:
    usual, urgent = wake(ONE, STANDARD), wake(ONE, INTERACTIVE)
    assert newcomers_first([usual, wake(FLOOD), urgent])[0] == urgent
    assert [one.first for one in newcomers_first([usual, urgent])] == [True, False]


def test_nobody_new_nothing_changes() -> None:
    wakes = [wake(FLOOD), wake(ONE), wake(FLOOD)]
    assert newcomers_first(wakes) == wakes
