"""The findings of a trace: the units of a group, where they lie, and what removing them changes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from inference.factory.pruning.labels import FIXED, Labels

Positions = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Bias:
    """The input of a node that a constant can be added to. It may be absent so far."""

    node: int
    input: int


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A weight whose outputs are units."""

    node: int
    labels: Labels


@dataclass(frozen=True, slots=True, eq=False)
class Sink:
    """A weight that reads the units. It takes over the work of the ones that go."""

    node: int
    tensor: str
    axis: int
    weight: int
    """The input of the node that is the weight."""
    weight_axis: int
    labels: Labels
    results: int
    """The number of its results."""
    bias: Bias | None
    target: str | None
    """The tensor that the result is added to without a factor, if it has the values of one row in each row."""


@dataclass(frozen=True, slots=True)
class ShapeEntry:
    """A size in the value of an input that is a shape, or a list of sizes, or of limits."""

    node: int
    input: int
    index: int


@dataclass(slots=True)
class Edits:
    """The changes to make, with the labels of the axis in question each time."""

    slices: dict[tuple[int, int, int], Labels] = field(default_factory=dict)
    """Constants to cut, by node, input and axis."""
    sizes: dict[ShapeEntry, Labels] = field(default_factory=dict)
    """Sizes to replace by the number of positions that stay."""
    counts: dict[tuple[int, str], Labels] = field(default_factory=dict)
    """Whole numbers to replace in the same way, by node and attribute."""
    lists: dict[tuple[int, str, int], Labels] = field(default_factory=dict)
    """Entries of a list to replace in the same way, by node, attribute and index."""
    splits: dict[tuple[int, int], Labels] = field(default_factory=dict)
    """The parts of a Split along the axis of the units, by node and output."""
    shown_sizes: dict[tuple[int, int], Labels] = field(default_factory=dict)
    """Shape nodes that still describe the old size, by node and entry."""


@dataclass(frozen=True, slots=True)
class Group:
    """Units that can be removed one by one, each from all tensors at once."""

    name: str
    units: int
    sources: tuple[Source, ...]
    sinks: tuple[Sink, ...]
    edits: Edits
    tensors: Mapping[str, tuple[int, Labels]]

    @property
    def kind(self) -> Literal["columns", "blocks"]:
        return "columns" if self.source_width == 1 else "blocks"

    @property
    def source_width(self) -> int:
        """The number of values of a unit where it is made."""
        return max(int((source.labels >= 0).sum()) for source in self.sources) // self.units or 1


@dataclass(frozen=True, slots=True)
class Refusal:
    """A group that stays as it is."""

    name: str
    reason: str


def stays(labels: Labels, kept: Positions) -> Positions:
    """Return which positions of an axis stay when only these units do."""
    return np.where(labels == FIXED, True, kept[np.maximum(labels, 0)])
