"""Test the life of a batcher, its queue, and callers that do not wait in a thread of their own."""

import threading
import time
import weakref
from collections.abc import Sequence

import pytest

from inference.batching import batcher as batcher_module
from inference.batching.batch_run import Outcome
from inference.batching.batcher import Batcher, Piece
from inference.batching.limits import BatchLimits
from inference.batching.watch import BatchTally
from inference.core.calls import Call
from inference.core.contracts import WorkRefused
from inference.core.errors import CallCanceled, DeadlinePassed, ModelFailed, ModelOverloaded
from tests.inference.batching.callers import answers, ask, ask_each, batching, pieces
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
        eventually(lambda: not batcher._threads, "the end of the thread")
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


class Told:
    """The calls whose end a batcher has told, with those that it told together."""

    def __init__(self) -> None:
        self.together: list[Sequence[Call]] = []
        self._told = threading.Semaphore(0)

    def __call__(self, calls: Sequence[Call]) -> None:
        self.together.append(calls)
        for _call in calls:
            self._told.release()

    def wait_for(self, calls: int) -> None:
        for _ in range(calls):
            assert self._told.acquire(timeout=TIMEOUT_S)


def begun(batcher: Batcher[int, int], told: Told, *asked: tuple[Sequence[Piece[int]], Call]) -> list[Outcome]:
    outcomes = batcher.begin(asked, told)
    return [outcome for outcome in outcomes if isinstance(outcome, Outcome)]


def test_one_who_begins_is_told_of_the_end_and_has_the_answers() -> None:
    told, call = Told(), Call()
    with batching(Doubler()) as batcher:
        (one,) = begun(batcher, told, (pieces(1, 2), call))
        told.wait_for(1)
        assert batcher.answers(one) == [2, 4]
    assert told.together == [[call]]
    assert call.spent.infer_s > 0


def test_those_who_began_while_a_run_went_on_share_the_next_and_are_told_together() -> None:
    model, told, calls = HeldUp(), Told(), [Call() for _ in range(3)]
    with batching(model) as batcher:
        busy = ask(batcher, pieces(0))
        model.wait_for_run()
        first = begun(batcher, told, (pieces(1), calls[0]), (pieces(2), calls[1]))
        second = begun(batcher, told, (pieces(3), calls[2]))
        model.go.set()
        told.wait_for(3)
        assert [batcher.answers(one) for one in [*first, *second]] == [[2], [4], [6]]
        assert answers([busy]) == [0]
    assert sorted(model.batches[1]) == [1, 2, 3]
    assert told.together == [calls]


def test_one_who_cancels_is_told_at_once_and_what_waits_is_not_run() -> None:
    model, call, told = HeldUp(), Call(), Told()
    with batching(model) as batcher:
        busy = ask(batcher, pieces(0))
        model.wait_for_run()
        (one,) = begun(batcher, told, (pieces(1), call))
        call.cancel()
        assert told.together == [[call]]
        with pytest.raises(CallCanceled):
            batcher.answers(one)
        assert batcher.waiting_rows == 0
        model.go.set()
        assert answers([busy]) == [0]
    assert model.batches == [[0]]


def test_what_fails_is_told_and_raised_where_it_is_asked_for() -> None:
    def refuse(*_: object) -> list[int]:
        raise WorkRefused("invalid_tensor", "too wide")

    told = Told()
    with batching(refuse) as batcher:
        (one,) = begun(batcher, told, (pieces(1), Call()))
        told.wait_for(1)
        with pytest.raises(WorkRefused, match="too wide"):
            batcher.answers(one)


def test_one_who_does_not_fit_is_refused_alone_among_those_who_begin_together() -> None:
    told, late = Told(), Call(deadline_s=time.monotonic() - 1)
    with batching(Doubler(), BatchLimits(max_rows=4, max_waiting=4)) as batcher:
        asked = [(pieces(1), Call()), (pieces(*range(5)), Call()), (pieces(2), late), (pieces(3), Call())]
        first, too_many, over, last = batcher.begin(asked, told)
        assert isinstance(too_many, WorkRefused)
        assert isinstance(over, DeadlinePassed)
        assert isinstance(first, Outcome)
        assert isinstance(last, Outcome)
        told.wait_for(2)
        assert [batcher.answers(one) for one in (first, last)] == [[2], [6]]


