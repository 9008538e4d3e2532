"""Test which entries remain and which are evicted, with access patterns for which LRU fails."""

import random
from collections import OrderedDict
from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from inference.cache.s3_fifo import ENTRY_BYTES, LARGEST_SHARE, S3Fifo

EACH = 100
ROOM = 200
"""The number of entries that fit."""


def shelf(entries: int = ROOM) -> S3Fifo[int]:
    return S3Fifo(entries * (EACH + ENTRY_BYTES))


def found_in(trace: Iterable[int], entries: int = ROOM) -> int:
    kept, found = shelf(entries), 0
    for name in trace:
        key = name.to_bytes(8, "big")
        if kept.get(key, 0.0) is not None:
            found += 1
        else:
            kept.put(key, name, EACH, 1.0)
    return found


def found_by_last_use(trace: Iterable[int], entries: int = ROOM) -> int:
    kept: OrderedDict[int, None] = OrderedDict()
    found = 0
    for name in trace:
        if name in kept:
            kept.move_to_end(name)
            found += 1
            continue
        kept[name] = None
        if len(kept) > entries:
            kept.popitem(last=False)
    return found


def test_what_is_asked_for_often_survives_rows_that_never_come_again() -> None:
    fresh = iter(range(1_000_000, 2_000_000))
    trace: list[int] = []
    for _ in range(30):
        trace += range(100)
        trace += [next(fresh) for _ in range(250)]
    assert found_by_last_use(trace) == 0
    assert found_in(trace) > 0.8 * 100 * 29


def test_a_loop_that_is_larger_than_the_room_still_finds_something() -> None:
    chance = random.Random(3)
    trace = [name for _ in range(20) for name in range(ROOM * 2)]
    mixed = [name if chance.random() < 0.5 else chance.randrange(20) for name in trace]
    assert found_by_last_use(trace) == 0
    assert found_in(mixed) >= found_by_last_use(mixed)


def test_it_is_no_worse_than_last_use_where_few_are_popular() -> None:
    chance = random.Random(4)
    trace = [min(int(chance.paretovariate(0.8)), 10_000) for _ in range(30_000)]
    assert found_in(trace) >= found_by_last_use(trace)


def test_what_came_back_soon_after_it_fell_out_stays() -> None:
    kept = shelf(100)
    for name in range(150):
        kept.put(name.to_bytes(8, "big"), name, EACH, 1.0)
    fallen = next(name for name in range(150) if kept.get(name.to_bytes(8, "big"), 0.0) is None)
    kept.put(fallen.to_bytes(8, "big"), fallen, EACH, 1.0)
    for name in range(1000, 1080):
        kept.put(name.to_bytes(8, "big"), name, EACH, 1.0)
    assert kept.get(fallen.to_bytes(8, "big"), 0.0) == fallen


def test_nothing_is_found_after_its_time_and_its_room_is_free() -> None:
    kept = shelf()
    kept.put(b"a", 1, EACH, expires_s=5.0)
    assert (kept.get(b"a", 4.9), kept.get(b"a", 5.0)) == (1, None)
    assert (len(kept), kept.used_bytes) == (0, 0)


def test_what_would_push_out_too_much_is_not_kept_and_what_it_replaces_is_gone() -> None:
    kept = shelf()
    kept.put(b"a", 1, EACH, 1.0)
    kept.put(b"a", 2, ROOM * (EACH + ENTRY_BYTES) // LARGEST_SHARE, 1.0)
    assert kept.get(b"a", 0.0) is None
    assert kept.used_bytes == 0


def test_without_room_nothing_is_kept() -> None:
    kept: S3Fifo[int] = S3Fifo(0)
    kept.put(b"a", 1, 0, 1.0)
    assert (kept.get(b"a", 0.0), len(kept)) == (None, 0)


_DEEDS = st.lists(
    st.tuples(st.sampled_from(["put", "get", "drop"]), st.integers(0, 30), st.integers(0, 4_000)),
    max_size=300,
)


@given(actions=_DEEDS)
def test_it_never_holds_more_than_it_may_and_never_says_what_it_was_not_told(
    actions: list[tuple[str, int, int]],
) -> None:
    kept = shelf(40)
    told: dict[bytes, int] = {}
    for number, (action, name, size) in enumerate(actions):
        key = bytes([name])
        if action == "put":
            kept.put(key, number, size, 1.0)
            told[key] = number
        elif action == "drop":
            kept.drop(key)
            told.pop(key, None)
        elif (found := kept.get(key, 0.0)) is not None:
            assert found == told[key]
        assert 0 <= kept.used_bytes <= 40 * (EACH + ENTRY_BYTES)
    for key in map(bytes, ([name] for name in range(31))):
        kept.drop(key)
    assert (len(kept), kept.used_bytes) == (0, 0)
