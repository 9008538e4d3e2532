"""Prunes groups of a graph: chooses the units that stay, fits what reads them, and removes the others."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from onnx import ModelProto

from inference.factory.pruning.compensation import best_weight, centered, energy, fit, squared_error
from inference.factory.pruning.elimination import Columns, Elimination, Problem, eliminate
from inference.factory.pruning.errors import Refused
from inference.factory.pruning.graph import Array, Graph
from inference.factory.pruning.groups import Group, Sink
from inference.factory.pruning.moments import GroupMoments, Layout, Moments, layout_of
from inference.factory.pruning.surgery import Place, remove_units

Kept = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Reader:
    """A sink with its weight as a matrix."""

    sink: Sink
    layout: Layout
    weight: npt.NDArray[np.float64]

    @property
    def has_constant(self) -> bool:
        return self.sink.bias is not None

    def kept_columns(self, kept: Kept) -> Kept:
        units = self.layout.units
        return np.asarray((units < 0) | kept[np.maximum(units, 0)])


def readers_of(graph: Graph, group: Group) -> list[Reader]:
    readers = []
    for sink in group.sinks:
        weight = graph.constant(graph.nodes[sink.node].input[sink.weight])
        if weight is None:
            raise Refused("a weight is not constant")
        layout = layout_of(group, sink)
        readers.append(Reader(sink, layout, layout.to_matrix(weight, sink.weight_axis)))
    return readers


def order_units(graph: Graph, group: Group, moments: GroupMoments, least: int, *, whole: bool = False) -> Elimination:
    """Order the units of a group by what they are worth, from one half of the moments or from all of them."""
    problems = []
    for reader in readers_of(graph, group):
        halves = moments[group.name, reader.sink.node, reader.sink.weight]
        found = halves.whole if whole else halves.fit
        weight = best_weight(found, reader.weight, reader.has_constant)
        second, _ = centered(found, reader.has_constant)
        total = energy(found, weight, reader.has_constant)
        problems.append(Problem.of(second, weight, reader.layout.units, group.units, total))
    return eliminate(problems, group.units, least, _partitions(group))


def _partitions(group: Group) -> list[Columns]:
    """Return the sets of units of tensors that hold only some of the units. None of these may end up empty."""
    parts = {tuple(np.unique(labels[labels >= 0]).tolist()) for _, labels in group.tensors.values()}
    return [np.array(part, np.int64) for part in sorted(parts) if 0 < len(part) < group.units]


def checked_error(graph: Graph, group: Group, moments: GroupMoments, kept: Kept) -> float:
    """Return the relative squared error at the sinks on rows that the fit has not seen."""
    total = 0.0
    for reader in readers_of(graph, group):
        halves = moments[group.name, reader.sink.node, reader.sink.weight]
        fitted = fit(halves.fit, reader.weight, reader.kept_columns(kept), reader.has_constant)
        check = halves.check if halves.check.rows else halves.fit
        total += squared_error(check, reader.weight, fitted) / energy(check, reader.weight, reader.has_constant)
    return total


def prune_group(model: ModelProto, group: Group, kept: Kept, moments: GroupMoments) -> None:
    """Remove the other units from the model itself, and let the readers make up for them."""
    graph = Graph(model)
    values: dict[Place, Array] = {}
    for reader in readers_of(graph, group):
        values |= _fitted(graph, reader, kept, moments[group.name, reader.sink.node, reader.sink.weight].whole, values)
    remove_units(model, group, kept, values)


def _fitted(
    graph: Graph, reader: Reader, kept: Kept, moments: Moments, values: Mapping[Place, Array]
) -> dict[Place, Array]:
    """Return the constants of the reader as they are after the fit."""
    sink = reader.sink
    fitted = fit(moments, reader.weight, reader.kept_columns(kept), reader.has_constant)
    old = graph.constant(graph.nodes[sink.node].input[sink.weight])
    if old is None:
        raise Refused("a weight is not constant")
    made: dict[Place, Array] = {
        (sink.node, sink.weight): reader.layout.from_matrix(fitted.weight, old, sink.weight_axis)
    }
    if sink.bias is not None:
        results = np.moveaxis(old, sink.weight_axis, 0).shape[1]
        added = fitted.constant.reshape(reader.layout.repetitions, results, -1).sum(axis=(0, 2))
        place = (sink.bias.node, sink.bias.input)
        node = graph.nodes[place[0]]
        bias = graph.constant(node.input[place[1]]) if len(node.input) > place[1] and node.input[place[1]] else None
        before = values.get(place, np.zeros(results, old.dtype) if bias is None else bias)
        made[place] = (before.astype(np.float64) + added).astype(before.dtype)
    return made
