"""Test runs that fail, and callers that leave."""

import time
from collections.abc import Sequence

import pytest

from inference.batching.watch import BatchTally
from inference.core.calls import Call, RunControl
from inference.core.contracts import WorkRefused
from inference.core.errors import CallCanceled, DeadlinePassed, ModelFailed
from tests.inference.batching.callers import answers, ask, ask_each, ask_together, batching, pieces
from tests.inference.batching.models import TIMEOUT_S, Doubler, Gate, HeldUp
from tests.waiting import eventually


def test_only_the_bad_input_fails() -> None:
    model = Doubler(bad=frozenset({13}))
    with batching(gate := Gate(model)) as batcher:
        futures = ask_together(gate, batcher, pieces(*range(32)))
        error = futures[13].exception(TIMEOUT_S)
        assert answers(futures[:13] + futures[14:]) == [2 * number for number in range(32) if number != 13]
    assert isinstance(error, ModelFailed)
    assert error.args == ("model_run_failed: numbers@1: ValueError: 13 is bad",)
    assert len(model.batches) == 1 + 2 * 5


def test_when_all_are_bad_each_gets_its_own_error() -> None:
    model = Doubler(bad=frozenset(range(8)))
    with batching(gate := Gate(model)) as batcher:
        futures = ask_together(gate, batcher, pieces(*range(8)))
        errors = [str(future.exception(TIMEOUT_S)) for future in futures]
    assert errors == [f"model_run_failed: numbers@1: ValueError: {number} is bad" for number in range(8)]
    assert len(model.batches) == 2 * 8 - 1


def test_a_refusal_reaches_its_caller_unchanged() -> None:
    refusal = WorkRefused("invalid_tensor", "of the wrong shape")

    def run(numbers: Sequence[int], length: int, control: RunControl) -> list[int]:
        if 2 in numbers:
            raise refusal
        return list(numbers)

    with batching(run) as batcher, pytest.raises(WorkRefused) as refused:
        batcher.run(pieces(1, 2, 3), Call())
    assert refused.value is refusal


def test_what_may_be_tried_again_is_no_inputs_fault_and_is_not_cut() -> None:
    runs: list[int] = []

    def run(numbers: Sequence[int], length: int, control: RunControl) -> list[int]:
        runs.append(len(numbers))
        raise ModelFailed("model_load_failed", "the device is gone", retryable=True)

    with batching(gate := Gate(run)) as batcher:
        futures = ask_together(gate, batcher, pieces(*range(16)))
        assert {str(future.exception(TIMEOUT_S)) for future in futures} == {"model_load_failed: the device is gone"}
    assert runs == [16]


def test_a_batch_that_does_not_fit_into_memory_is_run_in_parts() -> None:
    def run(numbers: Sequence[int], length: int, control: RunControl) -> list[int]:
        if len(numbers) > 3 or 99 in numbers:
            raise MemoryError
        return list(numbers)

    with batching(gate := Gate(run)) as batcher:
        futures = ask_together(gate, batcher, pieces(*range(11), 99))
        assert answers(futures[:-1]) == list(range(11))
        error = futures[-1].exception(TIMEOUT_S)
    assert isinstance(error, ModelFailed)
    assert error.retryable


def test_a_batch_that_takes_long_to_fail_is_not_cut_for_ever() -> None:
    now = [0.0]

    def run(numbers: Sequence[int], length: int, control: RunControl) -> list[int]:
        now[0] += 31.0
        raise ModelFailed("model_timeout", f"{len(numbers)} of them")

    with batching(gate := Gate(run), clock=lambda: now[0]) as batcher:
        futures = ask_together(gate, batcher, pieces(*range(64)))
        assert all(isinstance(future.exception(TIMEOUT_S), ModelFailed) for future in futures)
    assert now[0] <= 31.0 * 6


def test_the_model_goes_on_after_its_code_ended_the_thread() -> None:
    def run(numbers: Sequence[int], length: int, control: RunControl) -> list[int]:
        if 1 in numbers:
            raise SystemExit
        return list(numbers)

    with batching(run) as batcher:
        with pytest.raises(ModelFailed):
            batcher.run(pieces(1), Call())
        assert batcher.run(pieces(2), Call()) == [2]


