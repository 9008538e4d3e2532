"""The names of a classifier's classes, as its file has them. Pure."""

from collections.abc import Iterator

from onnx import AttributeProto, GraphProto, NodeProto

MAX_CLASSES = 1000
_LISTS = ("classlabels_strings", "classlabels_int64s", "classlabels_ints")
"""The attributes of the classifiers of `ai.onnx.ml`, in the order in which they are looked for."""


def class_names(graph: GraphProto) -> tuple[str, ...]:
    """Return the classes in the order of the scores, or nothing if no node, or nodes that differ, name them."""
    found = {names for node in graph.node if node.domain == "ai.onnx.ml" for names in _names_of(node)}
    return found.pop() if len(found) == 1 else ()


def _names_of(node: NodeProto) -> Iterator[tuple[str, ...]]:
    attributes = {attribute.name: attribute for attribute in node.attribute}
    values = next((_texts(attributes[name]) for name in _LISTS if name in attributes and _texts(attributes[name])), [])
    if 2 <= len(values) <= MAX_CLASSES and all(value.isprintable() for value in values):
        yield tuple(values)


def _texts(attribute: AttributeProto) -> list[str]:
    strings = [value.decode(errors="replace") for value in attribute.strings]
    return strings or [str(value) for value in attribute.ints]
