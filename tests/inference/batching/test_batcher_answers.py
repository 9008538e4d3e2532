import random
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inference.batching.batcher import Piece
from inference.batching.limits import BatchLimits
from inference.core.calls import Call, RunControl
from inference.core.contracts import WorkRefused
from inference.core.errors import CallCanceled, ModelFailed
from tests.inference.batching.callers import answers, ask, ask_each, batching, pieces
from tests.inference.batching.models import TIMEOUT_S, Doubler, HeldUp


def test_each_piece_gets_its_own() -> None:
    with batching(Doubler()) as batcher:
        assert batcher.run(pieces(1, 2, 3), Call()) == [2, 4, 6]


def test_nothing_asked_is_nothing_answered() -> None:
    with batching(Doubler()) as batcher:
        assert batcher.run([], Call()) == []


def test_what_comes_during_a_run_is_the_next_batch() -> None:
    model = HeldUp()
    with batching(model) as batcher:
        first = ask(batcher, pieces(1))
        model.wait_for_run()
        rest = [ask(batcher, pieces(number), Call(tenant=f"t{number}")) for number in (2, 3, 4)]
        model.go.set()
        assert answers([first, *rest]) == [2, 4, 6, 8]
    assert model.batches == [[1], [2, 3, 4]]


def test_a_call_knows_how_long_it_waited_for_a_run_and_how_long_that_took() -> None:
    model, first, second = HeldUp(), Call(), Call()
    with batching(model) as batcher:
        runs = [ask(batcher, pieces(1), first)]
        model.wait_for_run()
        runs.append(ask(batcher, pieces(2), second))
        time.sleep(0.02)
        model.go.set()
        answers(runs)
    assert first.spent.infer_s >= 0.02 > first.spent.batch_s
    assert second.spent.batch_s >= 0.02
    assert second.spent.infer_s > 0


def test_a_call_of_several_runs_counts_each_once() -> None:
    call, limits = Call(), BatchLimits(max_rows=2, max_wait_ms=0)
    took: list[float] = []

    def run(numbers: Sequence[int], length: int, control: RunControl) -> list[int]:
        began_s = time.monotonic()
        time.sleep(0.01)
        took.append(time.monotonic() - began_s)
        return list(numbers)

    with batching(run, limits) as batcher:
        batcher.run(pieces(1, 2, 3, 4), call)
    assert len(took) == 2
    assert call.spent.infer_s >= sum(took)


def test_the_run_is_told_the_longest_length() -> None:
    lengths: list[int] = []

    def run(numbers: Sequence[int], length: int, control: RunControl) -> list[int]:
        lengths.append(length)
        return list(numbers)

    with batching(run) as batcher:
        batcher.run([Piece(1, length=7), Piece(2, length=31), Piece(3, length=4)], Call())
    assert lengths == [31]


def test_groups_never_share_a_run() -> None:
    model = Doubler()
    with batching(model) as batcher:
        batcher.run([Piece(number, group=number % 2) for number in range(6)], Call())
    assert sorted(model.batches) == [[0, 2, 4], [1, 3, 5]]


@pytest.mark.parametrize("count", [0, 2])
def test_answers_of_another_number_are_given_to_nobody(count: int) -> None:
    def run(numbers: Sequence[int], length: int, control: RunControl) -> list[int]:
        return list(range(count * len(numbers)))

    with batching(run) as batcher, pytest.raises(ModelFailed) as failed:
        batcher.run(pieces(1), Call())
    assert failed.value.args == (
        f"model_output_invalid: numbers@1 gave {count} answers to 1 inputs; it must give one to each",
    )


def test_a_model_that_answers_once_for_a_whole_batch_is_soon_run_one_by_one() -> None:
    runs: list[int] = []

    def run(numbers: Sequence[int], length: int, control: RunControl) -> list[int]:
        runs.append(len(numbers))
        return [2 * numbers[0]]

    with batching(run) as batcher:
        for _ in range(3):
            assert batcher.run(pieces(1, 2, 3, 4), Call()) == [2, 4, 6, 8]
    assert runs == [4, 2, 1, 1, 2, 1, 1] + 8 * [1]


@settings(max_examples=25)
@given(
    callers=st.lists(
        st.lists(st.tuples(st.integers(1, 50), st.integers(0, 1), st.booleans()), min_size=1, max_size=6),
        min_size=1,
        max_size=12,
    ),
    max_rows=st.integers(1, 8),
    seed=st.integers(0, 2**16),
)
def test_whatever_happens_beside_it_a_payload_gets_its_own_answer(
    callers: list[list[tuple[int, int, bool]]], max_rows: int, seed: int
) -> None:
    """Each caller gets its own answers, whatever its pieces, lengths, groups, failing neighbors and order."""
    chance = random.Random(seed)
    pauses_s = [chance.choice([0.0, 0.0, 0.0005]) for _ in range(1000)]

    def run(payloads: Sequence[tuple[int, int, bool]], length: int, control: RunControl) -> list[Any]:
        time.sleep(pauses_s.pop() if pauses_s else 0.0)
        if any(bad for _, _, bad in payloads):
            raise WorkRefused("bad", "one of these")
        return [("answer to", payload) for payload in payloads]

    def ask(number: int) -> None:
        call = Call(tenant=f"t{number % 3}")
        mine = [
            Piece((number, place, bad and number % 4 == 0), length=length, group=group)
            for place, (length, group, bad) in enumerate(callers[number])
        ]
        leaver = number % 5 == 4
        try:
            if number % 2:
                got: list[Any] = batcher.run(mine, call)
            else:
                futures = ask_each(batcher, mine, call)
                if leaver:
                    call.cancel()
                for piece, future in zip(mine, futures, strict=True):
                    error = future.exception(TIMEOUT_S)
                    if piece.payload[2]:
                        assert isinstance(error, WorkRefused | CallCanceled)
                    else:
                        assert error is None or (leaver and isinstance(error, CallCanceled))
                got = [None if future.exception() else future.result()[0] for future in futures]
        except WorkRefused:
            assert any(piece.payload[2] for piece in mine)
            return
        for piece, answer in zip(mine, got, strict=True):
            assert answer is None or answer == ("answer to", piece.payload)

    limits = BatchLimits(max_rows=max_rows, max_wait_ms=1)
    with batching(run, limits) as batcher, ThreadPoolExecutor(len(callers)) as pool:
        for asked in [pool.submit(ask, number) for number in range(len(callers))]:
            asked.result(TIMEOUT_S)


def test_what_a_run_computes_is_shared_out_by_size_and_what_failed_is_nobodys() -> None:
    computed_us: list[int] = []

    def run(payloads: Sequence[int], length: int, control: RunControl) -> list[int]:
        control.computed(0.0101)
        if len(payloads) > 2:
            raise WorkRefused("bad", "too many for one run")
        computed_us.append(10_100)
        return list(payloads)

    calls = [Call(tenant=f"t{number}") for number in range(4)]
    model = HeldUp()

    def held(payloads: Sequence[int], length: int, control: RunControl) -> list[int]:
        return run(payloads, length, control) if payloads[0] else list(model(payloads, length, control))

    with batching(held) as batcher:
        first = ask(batcher, pieces(0))
        model.wait_for_run()
        rest = [ask(batcher, [Piece(number, length=number)], call) for number, call in enumerate(calls, start=1)]
        model.go.set()
        answers([first, *rest])
    assert computed_us == [10_100, 10_100]
    assert [call.spent.device_us for call in calls] == [3_367, 6_733, 4_328, 5_772]
