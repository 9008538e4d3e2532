"""A trial of whether the rows of a batch affect each other in a graph. It is made before callers share a run.

A graph may mix its rows (a mean over the batch, a softmax along it). A caller's answer would then depend on the input
of another caller. ONNX Runtime may also take another code path for few rows than for many, and the last bits then
differ. Such a graph runs with some rows of padding, so that an answer is the same alone and with others.

A trial shows only the effects of the values that it creates. Only the graph's operators can prove that no value mixes
rows, see `row_proof`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from inference.runtime.probe_rows import KINDS, ROWS, one_of_each, row_shape, rows_of
from inference.runtime.row_proof import Proof
from inference.runtime.tensors import Array, TensorSpec

MANY_ROWS = 32
LONGEST_REASON = 200
NO_PROOF = Proof(False, "its operators were not looked at")
FREE, MUCH_FREE = 4, 16
"""The sizes of an open dimension in a trial. A library may run more or longer rows by another code path."""
MIN_ROWS = (1, 2, 4)
"""The smallest numbers of rows, in order. A graph that needs more padding gains nothing from batches."""
LARGEST_ROW = 4_000_000
"""The largest number of values in a row. The rows of a graph that takes more are not put together."""

LARGEST_TRIAL = 1_000_000
"""The largest number of values in a trial with many rows."""

Run = Callable[[Mapping[str, Array]], Sequence[Array]]


@dataclass(frozen=True, slots=True)
class RowIndependence:
    """The result for a graph. `min_rows` is None if callers must not share a run."""

    min_rows: int | None
    reason: str
    certain: bool = True
    """Set unless the trial itself failed, or a part of it took too long. The machine may have caused that."""
    proven: bool = False
    """Set if the graph's operators also prove that rows do not affect each other, whatever the values are."""

    @property
    def batchable(self) -> bool:
        """Return whether callers may share a run according to the trial."""
        return self.min_rows is not None

    def may_share(self, *, unproven: bool) -> bool:
        return self.batchable and (self.proven or unproven)


def padded_to(tensor: Array, rows: int) -> Array:
    """Pad the tensor by repeating its last row, which is certain to be an input that the graph accepts."""
    missing = rows - tensor.shape[0]
    return tensor if missing <= 0 else np.concatenate([tensor, np.repeat(tensor[-1:], missing, axis=0)])


def has_free_rows(inputs: Sequence[TensorSpec], outputs: Sequence[TensorSpec]) -> bool:
    """Return whether every tensor begins with a dimension of any size, which callers may fill together."""
    tensors = (*inputs, *outputs)
    return bool(tensors) and all(tensor.shape and tensor.shape[0] == -1 for tensor in tensors)


def find_row_independence(
    inputs: Sequence[TensorSpec],
    outputs: Sequence[TensorSpec],
    run: Run,
    *,
    seed: int = 0,
    proof: Proof = NO_PROOF,
) -> RowIndependence:
    """Compare the answers of different rows alone and together to the last bit. `run` raises for inputs that the graph
    does not accept. If the proof holds, rows of a single kind are enough.
    """
    found = _tried(inputs, outputs, run, np.random.default_rng(seed), broadly=not proof.holds)
    if not found.batchable or proof.holds:
        return replace(found, proven=proof.holds)
    reason = f"rows of many kinds agree, but the graph does not prove that all do: {proof.why}"
    return replace(found, reason=reason[:LONGEST_REASON])


