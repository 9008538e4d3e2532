"""Finds in a graph the values that its inputs may have: vocabularies, texts, and the thresholds of trees."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from inference.factory.generated_inputs import Hint
from inference.runtime.native import onnx_package
from inference.runtime.tensors import Array

PASSING = frozenset(
    [
        "Cast",
        "Identity",
        "Reshape",
        "Flatten",
        "Squeeze",
        "Unsqueeze",
        "Transpose",
        "Slice",
        "Expand",
        "Concat",
        "Clip",
        "StringNormalizer",
    ]
)
"""The operators whose output has the values of their first input."""
TREES = ("TreeEnsembleClassifier", "TreeEnsembleRegressor")
MAX_WORDS = 10_000
LARGEST_CONSTANT = 1_000_000


def find_hints(path: Path) -> Mapping[str, Hint]:
    """Return what the graph tells about its inputs. An input that it does not limit is missing."""
    onnx = onnx_package()
    graph = onnx.load(path, load_external_data=False).graph
    found = _Found({tensor.name: tensor for tensor in graph.initializer})
    for value in graph.input:
        if value.name not in found.constants:
            found.origin[value.name] = value.name
    for node in graph.node:
        found.read(node)
    return found.hints


@dataclass(slots=True)
class _Found:
    constants: dict[str, Any]
    """The weights as they are in the file, and the values of `Constant` nodes."""
    origin: dict[str, str] = field(default_factory=dict)
    """The input whose values a tensor has, if it is only reshaped or converted."""
    hints: dict[str, Hint] = field(default_factory=dict)

    def read(self, node: Any) -> None:
        attributes = {attribute.name: attribute for attribute in node.attribute}
        if node.op_type == "Constant" and "value" in attributes:
            self.constants[node.output[0]] = attributes["value"].t
        for position, name in enumerate(node.input):
            source = self.origin.get(name)
            if source is None:
                continue
            if node.op_type in PASSING and (position == 0 or node.op_type == "Concat"):
                self.origin[node.output[0]] = source
            for hint in self._hints_of(node, attributes, position):
                self.hints[source] = _combined(self.hints.get(source, Hint()), hint)

    def _hints_of(self, node: Any, attributes: Mapping[str, Any], position: int) -> Iterator[Hint]:
        match node.op_type:
            case "Gather" if position == 1:
                yield from self._rows_of(node.input[0], attributes["axis"].i if "axis" in attributes else 0)
            case "EmbedLayerNormalization" if position < 2:
                # The tables of words and segments are its third and fifth input.
                yield from self._rows_of(node.input[2 if position == 0 else 4], 0)
            case "OneHot" if position == 0:
                depth = self._values(node.input[1])
                yield from () if depth is None else (Hint(0, int(depth.ravel()[0]) - 1),)
            case "Sub" | "Add" if (shift := self._other(node, position)) is not None:
                yield Hint(center=shift if node.op_type == "Sub" and position == 0 else None)
            case "Div" if position == 0 and (scale := self._other(node, position)) is not None:
                yield Hint(deviation=np.abs(scale))
            case "Scaler":
                yield _of_scaler(attributes)
            case operator if operator in TREES:
                yield from _of_trees(attributes)
            case _:
                yield from _of_categories(attributes)

    def _rows_of(self, table: str, axis: int) -> Iterator[Hint]:
        tensor = self.constants.get(table)
        if tensor is not None and -len(tensor.dims) <= axis < len(tensor.dims):
            yield Hint(0, max(0, int(tensor.dims[axis]) - 1))

    def _other(self, node: Any, position: int) -> Array | None:
        return self._values(node.input[1 - position])

    def _values(self, name: str) -> Array | None:
        tensor = self.constants.get(name)
        external = tensor is not None and tensor.data_location == tensor.EXTERNAL
        if tensor is None or external or np.prod(tensor.dims) > LARGEST_CONSTANT:
            return None
        values: Array = onnx_package().numpy_helper.to_array(tensor)
        return values


def _of_scaler(attributes: Mapping[str, Any]) -> Hint:
    offset = np.array(attributes["offset"].floats) if "offset" in attributes else None
    scale = np.abs(attributes["scale"].floats) if "scale" in attributes else np.ones(1)
    return Hint(center=offset, deviation=1 / np.where(scale == 0, 1, scale))


def _of_trees(attributes: Mapping[str, Any]) -> Iterator[Hint]:
    """Yield a center and deviation for each feature, so that inputs fall on both sides of the thresholds."""
    features = np.array(attributes["nodes_featureids"].ints)
    thresholds = _numbers(attributes, "nodes_values")
    if not len(thresholds) or len(features) != len(thresholds):
        return
    modes = np.array([mode != b"LEAF" for mode in attributes["nodes_modes"].strings])
    center, deviation = np.zeros(int(features.max()) + 1), np.ones(int(features.max()) + 1)
    for feature in np.unique(features[modes]):
        own = thresholds[modes & (features == feature)]
        center[feature], deviation[feature] = own.mean(), own.std() or abs(own.mean()) / 2 or 1.0
    yield Hint(center=center, deviation=deviation)


def _numbers(attributes: Mapping[str, Any], name: str) -> Array:
    if name in attributes:
        return np.array(attributes[name].floats)
    tensor = attributes.get(f"{name}_as_tensor")
    return np.zeros(0) if tensor is None else np.asarray(onnx_package().numpy_helper.to_array(tensor.t))


def _of_categories(attributes: Mapping[str, Any]) -> Iterator[Hint]:
    """Yield the texts or numbers that an operator with a list of categories knows."""
    for name in ("keys_strings", "cats_strings", "pool_strings"):
        if name in attributes and attributes[name].strings:
            texts = [text.decode("utf-8", "replace") for text in attributes[name].strings[:MAX_WORDS]]
            yield Hint(words=tuple(dict.fromkeys(texts)))
    for name in ("keys_int64s", "cats_int64s", "pool_int64s"):
        if name in attributes and attributes[name].ints:
            yield Hint(int(min(attributes[name].ints)), int(max(attributes[name].ints)))


def _combined(one: Hint, other: Hint) -> Hint:
    """Return both hints as one. The range that both allow is kept."""
    lows = [hint.low for hint in (one, other) if hint.low is not None]
    highs = [hint.high for hint in (one, other) if hint.high is not None]
    return replace(
        one,
        low=max(lows, default=None),
        high=min(highs, default=None),
        words=tuple(dict.fromkeys((*one.words, *other.words)))[:MAX_WORDS],
        center=one.center if other.center is None else other.center,
        deviation=one.deviation if other.deviation is None else other.deviation,
    )
