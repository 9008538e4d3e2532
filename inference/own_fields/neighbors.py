"""The texts around a value, by which its place is found on a page where it has moved."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from inference.layout.boxes import Box
from inference.own_fields.definition import Neighbor, Trace
from inference.own_fields.page import Sheet, fingerprint, head_of

MAX_NEIGHBORS = 14
MAX_SAME = 6
"""The places of a text on a page that are looked at."""
NEAR_ACROSS, NEAR_LINES = 0.05, 0.7
"""The width, as a share of the page, and the heights of lines within which places are the same."""


@dataclass(frozen=True, slots=True)
class Expected:
    """The place where a value is to be expected."""

    left: float
    middle: float
    support: float
    """The share of the neighbors that say so, those nearby counting more."""
    count: int


def neighbors_of(sheet: Sheet, value: Box, lines: Sequence[int]) -> tuple[Neighbor, ...]:
    """Return the nearest texts around a value, but for its own lines if they hold nothing else."""
    width, height = sheet.text.width, sheet.text.height
    found: list[tuple[float, Neighbor]] = []
    for piece in sheet.text.pieces:
        print_ = fingerprint(head_of(piece.text))
        if not print_ or value.holds(piece.box) or (piece.line in lines and piece.box.left >= value.left - 1):
            continue
        across, down = piece.box.left - value.left, piece.box.middle - value.middle
        distance = abs(across) / width + 2.5 * abs(down) / height
        found.append((distance, Neighbor(print_, across / width, down / height)))
    nearest = sorted(found, key=lambda each: each[0])[:MAX_NEIGHBORS]
    return tuple(neighbor for _, neighbor in nearest)


def expected_place(sheet: Sheet, trace: Trace) -> Expected | None:
    """Return where most of the neighbors that are on a page expect the value, or None if none is there."""
    width, height, line = sheet.text.width, sheet.text.height, sheet.text.line_height
    votes: list[_Vote] = []
    weights, fingerprints = _weights(len(trace.neighbors)), sheet.fingerprints
    for weight, neighbor in zip(weights, trace.neighbors, strict=True):
        for piece in fingerprints.get(neighbor.fingerprint, ())[:MAX_SAME]:
            left, middle = piece.box.left - neighbor.across * width, piece.box.middle - neighbor.down * height
            votes.append(_Vote(left, middle, weight, neighbor.fingerprint))
    if not votes:
        return None

    best = max(_agreeing(votes, NEAR_ACROSS * width, NEAR_LINES * line), key=_weight_of)
    prints = {vote.fingerprint: vote.weight for vote in best}
    nearest = max(best, key=lambda vote: vote.weight)
    return Expected(nearest.left, nearest.middle, min(1.0, sum(prints.values()) / sum(weights)), len(prints))


@dataclass(frozen=True, slots=True)
class _Vote:
    left: float
    middle: float
    weight: float
    fingerprint: str


def _agreeing(votes: Sequence[_Vote], across: float, down: float) -> Iterator[list[_Vote]]:
    """Yield the votes for a place together, for each place that is not yet among them."""
    counted: set[int] = set()
    for number, vote in enumerate(votes):
        if number in counted:
            continue
        numbers = [
            at
            for at, other in enumerate(votes)
            if abs(other.left - vote.left) <= across and abs(other.middle - vote.middle) <= down
        ]
        counted.update(numbers)
        yield [votes[at] for at in numbers]


def _weight_of(votes: Sequence[_Vote]) -> float:
    return sum(vote.weight for vote in votes)


@cache
def _weights(count: int) -> tuple[float, ...]:
    """Return how much each neighbor counts by its rank among the nearest."""
    return tuple(1 / (1 + 0.4 * rank) for rank in range(count))
