from hypothesis import given
from hypothesis import strategies as st

from inference.runtime.load_order import LOADS_AT_ONCE, OVERTAKEN_FOR_S, LoadTurn, WaitingLoad, next_load
from inference.runtime.residency import Resident

BUSY = Resident("busy", 90, in_use=True)


def turn(
    *waiting: WaitingLoad, residents: tuple[Resident, ...] = (), loading: tuple[WaitingLoad, ...] = ()
) -> LoadTurn:
    return next_load(waiting, residents, loading=loading, budget_bytes=100)


def test_first_come_first_loaded() -> None:
    assert turn(WaitingLoad("a", 10), WaitingLoad("b", 10)).path == "a"


def test_what_is_idle_leaves_for_it() -> None:
    assert turn(WaitingLoad("a", 60), residents=(Resident("idle", 50),)) == LoadTurn("a", ("idle",))


def test_small_one_overtakes_what_waits_for_room_but_not_for_ever() -> None:
    small = WaitingLoad("small", 5)
    assert turn(WaitingLoad("large", 50), small, residents=(BUSY,)) == LoadTurn("small", blocked=frozenset({"large"}))
    late = WaitingLoad("large", 50, blocked_s=OVERTAKEN_FOR_S + 1)
    assert turn(late, small, residents=(BUSY,)) == LoadTurn(blocked=frozenset({"large", "small"}))


def test_whoever_holds_another_session_may_always_overtake() -> None:
    late = WaitingLoad("large", 50, blocked_s=OVERTAKEN_FOR_S + 1)
    assert turn(late, WaitingLoad("step", 5, nested=True), residents=(BUSY,)).path == "step"


def test_what_is_to_be_measured_is_loaded_by_itself() -> None:
    known, unknown = WaitingLoad("known", 10), WaitingLoad("unknown", 10, to_measure=True)
    assert turn(unknown, known, loading=(WaitingLoad("other", 10),)) == LoadTurn()
    assert turn(known, loading=(unknown,)) == LoadTurn()
    assert turn(known, unknown, loading=(WaitingLoad("other", 10),)).path == "known"


def test_only_so_many_are_loaded_at_once() -> None:
    loading = tuple(WaitingLoad(str(number), 1) for number in range(LOADS_AT_ONCE))
    assert turn(WaitingLoad("a", 10), loading=loading) == LoadTurn()


@given(
    waiting=st.lists(
        st.builds(
            WaitingLoad,
            path=st.uuids().map(str),
            needed_bytes=st.integers(0, 100),
            to_measure=st.booleans(),
            nested=st.booleans(),
            blocked_s=st.floats(0, 5),
        ),
        max_size=6,
    ),
    held=st.lists(st.tuples(st.integers(0, 50), st.booleans()), max_size=6),
)
def test_whoever_begins_fits_and_with_nothing_in_use_somebody_begins(
    waiting: list[WaitingLoad], held: list[tuple[int, bool]]
) -> None:
    residents = [Resident(str(number), size, in_use=used) for number, (size, used) in enumerate(held)]
    found = next_load(waiting, residents, loading=(), budget_bytes=100)
    if found.path is None:
        assert not waiting or any(resident.in_use for resident in residents)
        return
    load = next(load for load in waiting if load.path == found.path)
    stay = [resident for resident in residents if resident.path not in found.evict]
    assert sum(resident.held_bytes for resident in stay) + load.needed_bytes <= 100
    assert all(resident in stay for resident in residents if resident.in_use)
