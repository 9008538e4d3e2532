"""The part of a graph that the proof needs: its operators, its small constants, and the shapes of the large ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from inference.runtime.row_proof.values import Fixed, Known, Shape


@dataclass(frozen=True, slots=True)
class Node:
    domain: str
    operator: str
    inputs: Sequence[str]
    """The names of the inputs. A name is empty if the input is left out."""
    outputs: Sequence[str]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    """The attributes: numbers, texts and lists of them. A tensor is Fixed."""
    nested: bool = False
    """Set if it holds graphs of its own."""


@dataclass(frozen=True, slots=True)
class Outline:
    inputs: Mapping[str, Shape]
    outputs: Sequence[str]
    nodes: Sequence[Node]
    """The operators in an order in which each follows those that it needs."""
    constants: Mapping[str, Fixed]
    opset: int
    """The version of the standard operators."""
    own_functions: bool = False
    """Set if the file defines operators of its own."""


@dataclass(frozen=True, slots=True)
class Use:
    """An operator with what is known of its inputs. An input that is left out is None."""

    node: Node
    inputs: Sequence[Known | None]
    opset: int

    def attribute(self, name: str, otherwise: Any = None) -> Any:
        return self.node.attributes.get(name, otherwise)

    def input(self, place: int) -> Known | None:
        return self.inputs[place] if place < len(self.inputs) else None
