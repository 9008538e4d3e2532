"""The texts around a value, by which its place is found on a page where it has moved."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from inference.layout.boxes import Box
from inference.own_fields.definition import Neighbor, Trace
from inference.own_fields.page import Sheet, fingerprint, head_of

MAX_NEIGHBORS = 14
MAX_SAME = 6
"""The places of a text on a page that are looked at."""
NEAR_ACROSS, NEAR_LINES = 0.06, 1.6
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
    votes: list[tuple[float, float, float, str]] = []
    for rank, neighbor in enumerate(trace.neighbors):
        for piece in sheet.fingerprints.get(neighbor.fingerprint, ())[:MAX_SAME]:
            left, middle = piece.box.left - neighbor.across * width, piece.box.middle - neighbor.down * height
            votes.append((left, middle, 1 / (1 + 0.25 * rank), neighbor.fingerprint))
    if not votes:
        return None

    def near(vote: tuple[float, float, float, str]) -> list[tuple[float, float, float, str]]:
        return [
            other
            for other in votes
            if abs(other[0] - vote[0]) <= NEAR_ACROSS * width and abs(other[1] - vote[1]) <= NEAR_LINES * line
        ]

    best = max(map(near, votes), key=lambda group: sum(vote[2] for vote in group))
    weight = sum(1 / (1 + 0.25 * rank) for rank in range(len(trace.neighbors)))
    prints = {vote[3]: vote[2] for vote in best}
    return Expected(
        median(vote[0] for vote in best),
        median(vote[1] for vote in best),
        min(1.0, sum(prints.values()) / weight),
        len(prints),
    )
