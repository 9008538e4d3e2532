"""Test callers that do not wait in a thread of their own."""

import threading

import pytest

from inference.core.calls import Call
from inference.core.contracts import WorkRefused
from inference.core.errors import CallCanceled
from tests.inference.batching.callers import answers, ask, batching, pieces
from tests.inference.batching.models import TIMEOUT_S, Doubler, HeldUp


def test_one_who_begins_is_told_of_the_end_and_has_the_answers() -> None:
    ended, call = threading.Event(), Call()
    with batching(Doubler()) as batcher:
        begun = batcher.begin(pieces(1, 2), call, ended.set)
        assert ended.wait(TIMEOUT_S)
        assert begun() == [2, 4]
    assert call.spent.infer_s > 0


def test_those_who_began_while_a_run_went_on_share_the_next() -> None:
    model = HeldUp()
    with batching(model) as batcher:
        busy = ask(batcher, pieces(0))
        model.wait_for_run()
        ended = [threading.Event() for _ in range(3)]
        begun = [batcher.begin(pieces(number), Call(), event.set) for number, event in enumerate(ended, 1)]
        model.go.set()
        assert all(event.wait(TIMEOUT_S) for event in ended)
        assert [one() for one in begun] == [[2], [4], [6]]
        assert answers([busy]) == [0]
    assert sorted(model.batches[1]) == [1, 2, 3]


def test_one_who_cancels_is_told_at_once_and_what_waits_is_not_run() -> None:
    model, call, ended = HeldUp(), Call(), threading.Event()
    with batching(model) as batcher:
        busy = ask(batcher, pieces(0))
        model.wait_for_run()
        begun = batcher.begin(pieces(1), call, ended.set)
        call.cancel()
        assert ended.is_set()
        with pytest.raises(CallCanceled):
            begun()
        assert batcher.waiting_rows == 0
        model.go.set()
        assert answers([busy]) == [0]
    assert model.batches == [[0]]


def test_what_fails_is_told_and_raised_where_it_is_asked_for() -> None:
    def refuse(*_: object) -> list[int]:
        raise WorkRefused("invalid_tensor", "too wide")

    ended = threading.Event()
    with batching(refuse) as batcher:
        begun = batcher.begin(pieces(1), Call(), ended.set)
        assert ended.wait(TIMEOUT_S)
        with pytest.raises(WorkRefused, match="too wide"):
            begun()
