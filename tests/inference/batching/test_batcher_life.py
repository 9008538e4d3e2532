import threading
import weakref

import pytest

from inference.batching import batcher as batcher_module
from inference.batching.batcher import Piece
from inference.batching.watch import BatchTally
from inference.core.calls import Call
from inference.core.errors import ModelFailed
from tests.inference.batching.callers import answers, ask, batching, pieces
from tests.inference.batching.models import TIMEOUT_S, Doubler, HeldUp
from tests.waiting import eventually


def test_closing_refuses_what_waits_and_finishes_what_runs() -> None:
    model = HeldUp()
    with batching(model) as batcher:
        running = ask(batcher, pieces(1))
        model.wait_for_run()
        waiting = ask(batcher, pieces(2))
        closing = threading.Thread(target=batcher.close)
        closing.start()
        error = waiting.exception(TIMEOUT_S)
        model.go.set()
        closing.join(TIMEOUT_S)
        assert answers([running]) == [2]
        with pytest.raises(ModelFailed, match="was unloaded"):
            batcher.run(pieces(3), Call())
    assert isinstance(error, ModelFailed)
    assert error.retryable


def test_a_model_that_nobody_asks_keeps_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batcher_module, "IDLE_THREAD_S", 0.01)
    with batching(Doubler()) as batcher:
        assert batcher.run(pieces(1), Call()) == [2]
        eventually(lambda: batcher._thread is None, "the end of the thread")
        assert batcher.run(pieces(2), Call()) == [4]


def test_answers_are_not_kept() -> None:
    class Large:
        pass

    with batching(lambda payloads, length, control: [Large() for _ in payloads]) as batcher:
        asked = Large()
        seen = [weakref.ref(asked), weakref.ref(batcher.run([Piece(asked)], Call())[0])]
        del asked
        eventually(lambda: [ref() for ref in seen] == [None, None], "the end of what was asked and answered")


def test_the_fit_learns_from_runs_that_succeed() -> None:
    with batching(Doubler(bad=frozenset({2}))) as batcher:
        batcher.run(pieces(1), Call())
        with pytest.raises(ModelFailed):
            batcher.run(pieces(2), Call())
        assert batcher.fit.observations == 1


def test_what_ran_is_counted() -> None:
    tally = BatchTally()
    with batching(Doubler(bad=frozenset({9})), watch=tally) as batcher:
        batcher.run([Piece(1, length=3, rows=2), Piece(2, length=5)], Call())
        batcher.run(pieces(3), Call())
        with pytest.raises(ModelFailed):
            batcher.run(pieces(9), Call())
    figures = tally.figures
    assert (figures.batches, figures.pieces, figures.rows) == (3, 4, 5)
    assert (figures.padded, figures.useful, figures.failed_batches) == (17, 13, 1)
    assert figures.run_s > 0 < figures.wait_s
