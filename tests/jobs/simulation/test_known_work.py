import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.scaling.signal import Costs, WorkerNow
from inference.workers.placement.page_counts import QueueTally
from jobs.simulation.known_work import LOOK_S, KnownWork

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
