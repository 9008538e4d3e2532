"""Removes units from a graph: cuts constants, and changes the sizes and attributes that count the units."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from onnx import ModelProto, NodeProto, helper, numpy_helper

from inference.factory.pruning.errors import Refused
from inference.factory.pruning.graph import Array, Graph
from inference.factory.pruning.groups import Group, Positions, stays
from inference.factory.pruning.labels import Labels

Place = tuple[int, int]
"""A node and its input."""
_SPLIT_SIZES_ARE_INPUTS = 13


@dataclass(slots=True)
class _Surgery:
    model: ModelProto
    kept: Positions
    graph: Graph = field(init=False)
    inserted: dict[int, list[NodeProto]] = field(default_factory=dict)
    """The new nodes, by the node that they come before."""
    _numbers: int = 0

    def __post_init__(self) -> None:
        self.graph = Graph(self.model)

    def node(self, index: int) -> NodeProto:
        found: NodeProto = self.model.graph.node[index]
        return found

    def count(self, labels: Labels) -> int:
        return int(stays(labels, self.kept).sum())

    def new_name(self, name: str) -> str:
        taken = self.graph.producers.keys() | {tensor.name for tensor in self.model.graph.initializer}
        while True:
            self._numbers += 1
            found = f"{name or 'constant'}.pruned.{self._numbers}"
            if found not in taken:
                return found

    def add_constant(self, value: Array, name: str) -> str:
        found = self.new_name(name)
        self.model.graph.initializer.append(numpy_helper.from_array(np.ascontiguousarray(value), found))
        return found

    def set_input(self, place: Place, value: Array) -> None:
        index, position = place
        node = self.node(index)
        while len(node.input) <= position:
            node.input.append("")
        node.input[position] = self.add_constant(value, node.input[position])

    def replace_entries(self, name: str, entries: Mapping[int, int], size: int, before: int) -> str:
        """Return the name of the same list with other numbers at these entries."""
        value = self.graph.constant(name)
        if value is not None:
            changed = value.copy()
            for entry, number in entries.items():
                changed[entry] = number
            return self.add_constant(changed, name)
        mask, numbers = np.zeros(size, bool), np.zeros(size, np.int64)
        for entry, number in entries.items():
            mask[entry], numbers[entry] = True, number
        output = self.new_name(name)
        inputs = [self.add_constant(mask, name), self.add_constant(numbers, name), name]
        self.inserted.setdefault(before, []).append(helper.make_node("Where", inputs, [output], name=output))
        return output


def remove_units(model: ModelProto, group: Group, kept: npt.NDArray[np.bool_], values: Mapping[Place, Array]) -> None:
    """Remove all other units from the model itself. These values replace constants before they are cut."""
    surgery = _Surgery(model, kept)
    for name, (_, labels) in group.tensors.items():
        if not surgery.count(labels):
            raise Refused(f"nothing would be left of {name}")
    _cut_constants(surgery, group, values)
    _set_sizes(surgery, group)
    _show_sizes(surgery, group)
    _set_splits(surgery, group)
    _set_attributes(surgery, group)
    _insert(surgery)
    _tidy(model, group)


def _cut_constants(surgery: _Surgery, group: Group, values: Mapping[Place, Array]) -> None:
    cuts: dict[Place, list[tuple[int, Labels]]] = {place: [] for place in values}
    for (node, position, axis), labels in group.edits.slices.items():
        cuts.setdefault((node, position), []).append((axis, labels))
    for place, axes in cuts.items():
        value = values.get(place)
        if value is None:
            value = surgery.graph.constant(surgery.node(place[0]).input[place[1]])
        if value is None:
            raise Refused("a constant is gone")
        for axis, labels in axes:
            value = np.compress(stays(labels, surgery.kept), value, axis=axis)
        surgery.set_input(place, value)


def _set_sizes(surgery: _Surgery, group: Group) -> None:
    by_place: dict[Place, dict[int, int]] = {}
    for entry, labels in group.edits.sizes.items():
        by_place.setdefault((entry.node, entry.input), {})[entry.index] = surgery.count(labels)
    for (index, position), entries in by_place.items():
        node = surgery.node(index)
        shape = surgery.graph.shape(node.input[position]) or (0,)
        size = shape[0] if isinstance(shape[0], int) else 0
        if size <= max(entries):
            raise Refused("the length of a list of sizes is not known")
        node.input[position] = surgery.replace_entries(node.input[position], entries, size, index)


def _show_sizes(surgery: _Surgery, group: Group) -> None:
    for (index, entry), labels in group.edits.shown_sizes.items():
        node = surgery.node(index)
        shown, size = node.output[0], (surgery.graph.shape(node.output[0]) or (0,))[0]
        if not isinstance(size, int) or size <= entry:
            raise Refused("the length of a list of sizes is not known")
        node.output[0] = surgery.new_name(shown)
        inner = surgery.replace_entries(node.output[0], {entry: len(labels)}, size, index + 1)
        surgery.inserted[index + 1][-1].output[0] = shown
        surgery.inserted[index + 1][-1].name = inner


def _set_splits(surgery: _Surgery, group: Group) -> None:
    sizes: dict[int, dict[int, int]] = {}
    for (index, output), labels in group.edits.splits.items():
        sizes.setdefault(index, {})[output] = surgery.count(labels)
    for index, by_output in sizes.items():
        node, counts = surgery.node(index), [by_output[output] for output in sorted(by_output)]
        if not all(counts):
            raise Refused("nothing would be left of a part of a Split")
        kept = [attribute for attribute in node.attribute if attribute.name not in ("split", "num_outputs")]
        del node.attribute[:]
        node.attribute.extend(kept)
        if surgery.graph.opset >= _SPLIT_SIZES_ARE_INPUTS:
            surgery.set_input((index, 1), np.array(counts, np.int64))
        else:
            node.attribute.append(helper.make_attribute("split", counts))


def _set_attributes(surgery: _Surgery, group: Group) -> None:
    for (index, name), labels in group.edits.counts.items():
        _set_attribute(surgery.node(index), name, surgery.count(labels))
    lists: dict[tuple[int, str], dict[int, int]] = {}
    for (index, name, entry), labels in group.edits.lists.items():
        lists.setdefault((index, name), {})[entry] = surgery.count(labels)
    for (index, name), entries in lists.items():
        _set_attribute(surgery.node(index), name, [entries[entry] for entry in sorted(entries)])


def _set_attribute(node: NodeProto, name: str, value: int | list[int]) -> None:
    kept = [attribute for attribute in node.attribute if attribute.name != name]
    del node.attribute[:]
    node.attribute.extend([*kept, helper.make_attribute(name, value)])


def _insert(surgery: _Surgery) -> None:
    nodes = list(surgery.model.graph.node)
    order: list[NodeProto] = []
    for index in range(len(nodes) + 1):
        order += surgery.inserted.get(index, [])
        order += nodes[index : index + 1]
    if surgery.inserted:
        copies = [NodeProto.FromString(node.SerializeToString()) for node in order]
        del surgery.model.graph.node[:]
        surgery.model.graph.node.extend(copies)


def _tidy(model: ModelProto, group: Group) -> None:
    """Drop constants that nothing reads any more, and shapes that are out of date."""
    graph = model.graph
    used = set(Graph(model).used_in_subgraphs) | {value.name for value in graph.output}
    used |= {name for node in graph.node for name in node.input}
    given = {value.name for value in graph.input}
    for index in reversed(range(len(graph.initializer))):
        name = graph.initializer[index].name
        if name not in used and name not in given:
            del graph.initializer[index]
    for index in reversed(range(len(graph.node))):
        node = graph.node[index]
        if node.op_type == "Constant" and not any(name in used for name in node.output):
            del graph.node[index]
    for index in reversed(range(len(graph.value_info))):
        if graph.value_info[index].name in group.tensors:
            del graph.value_info[index]
