"""A candidate for a field: a value on a page, and how much speaks for it."""

from collections.abc import Mapping
from dataclasses import dataclass

from inference.core.contracts import Json
from inference.fields.page_text import PageText
from inference.fields.values import Span
from inference.layout.boxes import Box


@dataclass(frozen=True, slots=True)
class Candidate:
    name: str
    value: str
    """The value as it is written."""
    normalized: str | None
    box: Box | None
    quote: str
    """The text of the line that shows it."""
    score: float
    """The evidence for it, from 0 to 1."""
    confidence: float
    """The confidence of the reading."""
    options: tuple[str, ...] = ()
    """The ISO dates that it may mean, if there are several."""
    rate: str | None = None
    """The tax rate that stands beside an amount of tax."""
    top: float = 0.0
    """The position down the page, from 0 to 1."""

    def as_json(self) -> Json:
        return {
            "name": self.name,
            "value": self.value,
            "normalized": self.normalized,
            "box": corners(self.box),
            "quote": self.quote,
            "score": round(self.score, 3),
            "confidence": round(self.confidence, 3),
            "options": list(self.options),
            "rate": self.rate,
            "top": round(self.top, 3),
        }

    @classmethod
    def of_json(cls, found: Mapping[str, Json]) -> "Candidate":
        return cls(
            str(found["name"]),
            str(found["value"]),
            found["normalized"],
            None if found["box"] is None else Box.of_corners(found["box"]),
            str(found["quote"]),
            float(found["score"]),
            float(found["confidence"]),
            tuple(found["options"]),
            found["rate"],
            float(found["top"]),
        )


def candidate(
    page: PageText,
    name: str,
    span: Span,
    place: tuple[int, int],
    *,
    normalized: str | None,
    score: float,
    options: tuple[str, ...] = (),
    rate: str | None = None,
) -> Candidate:
    """Return a candidate for the part of a span that is at a place in it."""
    start, end = place
    piece = span.piece
    return Candidate(
        name=name,
        value=span.text[start:end],
        normalized=normalized,
        box=span.box(start, end) if piece.is_placed else None,
        quote=page.lines[piece.line],
        score=score * min(1.0, 0.3 + 0.75 * piece.confidence),
        confidence=piece.confidence,
        options=options,
        rate=rate,
        top=min(1.0, max(0.0, piece.box.middle / page.height)),
    )


def corners(box: Box | None) -> Json:
    return None if box is None else [[round(x, 1), round(y, 1)] for x, y in box.corners()]
