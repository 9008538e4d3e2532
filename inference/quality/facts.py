"""The facts about a reading from which its quality follows."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from inference.core.contracts import Quad, TextLine
from inference.layout.boxes import Box

LOW_CONFIDENCE = 0.9
"""The confidence below which a line is doubtful. Clean print is mostly above 0.97."""


@dataclass(frozen=True, slots=True)
class UnreadLine:
    """A line that was found and not read, or that has letters which the model does not know."""

    box: Quad
    script: str | None
    """The script that the model does not know, or `handwriting`, or None for a line that could not be read."""

    @property
    def length(self) -> float:
        return length_of(self.box)


@dataclass(frozen=True, slots=True)
class ReadingFacts:
    characters: int
    unread_share: float
    """The share of the lines that could not be read, a long line counting more."""
    mean_doubt: float
    """The mean of what the confidence of the lines lacks to 1, a long line counting more."""
    doubtful_share: float
    """The share of the characters in doubtful lines."""
    line_height: float
    """The usual height of a line in pixels."""
    order_certainty: float


def facts_of(lines: Sequence[TextLine], unread: Sequence[UnreadLine], order_certainty: float) -> ReadingFacts:
    weights = [len(line.text.replace(" ", "")) for line in lines]
    total = sum(weights)
    unread_share = _unread_share(lines, unread)
    if not total:
        return ReadingFacts(0, unread_share, 0.0, 0.0, 0.0, order_certainty)
    doubts = [0.0 if line.confidence is None else 1 - line.confidence for line in lines]
    pairs = list(zip(doubts, weights, strict=True))
    return ReadingFacts(
        characters=total,
        unread_share=unread_share,
        mean_doubt=sum(doubt * weight for doubt, weight in pairs) / total,
        doubtful_share=sum(weight for doubt, weight in pairs if doubt > 1 - LOW_CONFIDENCE) / total,
        line_height=_usual_height(lines),
        order_certainty=order_certainty,
    )


def _unread_share(lines: Sequence[TextLine], unread: Sequence[UnreadLine]) -> float:
    missing = sum(line.length for line in unread)
    read = sum(length_of(line.box) for line in lines if line.box is not None)
    return missing / (missing + read) if missing else 0.0


def length_of(corners: Quad) -> float:
    """Return the length of a line as a multiple of its height."""
    box = Box.of_corners(corners)
    return max(box.width, box.height) / max(1.0, min(box.width, box.height))


def _usual_height(lines: Sequence[TextLine]) -> float:
    heights = [Box.of_corners(line.box).height for line in lines if line.box is not None]
    return median(heights) if heights else 0.0
