from hypothesis import given
from hypothesis import strategies as st

from inference.runtime.residency import Resident, make_room

RESIDENTS = st.lists(
    st.builds(
        Resident,
        path=st.uuids().map(str),
        weight_bytes=st.integers(0, 100),
        last_used_s=st.floats(0, 100),
        in_use=st.booleans(),
    ),
    max_size=8,
    unique_by=lambda resident: resident.path,
)


def test_least_recently_used_leaves_first_and_no_more_than_needed() -> None:
    residents = [
        Resident("new", 40, 3.0, False),
        Resident("old", 40, 1.0, False),
        Resident("mid", 40, 2.0, False),
    ]
    assert make_room(residents, needed_bytes=40, budget_bytes=120).evict == ("old",)
    assert make_room(residents, needed_bytes=41, budget_bytes=120).evict == ("old", "mid")
    assert make_room(residents, needed_bytes=0, budget_bytes=120).evict == ()


def test_nothing_is_evicted_in_vain() -> None:
    residents = [Resident("idle", 10, 1.0, False), Resident("busy", 100, 2.0, True)]
    room = make_room(residents, needed_bytes=50, budget_bytes=120)
    assert (room.evict, room.enough) == ((), False)


@given(residents=RESIDENTS, needed=st.integers(0, 100), budget=st.integers(100, 400))
def test_what_is_in_use_stays_and_enough_means_it_fits(
    residents: list[Resident], needed: int, budget: int
) -> None:
    room = make_room(residents, needed_bytes=needed, budget_bytes=budget)
    kept = [resident for resident in residents if resident.path not in room.evict]
    assert all(resident in kept for resident in residents if resident.in_use)
    if room.enough:
        assert sum(resident.weight_bytes for resident in kept) + needed <= budget
    else:
        in_use = sum(resident.weight_bytes for resident in residents if resident.in_use)
        assert in_use + needed > budget
