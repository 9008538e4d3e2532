"""The facts about a reading from which its quality follows."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from inference.core.contracts import TextLine
from inference.layout.boxes import Box

LOW_CONFIDENCE = 0.9
"""The confidence below which a line is doubtful. Clean print is mostly above 0.97."""


@dataclass(frozen=True, slots=True)
class ReadingFacts:
    characters: int
    mean_confidence: float
    """The mean confidence of the lines, a long line counting more."""
    doubtful_share: float
    """The share of the characters in doubtful lines."""
    worst_confidence: float
    """The confidence below which a tenth of the characters was read."""
    line_height: float
    """The usual height of a line in pixels."""
    order_certainty: float


def facts_of(lines: Sequence[TextLine], order_certainty: float) -> ReadingFacts:
    weights = [len(line.text.replace(" ", "")) for line in lines]
    total = sum(weights)
    if not total:
        return ReadingFacts(0, 1.0, 0.0, 1.0, 0.0, order_certainty)
    confidences = [1.0 if line.confidence is None else line.confidence for line in lines]
    pairs = sorted(zip(confidences, weights, strict=True))
    return ReadingFacts(
        characters=total,
        mean_confidence=sum(confidence * weight for confidence, weight in pairs) / total,
        doubtful_share=sum(weight for confidence, weight in pairs if confidence < LOW_CONFIDENCE) / total,
        worst_confidence=_at_share(pairs, total / 10),
        line_height=_usual_height(lines),
        order_certainty=order_certainty,
    )


def _at_share(pairs: Sequence[tuple[float, int]], wanted: float) -> float:
    for confidence, weight in pairs:
        wanted -= weight
        if wanted <= 0:
            return confidence
    return pairs[-1][0]


def _usual_height(lines: Sequence[TextLine]) -> float:
    heights = [Box.of_corners(line.box).height for line in lines if line.box is not None]
    return median(heights) if heights else 0.0
