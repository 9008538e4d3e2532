"""What may be known of a value in a graph: that it is the same for all, that each row has its own, or nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

Shape = tuple[int | None, ...]
"""None for a size that is not known; except on the axis of the rows none tells how many rows there are."""

MOST_VALUES = 64
"""Of a constant whose values are followed: shapes, axes and the like."""


@dataclass(frozen=True, slots=True)
class Size:
    """A whole number: `times`, which is not known where None, and where `of_rows` times the number of rows."""

    times: int | None
    of_rows: bool = False

    @property
    def number(self) -> int | None:
        return None if self.of_rows else self.times


SOME_SIZE = Size(None)


@dataclass(frozen=True, slots=True)
class Fixed:
    """Depends on no caller's values: weights, and what follows from the shapes of the inputs."""

    shape: Shape | None = None
    values: tuple[Size | float, ...] | None = None

    @property
    def tells_count(self) -> bool:
        """How many rows there are, which says how many callers there are."""
        return any(isinstance(value, Size) and value.of_rows for value in self.values or ())

    @property
    def sizes(self) -> tuple[Size, ...] | None:
        if self.values is None or not all(isinstance(value, Size) for value in self.values):
            return None
        return tuple(value for value in self.values if isinstance(value, Size))

    @property
    def numbers(self) -> tuple[int, ...] | None:
        """None where not every value is known."""
        found = [size.number for size in self.sizes or ()]
        known = tuple(number for number in found if number is not None)
        return known if self.sizes is not None and len(known) == len(found) else None

    @property
    def is_one_number(self) -> bool:
        return self.shape is not None and all(size == 1 for size in self.shape)


@dataclass(frozen=True, slots=True)
class Rows:
    """Along `axis` one part for each row, which follows from that row of the inputs alone."""

    axis: int
    shape: Shape
    """Its size on `axis` is never given."""
    places: int | None = 1
    """That each row takes on the axis, one after the other: more than one where another axis was folded into it."""

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
        """What divides the number of a row's values for certain."""
        return (self.places or 1) * prod(size for size in self.others if size is not None)

    @property
    def row_values(self) -> int | None:
        return None if self.places is None or None in self.others else self.known_divisor

    def place(self, axis: int) -> int:
        """An axis counted from either end."""
        return axis + self.rank if axis < 0 else axis

    def along(self, axis: int) -> bool:
        return self.place(axis) == self.axis

    def shaped(self, shape: Sequence[int | None], *, axis: int | None = None) -> "Rows":
        """The same rows in a tensor of these sizes."""
        at = self.axis if axis is None else axis
        return Rows(at, tuple(None if place == at else size for place, size in enumerate(shape)), self.places)

    def of_rank(self, rank: int, *, axis: int | None = None) -> "Rows":
        return self.shaped([None] * rank, axis=axis)


@dataclass(frozen=True, slots=True)
class Unproven:
    """May depend on other rows, or on how many there are."""

    why: str


Known = Fixed | Rows
Value = Known | Unproven


class CannotProve(Exception):
    """An operator may mix rows as it is used here; the words say how."""
