from collections.abc import Sequence

import pytest

from inference.core.calls import Call, RunControl
from inference.core.contracts import WorkRefused
from inference.core.errors import ModelFailed
from tests.inference.batching.callers import answers, ask_together, batching, pieces
from tests.inference.batching.models import TIMEOUT_S, Doubler, Gate


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
        assert {str(future.exception(TIMEOUT_S)) for future in futures} == {
            "model_load_failed: the device is gone"
        }
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