def _tried(
    inputs: Sequence[TensorSpec],
    outputs: Sequence[TensorSpec],
    run: Run,
    generator: np.random.Generator,
    *,
    broadly: bool,
) -> RowIndependence:
    if not has_free_rows(inputs, outputs):
        return RowIndependence(None, "not every input and output begins with a free dimension")
    if _row_values(inputs, FREE) > LARGEST_ROW:
        return RowIndependence(None, "one row is too large to be tried")
    run = _Timely(run)
    try:
        ordinary = rows_of(inputs, ROWS, FREE, generator)
        first = _Trial(ordinary, run(ordinary), range(ROWS), must_run=True)
        more: list[_Trial] | None = None
        for min_rows in MIN_ROWS:
            if not first.has_a_row_for_each or not first.agrees(run, min_rows):
                continue
            if more is None:
                more = [*_larger(inputs, run, generator)]
                more += _of_all_kinds(inputs, run, generator, first) if broadly else ()
            if all(trial.has_a_row_for_each and trial.agrees(run, min_rows) for trial in more):
                reason = "rows are the same to the last bit alone and together"
                return RowIndependence(min_rows, reason, certain=not run.late)
    except Exception as error:
        problem = f"the graph takes no rows of our making: {error}"
        return RowIndependence(None, problem[:LONGEST_REASON], certain=False)
    if not first.has_a_row_for_each:
        return RowIndependence(None, "an output has not one row for each row of the input")
    return RowIndependence(None, "a row's answer depends on the rows beside it", certain=not run.late)


class _Timely:
    """A runner that records whether a run was refused or ended because of its time."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self.late = False

    def __call__(self, feeds: Mapping[str, Array]) -> Sequence[Array]:
        try:
            return self._run(feeds)
        except TimeoutError:
            self.late = True
            raise


@dataclass(frozen=True, slots=True)
class _Trial:
    """Rows that were run together. Some of them are also run alone."""

    rows: Mapping[str, Array]
    together: Sequence[Array]
    checked_at: Sequence[int]
    must_run: bool = False
    """Set if a run that fails must raise. Otherwise, a run that fails or comes too late shows nothing."""

    @property
    def has_a_row_for_each(self) -> bool:
        count = len(next(iter(self.rows.values())))
        return all(answer.shape[:1] == (count,) for answer in self.together)

    def agrees(self, run: Run, min_rows: int) -> bool:
        try:
            return all(self._alone(run, row, min_rows) for row in self.checked_at)
        except Exception:
            if self.must_run:
                raise
            return True

    def _alone(self, run: Run, row: int, min_rows: int) -> bool:
        own = run({name: padded_to(tensor[row : row + 1], min_rows) for name, tensor in self.rows.items()})
        return all(
            answer.shape[:1] == (min_rows,) and _same(answer[0], expected[row])
            for answer, expected in zip(own, self.together, strict=True)
        )


def _larger(inputs: Sequence[TensorSpec], run: Run, generator: np.random.Generator) -> Iterator[_Trial]:
    """Yield trials of more and longer rows that the graph accepts in time. Open dimensions may have to agree."""
    for free in (FREE, MUCH_FREE) if any(-1 in tensor.shape[1:] for tensor in inputs) else (FREE,):
        count = min(MANY_ROWS, LARGEST_TRIAL // max(1, _row_values(inputs, free)))
        if count <= ROWS:
            continue
        with suppress(Exception):
            rows = rows_of(inputs, count, free, generator)
            yield _Trial(rows, run(rows), (0, count // 2, count - 1))


def _of_all_kinds(
    inputs: Sequence[TensorSpec], run: Run, generator: np.random.Generator, ordinary: "_Trial"
) -> Iterator[_Trial]:
    """Yield trials of each kind by itself, then of all accepted kinds side by side."""
    room = LARGEST_TRIAL // max(1, _row_values(inputs, FREE))
    taken = [ordinary.rows]
    for kind in KINDS if room else ():
        with suppress(Exception):
            count = min(ROWS, max(2, room))
            rows = rows_of(inputs, count, FREE, generator, kind)
            yield _Trial(rows, run(rows), [count // 2])
            taken.append(rows)
    for mixed in one_of_each(taken, max(ROWS, room)):
        with suppress(Exception):
            yield _Trial(mixed, run(mixed), range(len(next(iter(mixed.values())))))


def _same(one: Array, other: Array) -> bool:
    """Compare two answers. Numbers are compared bit by bit, so NaN is the same as itself."""
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    if one.dtype == object:
        return bool((one == other).all())
    return one.tobytes() == other.tobytes()


def _row_values(inputs: Sequence[TensorSpec], free: int) -> int:
    return sum(int(np.prod(row_shape(tensor, free))) for tensor in inputs)
