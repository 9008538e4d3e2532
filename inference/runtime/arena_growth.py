"""How much ONNX Runtime's arena of one session has grown by, as far as runs have shown."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

Shapes = Mapping[str, tuple[int, ...]]
"""Of a run's inputs, by name."""


@dataclass(frozen=True, slots=True)
class LargestFeeds:
    """The longest that each dimension of each input has been, and the most values that each has had."""

    sides: Mapping[tuple[str, int], tuple[int, ...]] = field(default_factory=dict)
    """By name and number of dimensions."""
    values: Mapping[str, int] = field(default_factory=dict)

    def surpassed_by(self, shapes: Shapes) -> bool:
        """Bytes alone would not say: what attention takes is the square of one side."""
        return any(self._surpassed_by(name, shape) for name, shape in shapes.items())

    def with_also(self, shapes: Shapes) -> "LargestFeeds":
        sides, values = dict(self.sides), dict(self.values)
        for name, shape in shapes.items():
            before = sides.get((name, len(shape)), shape)
            sides[name, len(shape)] = tuple(map(max, before, shape))
            values[name] = max(math.prod(shape), values.get(name, 0))
        return LargestFeeds(sides, values)

    def _surpassed_by(self, name: str, shape: tuple[int, ...]) -> bool:
        longest = self.sides.get((name, len(shape)))
        if longest is None or math.prod(shape) > self.values[name]:
            return True
        return any(size > most for size, most in zip(shape, longest, strict=True))


@dataclass(frozen=True, slots=True)
class ArenaGrowth:
    """An arena keeps what its largest run needed, until a run gives it back."""

    held_bytes: int = 0
    """Sure enough to be remembered."""
    seen_bytes: int = 0
    """The most that one run grew by that had others beside it: their memory may be in it."""
    largest: LargestFeeds = LargestFeeds()

    @property
    def counted_bytes(self) -> int:
        """All that is to be counted on: better too much than nothing."""
        return self.held_bytes + self.seen_bytes

    def may_grow_with(self, shapes: Shapes) -> bool:
        """As far as shapes say; a run may need more by its values alone."""
        return self.largest.surpassed_by(shapes)

    def after(self, shapes: Shapes, grown_bytes: int, *, alone: bool) -> "ArenaGrowth":
        """Growth is believed of a run that was alone.

        Of one that was no larger than others before it, only the most counts and not the sum: pictures that
        are being read beside it must not add up.
        """
        larger = self.may_grow_with(shapes)
        largest = self.largest.with_also(shapes) if larger else self.largest
        if not alone:
            return replace(self, seen_bytes=max(self.seen_bytes, grown_bytes), largest=largest)
        sum_bytes = self.held_bytes + max(0, grown_bytes)
        held_bytes = sum_bytes if larger else max(self.held_bytes, grown_bytes)
        return replace(self, held_bytes=held_bytes, largest=largest)

    def given_back(self, kept_bytes: int) -> "ArenaGrowth":
        """By a run that has left no more than this in the arena; the next will have it grow anew."""
        return ArenaGrowth(seen_bytes=max(0, kept_bytes))
