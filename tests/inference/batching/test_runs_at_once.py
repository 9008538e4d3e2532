"""A model whose limits let it run two batches at once."""

import threading
from concurrent.futures import Future
from typing import Any

import pytest

from inference.batching import batcher as batcher_module
from inference.batching.batcher import Batcher, Piece
from inference.batching.limits import BatchLimits
from inference.batching.run_control import RunControl
from inference.calls import Call
from tests.inference.batching.callers import answers, ask, ask_each, batching, pieces
from tests.inference.batching.models import PATIENCE_S, Doubler, HeldUp
from tests.waiting import eventually

TWO = BatchLimits(max_wait_ms=0, max_runs=2)


def alone(*numbers: int) -> list[Piece[int]]:
    return [Piece(number, group=object()) for number in numbers]


def test_a_second_batch_runs_beside_the_first_and_a_third_waits() -> None:
    model = HeldUp()
    with batching(model, TWO) as batcher:
        asked = ask_each(batcher, alone(1, 2, 3))
        model.wait_for_run()
        model.wait_for_run()
        assert not model.began.acquire(timeout=0.05)
        assert batcher.waiting_rows == 1
        model.go.set()
        assert answers(asked) == [2, 4, 6]


def test_one_caller_s_pieces_run_side_by_side_and_come_back_in_order() -> None:
    meet = threading.Barrier(2)

    def run(numbers: list[int], length: int, control: RunControl) -> list[int]:
        meet.wait(PATIENCE_S)
        return [2 * number for number in numbers]

    with batching(run, TWO) as batcher:
        assert batcher.run(alone(1, 2, 3, 4), Call()) == [2, 4, 6, 8]


def test_what_a_batch_can_hold_is_not_cut_to_fill_a_second_run() -> None:
    model = HeldUp()
    with batching(model, TWO) as batcher:
        first = ask(batcher, alone(0)[0:1])
        model.wait_for_run()
        rest = ask(batcher, pieces(1, 2, 3))
        model.wait_for_run()
        model.go.set()
        assert answers([first, rest]) == [0, 2, 4, 6]
    assert sorted(model.batches) == [[0], [1, 2, 3]]


def test_where_batches_are_held_back_one_runs_at_a_time() -> None:
    model = HeldUp()
    with batching(model, BatchLimits(max_wait_ms=1.0, max_runs=2)) as batcher:
        asked = ask_each(batcher, alone(1, 2))
        model.wait_for_run()
        assert not model.began.acquire(timeout=0.05)
        model.go.set()
        assert answers(asked) == [2, 4]


def test_a_second_thread_that_cannot_be_started_is_done_without(monkeypatch: pytest.MonkeyPatch) -> None:
    start, started = Batcher._start, list[int]()

    def one_only(self: Batcher[Any, Any]) -> None:
        if started:
            raise RuntimeError("can't start new thread")
        started.append(1)
        start(self)

    monkeypatch.setattr(Batcher, "_start", one_only)
    with batching(Doubler(), TWO) as batcher:
        assert batcher.run(alone(1, 2, 3), Call()) == [2, 4, 6]


def test_all_its_threads_end_when_nobody_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batcher_module, "IDLE_THREAD_S", 0.01)
    model = HeldUp()
    with batching(model, TWO) as batcher:
        asked = ask_each(batcher, alone(1, 2))
        model.wait_for_run()
        model.wait_for_run()
        assert len(batcher._threads) == 2
        model.go.set()
        assert answers(asked) == [2, 4]
        eventually(lambda: not batcher._threads, "the end of both threads")
        assert batcher.run(alone(5), Call()) == [10]


def test_closing_waits_for_both_runs() -> None:
    model = HeldUp()
    with batching(model, TWO) as batcher:
        asked = ask_each(batcher, alone(1, 2))
        model.wait_for_run()
        model.wait_for_run()
        closing = threading.Thread(target=batcher.close)
        closing.start()
        closing.join(0.02)
        assert closing.is_alive()
        model.go.set()
        closing.join(PATIENCE_S)
        assert answers(asked) == [2, 4]


def test_many_callers_of_two_runs_each_get_their_own() -> None:
    callers, each = 8, 100
    with batching(Doubler(), TWO) as batcher:

        def ask_often(number: int, done: "Future[list[int]]") -> None:
            asked = [number * each + turn for turn in range(each)]
            done.set_result([batcher.run(alone(one, one + 1), Call())[1] for one in asked])

        futures = [Future[list[int]]() for _ in range(callers)]
        for number, future in enumerate(futures):
            threading.Thread(target=ask_often, args=(number, future), daemon=True).start()
        for number, future in enumerate(futures):
            assert future.result(PATIENCE_S) == [2 * (number * each + turn + 1) for turn in range(each)]
    assert batcher.fit.observations == 2 * callers * each
