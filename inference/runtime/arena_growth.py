"""The growth of ONNX Runtime's arena of a session, as far as runs have shown it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

Shapes = Mapping[str, tuple[int, ...]]
"""The shapes of a run's inputs by name."""


@dataclass(frozen=True, slots=True)
class LargestFeeds:
    """The longest size of each dimension of each input so far, and the most values of each input."""

    sides: Mapping[tuple[str, int], tuple[int, ...]] = field(default_factory=dict)
    """The sizes by name and number of dimensions."""
    values: Mapping[str, int] = field(default_factory=dict)

    def surpassed_by(self, shapes: Shapes) -> bool:
        """Return whether a run is larger. Bytes alone do not show it: attention takes the square of a side."""
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
    """The growth of an arena, which keeps the memory of its largest run until a run gives it back."""

    held_bytes: int = 0
    """The growth that is certain enough to be remembered."""
    seen_bytes: int = 0
    """The largest growth of a run that had others beside it, whose memory may be included."""
    largest: LargestFeeds = LargestFeeds()

    @property
    def counted_bytes(self) -> int:
        """Return all growth to plan for. It is better to count too much than nothing."""
        return self.held_bytes + self.seen_bytes

    def may_grow_with(self, shapes: Shapes) -> bool:
        """Return whether the shapes allow growth. A run may need more because of its values alone."""
        return self.largest.surpassed_by(shapes)

    def after(self, shapes: Shapes, grown_bytes: int, *, alone: bool) -> "ArenaGrowth":
        """Add the growth of a run, which is trusted if the run was alone. If it was no larger than earlier runs, only
        the largest growth counts: images that are read beside it must not add up.
        """
        larger = self.may_grow_with(shapes)
        largest = self.largest.with_also(shapes) if larger else self.largest
        if not alone:
            return replace(self, seen_bytes=max(self.seen_bytes, grown_bytes), largest=largest)
        sum_bytes = self.held_bytes + max(0, grown_bytes)
        held_bytes = sum_bytes if larger else max(self.held_bytes, grown_bytes)
        return replace(self, held_bytes=held_bytes, largest=largest)

    def given_back(self, kept_bytes: int) -> "ArenaGrowth":
        """Return the state after a run that left no more than this in the arena. The next run makes it grow again."""
        return ArenaGrowth(seen_bytes=max(0, kept_bytes))
