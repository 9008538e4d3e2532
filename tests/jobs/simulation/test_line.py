import heapq

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from jobs.simulation.line import Line


def waits_of(arrivals: list[float], work: list[float], slots: int) -> list[float]:
    """Return the waits as a plain program finds them."""
    free = [0.0] * slots
    waits = []
    for arrived, takes in zip(arrivals, work, strict=True):
        begins = max(arrived, heapq.heappop(free))
        heapq.heappush(free, begins + takes)
        waits.append(begins - arrived)
    return waits


requests = st.lists(st.tuples(st.floats(0, 100), st.floats(0.01, 20)), max_size=60)


@given(requests, st.integers(1, 4), st.floats(1, 50))
def test_waits_do_not_depend_on_the_looks(given_requests: list[tuple[float, float]], slots: int, tick_s: float) -> None:
    arrivals, work = sorted(at for at, _ in given_requests), [takes for _, takes in given_requests]
    line = Line(np.array(arrivals), np.array(work), slots)
    line.add(0.0)
    found: list[float] = []
    for look in range(1, 2000):
        found += line.run(look * tick_s).tolist()
    assert np.allclose(found, waits_of(arrivals, work, slots)[: len(found)])
    assert len(found) == len(arrivals)


def test_a_slot_that_comes_later_takes_from_the_line() -> None:
    line = Line(np.zeros(3), np.full(3, 10.0))
    line.add(0.0)
    assert line.run(1).tolist() == [0.0]
    assert line.waiting(1) == (20.0, 1.0)
    line.add(5.0)
    assert line.run(20).tolist() == [5.0, 10.0]


def test_without_slots_all_wait() -> None:
    line = Line(np.zeros(3), np.ones(3))
    assert len(line.run(100)) == 0
    assert line.waiting(100) == (3.0, 100.0)


def test_work_of_a_lost_slot_begins_again() -> None:
    line = Line(np.zeros(1), np.full(1, 50.0))
    line.add(0.0)
    line.run(1)
    line.lose(1, 31.0, np.random.default_rng(1))
    assert line.waiting(1)[0] == 50.0
    line.add(40.0)
    line.run(60)
    assert line.waiting(60)[0] == 0
    assert line.free == [90.0]
