from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.runtime.residency import HALVES_IN_S, MemoryBudget, Resident, UseRate, make_room

RESIDENTS = st.lists(
    st.builds(
        Resident,
        path=st.uuids().map(str),
        held_bytes=st.integers(0, 100),
        uses=st.floats(0, 50),
        load_s=st.floats(0, 30),
        last_used_s=st.floats(0, 100),
        in_use=st.booleans(),
    ),
    max_size=8,
    unique_by=lambda resident: resident.path,
)


def kept(residents: Sequence[Resident], room: MemoryBudget) -> list[Resident]:
    return [resident for resident in residents if resident.path not in room.evict]


def test_among_equals_the_least_recently_used_leaves_first_and_no_more_than_needed() -> None:
    residents = [
        Resident("new", 40, uses=1, last_used_s=3.0),
        Resident("old", 40, uses=1, last_used_s=1.0),
        Resident("mid", 40, uses=1, last_used_s=2.0),
    ]
    assert make_room(residents, needed_bytes=40, budget_bytes=120).evict == ("old",)
    assert make_room(residents, needed_bytes=41, budget_bytes=120).evict == ("old", "mid")
    assert make_room(residents, needed_bytes=0, budget_bytes=120).evict == ()


@pytest.mark.parametrize(
    ("stays", "needed"),
    [
        (Resident("slow to load", 40, uses=1, load_s=20.0, last_used_s=1.0), 40),
        (Resident("used often", 40, uses=30, load_s=1.0, last_used_s=1.0), 40),
        (Resident("small, worth the same", 20, uses=1, load_s=0.2, last_used_s=2.0), 15),
        (Resident("small, too small to help", 12, uses=1, load_s=0.01, last_used_s=1.0), 35),
    ],
    ids=lambda one: one.path if isinstance(one, Resident) else "",
)
def test_what_is_worth_more_or_too_small_to_help_stays(stays: Resident, needed: int) -> None:
    leaves = Resident("leaves", 40, uses=1, load_s=0.2, last_used_s=2.0)
    budget_bytes = stays.held_bytes + leaves.held_bytes
    assert make_room([stays, leaves], needed_bytes=needed, budget_bytes=budget_bytes).evict == ("leaves",)


def test_nothing_is_evicted_in_vain() -> None:
    residents = [Resident("idle", 10), Resident("busy", 100, in_use=True)]
    assert make_room(residents, needed_bytes=50, budget_bytes=120) == MemoryBudget((), enough=False)


def test_use_counts_half_after_a_while() -> None:
    twice = UseRate().again(0.0).again(0.0)
    assert twice.by(0.0) == 2.0
    assert twice.by(HALVES_IN_S) == 1.0
    assert twice.again(HALVES_IN_S).by(HALVES_IN_S) == 2.0


@given(residents=RESIDENTS, needed=st.integers(0, 100), budget=st.integers(0, 400))
def test_what_is_in_use_stays_and_enough_means_it_fits(residents: list[Resident], needed: int, budget: int) -> None:
    room = make_room(residents, needed_bytes=needed, budget_bytes=budget)
    assert not [resident for resident in residents if resident.in_use and resident.path in room.evict]
    if room.enough:
        assert sum(resident.held_bytes for resident in kept(residents, room)) + needed <= budget
    else:
        assert room.evict == ()
        in_use = sum(resident.held_bytes for resident in residents if resident.in_use)
        assert in_use + needed > budget


@given(residents=RESIDENTS, needed=st.integers(0, 100), budget=st.integers(0, 400))
def test_none_of_those_evicted_could_have_stayed(residents: list[Resident], needed: int, budget: int) -> None:
    room = make_room(residents, needed_bytes=needed, budget_bytes=budget)
    held = sum(resident.held_bytes for resident in kept(residents, room)) + needed
    for resident in residents:
        if resident.path in room.evict:
            assert held + resident.held_bytes > budget


@given(data=st.data(), residents=RESIDENTS, needed=st.integers(0, 100), budget=st.integers(0, 400))
def test_the_order_in_which_they_are_told_does_not_matter(
    data: st.DataObject, residents: list[Resident], needed: int, budget: int
) -> None:
    shuffled = data.draw(st.permutations(residents))
    rooms = [make_room(told, needed_bytes=needed, budget_bytes=budget) for told in (residents, list(shuffled))]
    assert rooms[0] == rooms[1]
