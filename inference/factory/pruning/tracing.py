"""Follows units through a graph, from the weights that make them to the weights that read them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from onnx import NodeProto

from inference.factory.pruning.errors import Coarsen, Refused
from inference.factory.pruning.graph import Graph, attributes
from inference.factory.pruning.groups import Edits, ShapeEntry, Sink, Source
from inference.factory.pruning.labels import FIXED, Labels, joined, relabeled, require_same
from inference.factory.pruning.shapes import Dim

MAX_TENSORS = 4000
MAX_TRIES = 12
"""The limit of how often units may be joined before the group is given up."""


@dataclass(frozen=True, slots=True)
class Port:
    """A place where a tensor meets a node."""

    is_output: bool
    index: int


class Trace:
    """The state of one trace. Rules of operators call its methods."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.tensors: dict[str, tuple[int, Labels]] = {}
        self.edits = Edits()
        self.sources: dict[int, Source] = {}
        self.sinks: dict[tuple[int, int], Sink] = {}
        self._queue: list[str] = []

    def follow(self, rules: Mapping[tuple[str, str], "Rule"]) -> None:
        """Visit every node that the units meet."""
        while self._queue:
            name = self._queue.pop()
            meets = [(index, Port(False, position)) for index, position in self.graph.readers[name]]
            if name in self.graph.producers:
                index, position = self.graph.producers[name]
                meets.insert(0, (index, Port(True, position)))
            for index, port in meets:
                node = self.graph.nodes[index]
                rule = rules.get((node.domain if node.domain != "ai.onnx" else "", node.op_type))
                if rule is None:
                    raise Refused(f"its units reach {node.op_type}, through which they are not followed")
                axis, labels = self.tensors[name]
                rule(Visit(self, index, node, port, axis, labels))

    def label(self, name: str, axis: int, labels: Labels) -> None:
        shape = self.graph.shape(name)
        if shape is None or not 0 <= axis < len(shape):
            raise Refused(f"the shape of {name} is not known")
        if shape[axis] != len(labels):
            raise Refused(f"axis {axis} of {name} has {shape[axis]} positions where {len(labels)} are expected")
        if name in self.tensors:
            if self.tensors[name][0] != axis:
                raise Refused(f"two axes of {name} carry units")
            require_same(self.tensors[name][1], labels)
            return
        self._check_free(name)
        self.tensors[name] = (axis, labels)
        if len(self.tensors) > MAX_TENSORS:
            raise Refused("too many tensors carry its units")
        self._queue.append(name)

    def _check_free(self, name: str) -> None:
        if name in self.graph.outputs:
            raise Refused(f"its units are in the output {name}")
        if name in self.graph.inputs:
            raise Refused(f"its units are in the input {name}")
        if name in self.graph.used_in_subgraphs:
            raise Refused(f"{name} is read in a subgraph")
        if name not in self.graph.producers:
            raise Refused(f"{name} has no origin")

    def cut(self, node: int, position: int, axis: int, labels: Labels) -> None:
        """Note that this constant loses what is removed."""
        note(self.edits.slices, (node, position, axis), labels)

    def set_splits(self, node: int, parts: tuple[Labels, ...]) -> None:
        for index, labels in enumerate(parts):
            note(self.edits.splits, (node, index), labels)

    def add_source(self, source: Source) -> None:
        if source.node in self.sources:
            require_same(self.sources[source.node].labels, source.labels)
        self.sources[source.node] = source

    def add_sink(self, sink: Sink) -> None:
        key = (sink.node, sink.weight)
        if key in self.sinks:
            require_same(self.sinks[key].labels, sink.labels)
        self.sinks[key] = sink


def note(entries: dict[Any, Labels], key: Any, labels: Labels) -> None:
    if key in entries:
        require_same(entries[key], labels)
    entries[key] = labels


