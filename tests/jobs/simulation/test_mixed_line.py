import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobs.core.priorities import BULK, INTERACTIVE, STANDARD
from jobs.simulation.errors import SimulationRefused
from jobs.simulation.line import Line
from jobs.simulation.mixed_line import MixedLine
from jobs.simulation.model_kinds import BatchKind, Details, ModelKind

MB = 1_000_000
requests = st.lists(st.tuples(st.floats(0, 100), st.floats(0.01, 20)), min_size=1, max_size=60)
AnyLine = Line | MixedLine


def details(
    count: int,
    *,
    models: dict[str, ModelKind] | None = None,
    model_of: list[int] | None = None,
    queues: tuple[tuple[str, int], ...] = (("", STANDARD),),
    queue_of: list[int] | None = None,
    memory_mb: int = 0,
) -> Details:
    kinds = models or {"m": ModelKind()}
    return Details(tuple(kinds), kinds, queues, model_of or [0] * count, queue_of or [0] * count, memory_mb * MB)


def waits_of(line: AnyLine, replicas: int, *, tick_s: float = 15.0, looks: int = 400) -> list[float]:
    """Return the waits in the order in which requests begin."""
    for _ in range(replicas):
        line.add(0.0)
    return [wait for look in range(1, looks) for wait in line.run(look * tick_s).tolist()]


@given(requests, st.integers(1, 3), st.integers(1, 3))
def test_one_model_and_one_tenant_wait_as_in_the_plain_line(
    given_requests: list[tuple[float, float]], replicas: int, slots: int
) -> None:
    arrivals, work = np.array(sorted(at for at, _ in given_requests)), np.array([takes for _, takes in given_requests])
    plain = waits_of(Line(arrivals, work, slots), replicas)
    mixed = waits_of(MixedLine(arrivals, work, details(len(work)), slots), replicas)
    assert np.allclose(mixed, plain)


def test_a_tenant_that_comes_later_does_not_wait_for_a_flood() -> None:
    arrivals = np.array([0.0] * 200 + [10.0])
    given_details = details(201, queues=(("flood", STANDARD), ("late", STANDARD)), queue_of=[0] * 200 + [1])
    waits = waits_of(MixedLine(arrivals, np.ones(201), given_details, 2), 1)
    assert len(waits) == 201
    # Two run a second: all that begins around the newcomer waits ten seconds and more.
    assert min(waits[16:40]) < 6
    assert sum(wait < 6 for wait in waits[16:40]) == 1


def test_priorities_share_a_replica_by_their_weights() -> None:
    queues = (("a", INTERACTIVE), ("a", BULK))
    given_details = details(200, queues=queues, queue_of=[0, 1] * 100)
    line = MixedLine(np.zeros(200), np.ones(200), given_details, 1)
    line.add(0.0)
    begun = len(line.run(50.5))
    assert begun == 51
    left = {queue: len(waiting) for queue, waiting in line._queues["m"]._waiting.items()}
    assert left[1] - left[0] >= 40, "of 17 requests, 16 are interactive"


def test_a_model_that_does_not_fit_beside_another_is_loaded_again() -> None:
    kinds = {name: ModelKind(80 * MB, 4.0) for name in "ab"}
    arrivals = np.array([0.0, 100.0, 200.0])
    given_details = details(3, models=kinds, model_of=[0, 1, 0], memory_mb=100)
    waits = waits_of(MixedLine(arrivals, np.ones(3), given_details, 1), 1)
    # The load of the first model is part of the replica's start. The others wait for the next look and the load.
    assert waits[0] <= 1.0
    assert waits[1:] == [5.0, 5.0]


def test_models_that_fit_are_loaded_once() -> None:
    kinds = {name: ModelKind(40 * MB, 4.0) for name in "ab"}
    arrivals = np.arange(0.0, 100.0, 10.0)
    given_details = details(10, models=kinds, model_of=[0, 1] * 5, memory_mb=100)
    waits = waits_of(MixedLine(arrivals, np.ones(10), given_details, 1), 1)
    assert sum(wait > 0 for wait in waits) <= 2


def test_a_batch_takes_its_fixed_time_once() -> None:
    kinds = {"m": ModelKind(batch=BatchKind(1.0, 0.01, max_rows=64))}
    line = MixedLine(np.zeros(128), np.ones(128), details(128, models=kinds), 128)
    line.add(0.0)
    assert len(line.run(0.1)) == 128
    # The first request runs alone, and those that came meanwhile in batches of 64 and 63.
    line.run(4.0)
    line.add(4.0)
    line.run(4.1)
    assert line.take_away() == 0.0, "the second replica has nothing to do"
    assert line.take_away() == pytest.approx(1.01 + 1.64 + 1.63)


def test_requests_of_a_lost_replica_begin_again_and_wait_once() -> None:
    line = MixedLine(np.zeros(4), np.full(4, 50.0), details(4), 2)
    line.add(0.0)
    assert line.run(1).tolist() == [0.0, 0.0]
    line.lose(1, 31.0, np.random.default_rng(1))
    assert (line.replicas, line.waiting(1.0)) == (0, (200.0, 1.0))
    line.add(40.0)
    waits = line.run(1000).tolist()
    assert waits == [90.0, 90.0]
    assert (line.begun, line.waiting(1000.0)) == (4, (0.0, 0.0))


def test_the_replica_with_the_least_work_is_given_up_and_ends_what_it_has_begun() -> None:
    line = MixedLine(np.array([0.0, 0.0, 0.0]), np.full(3, 10.0), details(3), 2)
    line.add(0.0)
    line.add(0.0)
    line.run(1.0)
    assert line.take_away() == 10.0
    assert line.replicas == 1
    line.run(20.0)
    assert line.take_away() == 0.0


def test_a_model_that_no_replica_can_hold_is_refused() -> None:
    kinds = {"big": ModelKind(200 * MB)}
    with pytest.raises(SimulationRefused, match="big takes 200 MB, and a replica has 100 MB"):
        MixedLine(np.zeros(1), np.ones(1), details(1, models=kinds, memory_mb=100), 1)
