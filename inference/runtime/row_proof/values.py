"""A graph as the proof sees it: its operators, and the knowledge about each value."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

Shape = tuple[int | None, ...]
"""The sizes of a tensor, None if unknown. Only the size on the axis of the rows shows how many rows there are."""

MAX_VALUES = 64
"""The most values of a constant whose values are followed, such as shapes and axes."""


@dataclass(frozen=True, slots=True)
class Size:
    """A whole number: `times`, or `times` the number of rows with `of_rows`. It is unknown if `times` is None."""

    times: int | None
    of_rows: bool = False

    @property
    def number(self) -> int | None:
        return None if self.of_rows else self.times


SOME_SIZE = Size(None)


@dataclass(frozen=True, slots=True)
class Fixed:
    """A value that depends on no caller's values: weights, and values that follow from the shapes of the inputs."""

    shape: Shape | None = None
    values: tuple[Size | float, ...] | None = None

    @property
    def tells_count(self) -> bool:
        """Return whether it contains the number of rows, which shows how many callers there are."""
        return any(isinstance(value, Size) and value.of_rows for value in self.values or ())

    @property
    def sizes(self) -> tuple[Size, ...] | None:
        if self.values is None or not all(isinstance(value, Size) for value in self.values):
            return None
        return tuple(value for value in self.values if isinstance(value, Size))

    @property
    def numbers(self) -> tuple[int, ...] | None:
        """Return the numbers, or None if not every value is known."""
        found = [size.number for size in self.sizes or ()]
        numbers_found = tuple(number for number in found if number is not None)
        return numbers_found if self.sizes is not None and len(numbers_found) == len(found) else None

    @property
    def is_one_number(self) -> bool:
        return self.shape is not None and all(size == 1 for size in self.shape)


@dataclass(frozen=True, slots=True)
class Rows:
    """A value with a part for each row along `axis`. Each part depends only on that row of the inputs."""

    axis: int
    shape: Shape
    """The sizes. The size on `axis` is never given."""
    places: int | None = 1
    """The consecutive positions of each row on the axis. There are more than 1 if an axis was folded into it."""

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def from_right(self) -> int:
        return self.rank - self.axis

    @property
    def others(self) -> Shape:
        return self.shape[: self.axis] + self.shape[self.axis + 1 :]

    @property
    def known_divisor(self) -> int:
        """Return a number that certainly divides the number of a row's values."""
        return (self.places or 1) * prod(size for size in self.others if size is not None)

    @property
    def row_values(self) -> int | None:
        return None if self.places is None or None in self.others else self.known_divisor

    def place(self, axis: int) -> int:
        """Return the position of an axis that may be counted from either end."""
        return axis + self.rank if axis < 0 else axis

    def along(self, axis: int) -> bool:
        return self.place(axis) == self.axis

    def shaped(self, shape: Sequence[int | None], *, axis: int | None = None) -> "Rows":
        """Return the same rows in a tensor of these sizes."""
        at = self.axis if axis is None else axis
        return Rows(at, tuple(None if axis == at else size for axis, size in enumerate(shape)), self.places)

    def of_rank(self, rank: int, *, axis: int | None = None) -> "Rows":
        return self.shaped([None] * rank, axis=axis)


@dataclass(frozen=True, slots=True)
class Unproven:
    """A value that may depend on other rows, or on how many there are."""

    why: str


Known = Fixed | Rows
Value = Known | Unproven


class CannotProve(Exception):
    """The error for an operator that may mix rows as it is used here. The message says how."""


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

    def input(self, position: int) -> Known | None:
        return self.inputs[position] if position < len(self.inputs) else None
