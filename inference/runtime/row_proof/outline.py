"""A graph as far as the proof looks at it: its operators, its small constants, and the shapes of the large ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from inference.runtime.row_proof.values import Fixed, Known, Shape


@dataclass(frozen=True, slots=True)
class Node:
    domain: str
    operator: str
    inputs: Sequence[str]
    """An empty name where an input is left out."""
    outputs: Sequence[str]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    """Numbers, texts and lists of them; a tensor is Fixed."""
    nested: bool = False
    """It holds graphs of its own."""


@dataclass(frozen=True, slots=True)
class Outline:
    inputs: Mapping[str, Shape]
    outputs: Sequence[str]
    nodes: Sequence[Node]
    """In an order in which each follows those that it needs."""
    constants: Mapping[str, Fixed]
    opset: int
    """Of the standard operators."""
    own_functions: bool = False
    """The file defines operators of its own."""


@dataclass(frozen=True, slots=True)
class Use:
    """One operator with what is known of its inputs; None where one is left out."""

    node: Node
    inputs: Sequence[Known | None]
    opset: int

    def attribute(self, name: str, otherwise: Any = None) -> Any:
        return self.node.attributes.get(name, otherwise)

    def input(self, place: int) -> Known | None:
        return self.inputs[place] if place < len(self.inputs) else None