@dataclass(frozen=True, slots=True, eq=False)
class Visit:
    """A node that is met at one port, by an axis that carries units."""

    trace: Trace
    index: int
    node: NodeProto
    port: Port
    axis: int
    labels: Labels

    @property
    def attributes(self) -> Mapping[str, Any]:
        return attributes(self.node)

    def refuse(self, reason: str) -> Refused:
        return Refused(f"{self.node.op_type}: {reason}")

    def name(self, port: Port) -> str:
        names = self.node.output if port.is_output else self.node.input
        return str(names[port.index]) if port.index < len(names) else ""

    def shape(self, port: Port) -> tuple[Dim, ...]:
        shape = self.trace.graph.shape(self.name(port))
        if shape is None:
            raise self.refuse("a shape is not known")
        return shape

    def constant_input(self, index: int) -> Any:
        """Return the value of a constant input; None if it is not constant or not given."""
        name = self.name(Port(False, index))
        return self.trace.graph.constant(name) if name else None

    def inputs(self) -> list[Port]:
        return [Port(False, index) for index, name in enumerate(self.node.input) if name]

    def outputs(self) -> list[Port]:
        return [Port(True, index) for index, name in enumerate(self.node.output) if name]

    def has_weight(self, index: int) -> bool:
        return self.trace.graph.is_weight(self.name(Port(False, index)))

    def labels_of(self, port: Port, size: Dim) -> Labels:
        """Return the labels of a tensor at its marked axis. What carries no units is fixed."""
        name = self.name(port)
        if name in self.trace.tensors:
            return self.trace.tensors[name][1]
        if not isinstance(size, int):
            raise self.refuse("a size is not known")
        return np.full(size, FIXED, np.int64)

    def require_input_labels(self) -> None:
        if self.name(Port(False, 0)) not in self.trace.tensors:
            raise self.refuse("it cuts out the units of a larger tensor")

    def set_size(self, entry: ShapeEntry, labels: Labels) -> None:
        note(self.trace.edits.sizes, entry, labels)

    def show_size(self, entry: int) -> None:
        note(self.trace.edits.shown_sizes, (self.index, entry), self.labels)

    def set_count(self, attribute: str, labels: Labels) -> None:
        note(self.trace.edits.counts, (self.index, attribute), labels)

    def set_list_entry(self, attribute: str, entry: int, labels: Labels) -> None:
        note(self.trace.edits.lists, (self.index, attribute, entry), labels)

    def mark(self, port: Port, axis: int, labels: Labels | None = None) -> None:
        """Say that this axis carries the units, too. Constants are cut, other tensors are followed."""
        labels = self.labels if labels is None else labels
        name = self.name(port)
        if not port.is_output and self.trace.graph.constant(name) is not None:
            if self.shape(port)[axis] != len(labels):
                raise self.refuse("a constant has another size than the units")
            self.trace.cut(self.index, port.index, axis, labels)
        else:
            self.trace.label(name, axis, labels)


Rule = Callable[[Visit], None]


def trace_units(
    graph: Graph, tensor: str, axis: int, units: int, rules: Mapping[tuple[str, str], Rule]
) -> list[tuple[Trace, int]]:
    """Follow the units of an axis, joined where they must be. Return each way of joining them that works."""
    pending: list[tuple[Labels, int]] = [(np.arange(units, dtype=np.int64), 0)]
    found: list[tuple[Trace, int]] = []
    refused: Refused | None = None
    while pending:
        labels, tries = pending.pop(0)
        count = int(labels.max()) + 1
        if count < 2 or tries > MAX_TRIES:
            refused = refused or Refused("all of its units hang together")
            continue
        trace = Trace(graph)
        try:
            trace.label(tensor, axis, labels)
            trace.follow(rules)
            found.append((trace, count))
        except Coarsen as coarsen:
            for pairs in coarsen.options:
                pending.append((relabeled(labels, joined(count, pairs)), tries + 1))
        except Refused as error:
            refused = error
    if not found:
        raise refused or Refused("its units lead nowhere")
    return found
