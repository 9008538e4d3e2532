"""Test the choice of a pool for waiting work."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.tiers.binding import NOTICED_S, PoolNow, pool_for, spread

HOME = PoolNow("home", workers=1, slots=2, loaded=True, service_s=1.0)
OVERFLOW = PoolNow("overflow", workers=1, slots=2, loaded=True, service_s=1.0)
COLD = replace(OVERFLOW, loaded=False, load_s=4.0)


def test_work_stays_at_home_while_it_begins_there_as_soon() -> None:
    assert pool_for([HOME, OVERFLOW]).name == "home"


def test_work_goes_where_it_begins_sooner() -> None:
    assert pool_for([replace(HOME, ahead=2), OVERFLOW]).name == "overflow"


def test_a_difference_that_nobody_notices_moves_no_work() -> None:
    assert pool_for([replace(HOME, ahead=1, service_s=NOTICED_S), OVERFLOW]).name == "home"


@pytest.mark.parametrize(("ahead", "chosen"), [(15, "home"), (17, "overflow")])
def test_a_load_elsewhere_has_to_pay_for_itself_and_for_the_wait_for_it(ahead: int, chosen: str) -> None:
    assert pool_for([replace(HOME, ahead=ahead), COLD]).name == chosen


def test_the_time_to_fetch_files_counts_like_a_load() -> None:
    home = replace(HOME, ahead=17)
    assert pool_for([home, COLD]).name == "overflow"
    assert pool_for([home, replace(COLD, move_s=1.0)]).name == "home"


def test_a_load_that_is_under_way_is_not_paid_for_again() -> None:
    home = replace(HOME, ahead=12)
    assert pool_for([home, COLD]).name == "home"
    assert pool_for([home, replace(COLD, ahead=1)]).name == "overflow"


def test_a_home_without_workers_is_passed_over() -> None:
    assert pool_for([replace(HOME, workers=0), COLD]).name == "overflow"


def test_without_any_workers_work_waits_at_home() -> None:
    assert pool_for([replace(HOME, workers=0), replace(COLD, workers=0)]).name == "home"


def test_few_pages_stay_at_home_and_many_are_spread_by_speed() -> None:
    assert spread(2, [HOME, COLD]) == [2, 0]
    assert spread(100, [HOME, OVERFLOW]) == [50, 50]
    assert spread(90, [HOME, replace(OVERFLOW, slots=4)])[1] == pytest.approx(60, abs=2)


def test_once_a_load_pays_it_serves_all_the_work_that_waits() -> None:
    home, overflow = spread(60, [HOME, COLD])
    assert home > 17
    assert overflow > 15


states = st.builds(
    PoolNow,
    name=st.just("p"),
    workers=st.integers(0, 3),
    slots=st.integers(0, 8),
    loaded=st.booleans(),
    service_s=st.floats(0, 10),
    ahead=st.integers(0, 50),
    load_s=st.floats(0, 60),
    move_s=st.floats(0, 60),
)


@given(st.integers(0, 60), st.lists(states, min_size=1, max_size=4))
def test_every_page_goes_to_one_pool_and_none_to_a_pool_without_workers_unless_it_is_home(
    pages: int, pools: list[PoolNow]
) -> None:
    given_to = spread(pages, pools)
    assert sum(given_to) == pages
    for pool, count in list(zip(pools, given_to, strict=True))[1:]:
        assert pool.workers or not count
    if any(pool.workers for pool in pools) and not pools[0].workers:
        assert given_to[0] == 0


@given(st.integers(1, 60), st.lists(states, min_size=1, max_size=4))
def test_more_work_never_takes_pages_from_a_pool(pages: int, pools: list[PoolNow]) -> None:
    fewer, more = spread(pages - 1, pools), spread(pages, pools)
    assert all(a <= b for a, b in zip(fewer, more, strict=True))
