import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.scaling.pool import PoolTerms
from inference.scaling.signal import Costs, WorkerNow, learned
from inference.workers.placement.page_counts import QueueTally
from jobs.simulation.known_work import LOOK_S, KnownWork
from jobs.simulation.mixed_line import MixedLine
from jobs.simulation.model_kinds import Details, ModelKind
from jobs.simulation.pool_run import PoolTrace, Seen, run_pool

MODEL = "ocr@1"


@given(st.lists(st.floats(0.1, 10.0), min_size=1, max_size=60))
def test_it_knows_what_the_product_knows_of_the_same_pieces(pieces_s: list[float]) -> None:
    now_s = [0.0]
    tally, costs = QueueTally(lambda: now_s[0]), Costs()
    known = KnownWork(pieces_s[0])
    for piece_s in pieces_s:
        tally.begin(MODEL)
        now_s[0] += piece_s
        tally.end()
        costs.learn([WorkerNow("one", "1", running={MODEL: 1}, service_s=tally.service_s())])
        known.learn(np.array([piece_s]), replicas=1, passed_s=LOOK_S)
    assert known.piece_s == pytest.approx(costs.of(MODEL))


def test_of_many_replicas_it_learns_the_mean() -> None:
    known, chance = KnownWork(2.0), np.random.default_rng(1)
    for _ in range(100):
        known.learn(chance.lognormal(np.log(3.0) - 0.125, 0.5, 500), replicas=100, passed_s=15.0)
    assert known.piece_s == pytest.approx(3.0, rel=0.02)


def test_without_pieces_it_keeps_what_it_knows() -> None:
    known = KnownWork(2.0)
    known.learn(np.zeros(0), replicas=0, passed_s=60.0)
    assert known.piece_s == 2.0


@given(st.floats(0.1, 10.0), st.floats(0.1, 10.0), st.integers(1, 40))
def test_many_looks_at_once_are_as_many_one_by_one(before_s: float, found_s: float, looks: int) -> None:
    one_by_one = before_s
    for _ in range(looks):
        one_by_one = learned(one_by_one, found_s)
    assert learned(before_s, found_s, looks=looks) == pytest.approx(one_by_one)


def test_a_policy_sees_the_work_of_the_last_requests() -> None:
    seen = list[float]()

    class Watching:
        def first(self) -> int:
            return 20

        def wanted(self, seen_now: Seen) -> int:
            seen.append(seen_now.now.service_s)
            return 20

    times = np.arange(0.0, 7200.0, 1.0)
    work = np.where(times < 3600, 1.0, 5.0)
    run_pool(PoolTrace("pool", times, work, PoolTerms(), 7200.0), Watching(), tick_s=15.0)
    assert seen[200] == pytest.approx(1.0, abs=0.1)
    assert seen[-1] == pytest.approx(5.0, abs=0.1)


def test_a_policy_sees_the_work_of_the_models_that_come() -> None:
    kinds = {"short": ModelKind(), "long": ModelKind()}
    times = np.arange(0.0, 2000.0, 1.0)
    is_long = times >= 1000
    details = Details(("short", "long"), kinds, (("tenant", 0),), is_long.astype(int).tolist(), [0] * len(times))
    line = MixedLine(times, np.where(is_long, 4.0, 0.5), details, 1)
    for _ in range(10):
        line.add(0.0)
    line.run(900.0)
    assert line.piece_s == pytest.approx(0.5)
    line.run(1000.0)
    line.run(1900.0)
    assert line.piece_s == pytest.approx(4.0)
