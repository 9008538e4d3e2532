import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.runtime.arena_growth import ArenaGrowth, LargestFeeds, Shapes


def x(*shape: int) -> Shapes:
    return {"x": shape}


@pytest.mark.parametrize(
    ("before", "now", "surpassed"),
    [
        ([], x(1), True),
        ([x(4, 8)], x(4, 8), False),
        ([x(4, 8)], x(1, 9), True),
        ([x(256, 64), x(1, 16000)], x(200, 15000), True),
        ([x(256, 64), x(1, 16000)], x(1, 15000), False),
        ([x(4, 8)], x(4), True),
        ([x(4)], {"x": (4,), "mask": (4,)}, True),
        ([x()], x(), False),
    ],
    ids=[
        "none yet",
        "as large",
        "longer, of fewer values",
        "no side longer, of more values",
        "on a side that was as long",
        "of fewer dimensions",
        "another input",
        "a single number",
    ],
)
def test_a_run_may_need_more_where_a_side_or_the_number_of_values_is_larger(
    before: list[Shapes], now: Shapes, surpassed: bool
) -> None:
    largest = LargestFeeds()
    for shapes in before:
        largest = largest.with_also(shapes)
    assert largest.surpassed_by(now) is surpassed


def test_what_larger_runs_add_is_summed_up() -> None:
    arena = ArenaGrowth().after(x(100), 1000, alone=True)
    assert not arena.may_grow_with(x(100))
    assert arena.after(x(200), 700, alone=True).held_bytes == 1700


def test_what_others_than_larger_runs_add_is_counted_once() -> None:
    arena = ArenaGrowth().after(x(100), 1000, alone=True)
    for _ in range(3):
        arena = arena.after(x(100), 5000, alone=True)
    assert arena.held_bytes == 5000


def test_what_was_seen_beside_others_counts_and_is_not_remembered() -> None:
    """Others may have freed memory in the meantime, so each reading may be too high or too low."""
    arena = ArenaGrowth().after(x(300), 1000, alone=False).after(x(400), -200, alone=False)
    assert (arena.counted_bytes, arena.held_bytes) == (1000, 0)
    assert ArenaGrowth().after(x(300), -1000, alone=False).counted_bytes == 0
    alone = arena.after(x(500), 50, alone=True)
    assert (alone.counted_bytes, alone.held_bytes) == (1050, 50)


def test_after_it_was_given_back_every_run_makes_it_grow() -> None:
    arena = ArenaGrowth().after(x(100), 1000, alone=True).given_back(30)
    assert (arena.counted_bytes, arena.held_bytes) == (30, 0)
    assert arena.may_grow_with(x(1))


@given(st.lists(st.tuples(st.integers(0, 1000), st.integers(-500, 500), st.booleans())))
def test_it_shrinks_only_by_being_given_back(runs: list[tuple[int, int, bool]]) -> None:
    arena = ArenaGrowth()
    for size, grown, alone in runs:
        after = arena.after(x(size), grown, alone=alone)
        assert after.held_bytes >= arena.held_bytes
        assert after.counted_bytes >= arena.counted_bytes
        arena = after
