"""Second moments of the values that a weight reads, and of the error that has come up before it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from onnx import ModelProto, ValueInfoProto

from inference.factory.pruning.errors import PruningImpossible
from inference.factory.pruning.groups import Group, Sink
from inference.factory.pruning.labels import FIXED

Matrix = npt.NDArray[np.float64]
Feeds = Mapping[str, npt.NDArray[Any]]
Runner = Callable[[Path, Sequence[str], Iterable[Feeds]], Iterator[Sequence[npt.NDArray[Any]]]]
"""Runs a file for each of the feeds and yields the named outputs. It may do so in a sandbox."""

MAX_COLUMNS = 4096
"""A wider weight is left alone, because the work grows with the third power."""
MIN_ROWS = 8192
_ROWS_AT_A_TIME = 2048
ROWS_PER_COLUMN = 64
"""Rows beyond these add little."""


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """The way in which the positions of an axis become the columns of a matrix.

    Positions that belong to one value of a unit, such as the pixels of a channel that Flatten has laid side by side,
    are further rows of one column.
    """

    positions: npt.NDArray[np.int64]
    """The positions by column and repetition."""
    units: npt.NDArray[np.int64]
    """The unit of each column."""

    @property
    def columns(self) -> int:
        return len(self.positions)

    @property
    def repetitions(self) -> int:
        return int(self.positions.shape[1])

    def to_rows(self, values: npt.NDArray[Any], axis: int) -> npt.NDArray[Any]:
        flat = np.moveaxis(values, axis, -1).reshape(-1, values.shape[axis])
        if self.repetitions == 1:
            return flat
        return flat[:, self.positions].transpose(0, 2, 1).reshape(-1, self.columns)

    def to_matrix(self, weight: npt.NDArray[Any], axis: int) -> Matrix:
        """Return the weight with one row for each column of the values."""
        flat = np.moveaxis(weight, axis, 0).reshape(weight.shape[axis], -1).astype(np.float64)
        return flat[self.positions].reshape(self.columns, -1)

    def from_matrix(self, matrix: Matrix, like: npt.NDArray[Any], axis: int) -> npt.NDArray[Any]:
        moved = np.moveaxis(like, axis, 0)
        flat = moved.reshape(len(moved), -1).astype(np.float64)
        flat[self.positions] = matrix.reshape(self.columns, self.repetitions, -1)
        return np.moveaxis(flat.reshape(moved.shape), 0, axis).astype(like.dtype)


def layout_of(group: Group, sink: Sink) -> Layout:
    labels = sink.labels
    counts = np.bincount(labels[labels != FIXED], minlength=group.units)
    count, width = int(counts.max()), group.source_width
    if (counts == count).all() and (labels != FIXED).all() and count > width and count % width == 0:
        by_unit = np.argsort(labels, kind="stable").reshape(group.units * width, count // width)
        return Layout(by_unit, np.repeat(np.arange(group.units), width))
    return Layout(np.arange(len(labels))[:, None], labels)


@dataclass(slots=True)
class Moments:
    """Sums over rows of values, with a last column of ones, so that the sums of the columns are included."""

    gram: Matrix
    cross: Matrix | None
    """Products of the values with the error of the sum that the weight contributes to."""
    rows: int = 0
    _waiting: list[tuple[npt.NDArray[Any], npt.NDArray[Any] | None]] = field(default_factory=list)
    _waiting_rows: int = 0

    @classmethod
    def empty(cls, columns: int, results: int | None) -> "Moments":
        cross = None if results is None else np.zeros((columns + 1, results))
        return cls(np.zeros((columns + 1, columns + 1)), cross)

    def add(self, values: npt.NDArray[Any], error: npt.NDArray[Any] | None) -> None:
        self._waiting.append((values, error))
        self._waiting_rows += len(values)
        if self._waiting_rows >= _ROWS_AT_A_TIME:
            self.settle()

    def settle(self) -> None:
        """Add the rows that wait. Many at a time cost as little as few."""
        if not self._waiting:
            return
        wide = np.ones((self._waiting_rows, len(self.gram)))
        np.concatenate([values for values, _ in self._waiting], out=wide[:, :-1])
        self.gram += wide.T @ wide
        self.rows += self._waiting_rows
        errors = [error for _, error in self._waiting if error is not None]
        if self.cross is not None and errors:
            self.cross += wide.T @ np.concatenate(errors)
        self._waiting, self._waiting_rows = [], 0

    def plus(self, other: "Moments") -> "Moments":
        cross = None if self.cross is None or other.cross is None else self.cross + other.cross
        return Moments(self.gram + other.gram, cross, self.rows + other.rows)


@dataclass(slots=True)
class Halves:
    """The moments of two halves of the calibration inputs: one to choose by, one to check what was chosen."""

    fit: Moments
    check: Moments

    @property
    def whole(self) -> Moments:
        return self.fit.plus(self.check)


@dataclass(slots=True)
class _Gauge:
    group: Group
    sink: Sink
    layout: Layout
    halves: Halves
    seen: int = 0
    limit: int = field(default=MIN_ROWS)


GroupMoments = Mapping[tuple[str, int, int], Halves]
"""The keys are the name of the group, the node of the sink and the input that is its weight."""


def collect(
    model: ModelProto,
    groups: Sequence[Group],
    inputs: Sequence[Feeds],
    *,
    run: Runner,
    folder: Path,
    original: ModelProto | None = None,
) -> GroupMoments:
    """Run the inputs and return the moments at each sink.

    With the original model given, too, the moments include the error against it.
    """
    gauges = [gauge for group in groups for gauge in _gauges(group, model, original is not None)]
    names = list(dict.fromkeys(name for gauge in gauges for name in _names_of(gauge.sink, original)))
    results = run(_cut_out(model, names, folder / "calibrated.onnx"), names, inputs)
    targets = [name for name in names if original is not None and any(g.sink.target == name for g in gauges)]
    truths: Iterator[Sequence[Any]] = repeat(())
    if original is not None and targets:
        truths = run(_cut_out(original, targets, folder / "original.onnx"), targets, inputs)
    for index, (values, truth) in enumerate(zip(results, truths, strict=False)):
        found, true = dict(zip(names, values, strict=True)), dict(zip(targets, truth, strict=False))
        for gauge in gauges:
            _measure(gauge, index, len(inputs), found, true)
    for gauge in gauges:
        gauge.halves.fit.settle()
        gauge.halves.check.settle()
    return {(gauge.group.name, gauge.sink.node, gauge.sink.weight): gauge.halves for gauge in gauges}


def _names_of(sink: Sink, original: ModelProto | None) -> list[str]:
    return [sink.tensor] if original is None or sink.target is None else [sink.tensor, sink.target]


def _gauges(group: Group, model: ModelProto, compared: bool) -> Iterator[_Gauge]:
    for sink in group.sinks:
        layout = layout_of(group, sink)
        if layout.columns > MAX_COLUMNS:
            raise PruningImpossible(f"{group.name} has {layout.columns} columns; at most {MAX_COLUMNS} are pruned")
        results = sink.results if compared and sink.target is not None and layout.repetitions == 1 else None
        halves = Halves(Moments.empty(layout.columns, results), Moments.empty(layout.columns, results))
        limit = max(MIN_ROWS, ROWS_PER_COLUMN * layout.columns)
        yield _Gauge(group, sink, layout, halves, limit=limit)


def _measure(gauge: _Gauge, index: int, count: int, found: Mapping[str, Any], true: Mapping[str, Any]) -> None:
    """Add evenly spread rows, so many that all inputs together stay near the limit."""
    sink = gauge.sink
    rows = gauge.layout.to_rows(found[sink.tensor], sink.axis)
    step = max(1, len(rows) * count // gauge.limit)
    error = None
    if sink.target is not None and sink.target in true and gauge.halves.fit.cross is not None:
        difference = true[sink.target].astype(np.float64) - found[sink.target]
        error = difference.reshape(len(rows), -1)[index % step :: step]
    rows = rows[index % step :: step]
    if not np.isfinite(rows).all():
        raise PruningImpossible(f"the values of {sink.tensor} are not finite on the calibration inputs")
    if count > 1:
        (gauge.halves.check if index % 2 else gauge.halves.fit).add(rows, error)
    else:
        middle = (len(rows) + 1) // 2
        gauge.halves.fit.add(rows[:middle], None if error is None else error[:middle])
        gauge.halves.check.add(rows[middle:], None if error is None else error[middle:])


def _cut_out(model: ModelProto, names: Sequence[str], path: Path) -> Path:
    """Write the part of the model that computes these tensors."""
    producers = {name: node for node in model.graph.node for name in node.output if name}
    needed, pending = set(), list(names)
    while pending:
        name = pending.pop()
        if name in needed:
            continue
        needed.add(name)
        if name in producers:
            pending.extend(_reads(producers[name]))
    part = ModelProto()
    part.CopyFrom(_without_graph(model))
    graph = part.graph
    graph.name = model.graph.name or "part"
    graph.input.extend(model.graph.input)
    graph.initializer.extend(tensor for tensor in model.graph.initializer if tensor.name in needed)
    graph.node.extend(node for node in model.graph.node if any(name in needed for name in node.output))
    graph.output.extend(ValueInfoProto(name=name) for name in names)
    path.write_bytes(part.SerializeToString(deterministic=True))
    return path


def _reads(node: Any) -> list[str]:
    inner = [attribute.g for attribute in node.attribute if attribute.HasField("g")]
    graphs = inner + [graph for attribute in node.attribute for graph in attribute.graphs]
    return [*node.input, *(name for graph in graphs for part in graph.node for name in _reads(part))]


def _without_graph(model: ModelProto) -> ModelProto:
    shell = ModelProto(ir_version=model.ir_version, producer_name=model.producer_name)
    shell.opset_import.extend(model.opset_import)
    shell.functions.extend(model.functions)
    return shell