def test_a_flood_delays_another_tenants_single_piece_by_one_batch_at_most() -> None:
    model = HeldUp()
    with batching(model, BatchLimits(max_rows=4, max_wait_ms=0)) as batcher:
        flood = ask(batcher, pieces(*range(100)), Call(tenant="flood"))
        model.wait_for_run()
        single = ask(batcher, pieces(1000), Call(tenant="single"))
        model.go.set()
        answers([flood, single])
    assert 1000 in model.batches[1]


def test_one_tenant_is_served_in_order() -> None:
    model = HeldUp()
    with batching(model, BatchLimits(max_rows=4, max_wait_ms=0)) as batcher:
        model.go.set()
        batcher.run(pieces(*range(20)), Call())
    assert [number for batch in model.batches for number in batch] == list(range(20))


def test_more_than_may_wait_is_refused_whole_with_the_numbers() -> None:
    model, tally = HeldUp(), BatchTally()
    with batching(model, BatchLimits(max_rows=2, max_waiting=5, max_wait_ms=0), watch=tally) as batcher:
        running = ask(batcher, pieces(1))
        model.wait_for_run()
        waiting = ask(batcher, pieces(2))
        with pytest.raises(ModelOverloaded) as refused:
            batcher.run(pieces(4, 5), Call())
        assert batcher.waiting_rows == 1
        model.go.set()
        assert answers([running, waiting]) == [2, 4]
    assert refused.value.detail == (
        "numbers@1: 1 rows wait of 5 that may, 1 of them yours, so 2 more were not taken;"
        " send fewer at once, or try again later"
    )
    assert refused.value.retryable
    assert tally.figures.overloaded_rows == 2
    assert model.batches == [[1], [2]]


def test_a_flood_leaves_room_for_others() -> None:
    model = HeldUp()
    with batching(model, BatchLimits(max_rows=4, max_waiting=40, max_wait_ms=0)) as batcher:
        accepted = [ask(batcher, pieces(0), Call(tenant="flood"))]
        model.wait_for_run()
        accepted += ask_each(batcher, pieces(*range(20)), Call(tenant="flood"))
        with pytest.raises(ModelOverloaded):
            batcher.run(pieces(20), Call(tenant="flood"))
        other = ask(batcher, pieces(*range(10)), Call(tenant="other"))
        model.go.set()
        assert answers([other]) == [2 * number for number in range(10)]
        answers(accepted)


@pytest.mark.parametrize("asked", [pieces(1, 2, 3, 4, 5, 6), [Piece(1, rows=6)]])
def test_what_could_never_wait_is_refused_for_good(asked: list[Piece[int]]) -> None:
    """A retry would not help, because not even an empty queue has enough capacity."""
    tally = BatchTally()
    with batching(Doubler(), BatchLimits(max_rows=2, max_waiting=5), watch=tally) as batcher:
        with pytest.raises(WorkRefused) as refused:
            batcher.run(asked, Call())
        assert batcher.run(pieces(1, 2, 3, 4, 5), Call()) == [2, 4, 6, 8, 10]
    assert refused.value.code == "input_too_large"
    assert refused.value.detail == (
        "numbers@1: of 6 rows at once only 5 may wait; send less, or ask the operator for a higher max_waiting"
    )
    assert tally.figures.overloaded_rows == 0


def test_a_piece_beyond_what_a_batch_holds_runs_alone() -> None:
    model = Doubler()
    with batching(model, BatchLimits(max_rows=2, max_padded=8, max_wait_ms=0)) as batcher:
        asked = [Piece(1, length=100), Piece(2, rows=7), Piece(3), Piece(4)]
        assert batcher.run(asked, Call()) == [2, 4, 6, 8]
    assert sorted(model.batches) == [[1], [2], [3, 4]]


def test_new_limits_hold_from_the_next_batch() -> None:
    model = HeldUp()
    with batching(model) as batcher:
        first = ask(batcher, pieces(1))
        model.wait_for_run()
        rest = ask(batcher, pieces(2, 3, 4))
        batcher.limits = BatchLimits(max_rows=1, max_wait_ms=0)
        model.go.set()
        answers([first, rest])
    assert model.batches == [[1], [2], [3], [4]]


@pytest.mark.parametrize("wrong", [{"length": 0}, {"rows": 0}])
def test_a_piece_of_nothing_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="both are at least 1"):
        Piece(1, **wrong)
