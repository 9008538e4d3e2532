from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from inference.scaling.pool import Taming
from inference.scaling.taming import Tamed, grown_in_time

MOST = 1000


def follow(wanted: list[int], taming: Taming, *, first: int = 10, every_s: float = 15.0) -> list[int]:
    tamed, had = Tamed(taming), [first]
    for look, count in enumerate(wanted):
        had.append(tamed.allowed(count, had[-1], look * every_s, most=MOST))
    return had


def test_it_grows_by_two_in_two_minutes() -> None:
    had = follow([50] * 25, Taming())
    assert had[1] == 12
    assert had[8] == 12
    assert had[9:12] == [14, 14, 14]
    assert had[-1] == 18


def test_a_share_counts_where_it_is_more() -> None:
    assert follow([500], Taming(up_share=0.5), first=100)[-1] == 150


def test_it_shrinks_only_to_the_most_that_it_wanted_lately() -> None:
    wanted = [10, *[4] * 19]
    assert follow(wanted, Taming())[-1] == 10
    assert follow([*wanted, 4, 4], Taming())[-1] == 9


def test_a_moment_of_less_work_changes_nothing() -> None:
    assert set(follow([10, 10, 2, 10, 10, 2] * 20, Taming())) == {10}


def test_after_a_turn_little_more_is_not_followed_and_much_more_is() -> None:
    down = [5] * 3
    assert follow([*down, 10], Taming())[-2:] == [9, 9]
    assert follow([*down, 40], Taming())[-2:] == [9, 11]


def test_a_pool_that_grew_does_not_turn_for_little() -> None:
    assert set(follow([98] * 30, Taming(), first=100)) == {100}
    assert follow([96] * 30, Taming(), first=100)[-1] == 98


def test_a_pool_that_may_have_fewer_than_it_has_shrinks_for_one_too() -> None:
    tamed = Tamed(Taming())
    assert tamed.allowed(99, 100, 0.0, most=99, soon=99) == 99


def test_it_shrinks_only_to_what_it_will_need_soon() -> None:
    tamed = Tamed(Taming())
    assert tamed.allowed(5, 10, 0.0, most=MOST, soon=10) == 10
    assert tamed.allowed(5, 10, 15.0, most=MOST, soon=8) == 9
    assert tamed.allowed(5, 9, 330.0, most=MOST, soon=12) == 9


def test_a_pool_without_replicas_grows_just_after_it_shrank() -> None:
    had = follow([*[0] * 25, 1], Taming(), first=1)
    assert had[-2:] == [0, 1]


@given(st.lists(st.integers(8, 14), min_size=20, max_size=200))
def test_noise_turns_it_once_in_a_window_at_most(wanted: list[int]) -> None:
    taming = Taming(up=6)
    had = follow(wanted, taming)
    turns, direction = [], 0
    for look, (before, after) in enumerate(pairwise(had)):
        now = (after > before) - (after < before)
        if now and direction and now != direction:
            turns.append(look * 15.0)
        direction = now or direction
    assert all(later - sooner >= taming.down_every_s for sooner, later in pairwise(turns))


@given(st.lists(st.integers(0, 100), min_size=1, max_size=100))
def test_it_never_overshoots_what_was_wanted(wanted: list[int]) -> None:
    had = follow(wanted, Taming(up_share=1.0, down_share=0.5))
    for look, count in enumerate(wanted):
        assert had[look + 1] <= max(count, had[look])
        assert had[look + 1] >= min(count, had[look])


TAMINGS = st.builds(Taming, up=st.integers(1, 5), up_share=st.sampled_from([0.0, 0.1, 0.2, 1.0, 20.0]))


def test_a_pool_that_grows_by_two_begins_in_time() -> None:
    assert grown_in_time([1, 1, 1, 10], Taming(up=2)) == 4
    assert grown_in_time([10, 1, 1], Taming(up=2)) == 10
    assert grown_in_time([1, 100], Taming(up=2, up_share=0.25)) == 80
    assert grown_in_time([], Taming()) == 0


@given(st.lists(st.integers(0, 500), max_size=30), TAMINGS)
def test_a_pool_that_begins_in_time_meets_every_need_and_one_with_fewer_does_not(
    needs: list[int], taming: Taming
) -> None:
    def meets(replicas: int) -> bool:
        for number, need in enumerate(needs):
            if number:
                replicas += max(taming.up, int(taming.up_share * replicas))
            if replicas < need:
                return False
        return True

    enough = grown_in_time(needs, taming)
    assert meets(enough)
    assert enough == 0 or not meets(enough - 1)