def test_a_canceled_caller_returns_while_his_run_goes_on_for_others() -> None:
    model = HeldUp()
    with batching(model) as batcher:
        model_is_busy = ask(batcher, pieces(0))
        model.wait_for_run()
        leaver = Call()
        left = ask(batcher, pieces(1), leaver)
        stayed = ask(batcher, pieces(2))
        model.go.set()
        model.wait_for_run()
        leaver.cancel()
        assert isinstance(left.exception(TIMEOUT_S), CallCanceled | None)
        assert answers([model_is_busy, stayed]) == [0, 4]
    assert model.ended == []


def test_a_run_that_everyone_has_left_is_ended() -> None:
    model, calls = HeldUp(), [Call(), Call()]
    with batching(model) as batcher:
        busy_call = Call()
        busy = ask(batcher, pieces(0), busy_call)
        model.wait_for_run()
        asked = [ask(batcher, pieces(number), call) for number, call in enumerate(calls, 1)]
        assert batcher.waiting_rows == 2
        busy_call.cancel()
        model.wait_for_run()
        for call in calls:
            call.cancel()
        for future in [busy, *asked]:
            assert isinstance(future.exception(TIMEOUT_S), CallCanceled)
        eventually(lambda: len(model.ended) == 2, "the end of the second run")
        model.go.set()
        assert batcher.run(pieces(5), Call()) == [10]
    assert sorted(map(sorted, model.ended)) == [[0], [1, 2]]
    assert model.batches == [[5]]


def test_what_was_canceled_in_the_queue_is_not_run() -> None:
    model, tally = HeldUp(), BatchTally()
    with batching(model, watch=tally) as batcher:
        busy = ask(batcher, pieces(0))
        model.wait_for_run()
        call = Call()
        canceled = ask(batcher, pieces(1, 2), call)
        stays = ask(batcher, pieces(3))
        call.cancel()
        assert isinstance(canceled.exception(TIMEOUT_S), CallCanceled)
        assert batcher.waiting_rows == 1
        model.go.set()
        assert answers([busy, stays]) == [0, 6]
    assert model.batches == [[0], [3]]
    assert tally.figures.canceled_pieces == 2


def test_a_call_canceled_before_is_not_taken() -> None:
    call = Call()
    call.cancel()
    with batching(Doubler()) as batcher, pytest.raises(CallCanceled):
        batcher.run(pieces(1), call)


def test_an_answered_call_keeps_nothing_of_the_batcher() -> None:
    call = Call()
    with batching(Doubler()) as batcher:
        batcher.run(pieces(1, 2), call)
        assert not call._told


def test_a_caller_does_not_wait_longer_than_his_deadline() -> None:
    model = HeldUp()
    with batching(model) as batcher:
        with pytest.raises(DeadlinePassed, match="numbers@1 had not answered"):
            batcher.run(pieces(1), Call(deadline_s=time.monotonic() + 1.0))
        eventually(lambda: model.ended == [[1]], "the end of the run that nobody waits for")


def test_what_is_late_in_the_queue_is_not_run() -> None:
    model, tally, now = HeldUp(), BatchTally(), [100.0]
    with batching(model, watch=tally, clock=lambda: now[0]) as batcher:
        busy = ask(batcher, pieces(0))
        model.wait_for_run()
        late = ask_each(batcher, pieces(1, 2), Call(deadline_s=time.monotonic() + 3600))
        now[0] = time.monotonic() + 7200
        model.go.set()
        assert answers([busy]) == [0]
        assert [str(future.exception(TIMEOUT_S)) for future in late] == 2 * [
            "deadline_exceeded: numbers@1: the deadline passed in the queue; nothing was run"
        ]
    assert model.batches == [[0]]
    assert tally.figures.expired_pieces == 2


def test_what_cannot_be_answered_in_time_is_told_so_at_once() -> None:
    model, now = Doubler(), [100.0]

    def run(numbers: Sequence[int], length: int, control: RunControl) -> list[int]:
        now[0] += 20.0
        return model(numbers, length, control)

    with batching(run, clock=lambda: now[0]) as batcher:
        for number in range(8):
            batcher.run(pieces(number), Call())
        now[0] = time.monotonic()
        batcher.run(pieces(8), Call())
        with pytest.raises(DeadlinePassed, match="a run takes about 20 s, more than was left") as refused:
            batcher.run(pieces(9), Call(deadline_s=now[0] + 10.0))
    assert refused.value.code == "deadline_exceeded"
    assert [9] not in model.batches
