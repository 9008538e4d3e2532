"""Rules: the level and upright lines that are drawn on a page, whole again where they were drawn in pieces."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from inference.layout.boxes import Box


@dataclass(frozen=True, slots=True)
class Rule:
    """A line along one axis: where it lies across the axis, and where it begins and ends on it."""

    at: float
    start: float
    end: float

    @property
    def length(self) -> float:
        return self.end - self.start

    def covers(self, start: float, end: float) -> float:
        """Return how much of a stretch lies along the rule, from 0 to 1."""
        return max(0.0, min(self.end, end) - max(self.start, start)) / max(end - start, 1e-6)


@dataclass(frozen=True, slots=True)
class Rules:
    level: tuple[Rule, ...]
    upright: tuple[Rule, ...]


def rules_of(boxes: Iterable[Box], height: float) -> Rules:
    """Return the rules, given the thin boxes around them. `height` is that of a usual line of text."""
    level, upright = [], []
    for box in boxes:
        if box.width >= box.height:
            level.append(Rule(box.middle, box.left, box.right))
        else:
            upright.append(Rule(box.center, box.top, box.bottom))
    near, gap = NEAR * height, GAP * height
    least = LEAST * height
    return Rules(
        tuple(rule for rule in _whole(level, near, gap) if rule.length >= least),
        tuple(rule for rule in _whole(upright, near, gap) if rule.length >= least),
    )


def rules_within(rules: Rules, box: Box) -> Rules:
    """Return the rules in an area and at its sides."""
    level, upright = (
        tuple(rule for rule in found if start - 2 <= rule.at <= end + 2 and rule.covers(*along) > 0)
        for found, start, end, along in (
            (rules.level, box.top, box.bottom, (box.left, box.right)),
            (rules.upright, box.left, box.right, (box.top, box.bottom)),
        )
    )
    return Rules(level, upright)


NEAR = 0.18
"""The distance between two rules that are one, such as the edges of two cells, as a multiple of a line's height."""
GAP = 0.35
"""The white between two pieces of a rule."""
LEAST = 0.5
"""The length of a rule, at least. Shorter ones are dots and strokes."""


def _whole(rules: Sequence[Rule], near: float, gap: float) -> list[Rule]:
    """Join the pieces of each rule."""
    bands: list[list[Rule]] = []
    for rule in sorted(rules, key=lambda each: each.at):
        if bands and rule.at - bands[-1][0].at <= 2 * near and rule.at - bands[-1][-1].at <= near:
            bands[-1].append(rule)
        else:
            bands.append([rule])
    joined: list[Rule] = []
    for band in bands:
        total = sum(max(rule.length, 1e-6) for rule in band)
        at = sum(rule.at * max(rule.length, 1e-6) for rule in band) / total
        start = end = None
        for rule in sorted(band, key=lambda each: each.start):
            if end is None or start is None:
                start, end = rule.start, rule.end
            elif rule.start <= end + gap:
                end = max(end, rule.end)
            else:
                joined.append(Rule(at, start, end))
                start, end = rule.start, rule.end
        if start is not None and end is not None:
            joined.append(Rule(at, start, end))
    return joined
