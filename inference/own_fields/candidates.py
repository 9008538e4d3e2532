"""Candidates for the value of an own field, and how much speaks for each."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from inference.core.contracts import Json
from inference.fields.candidate import corners
from inference.fields.labels.finding import Label
from inference.fields.page_text import Piece
from inference.fields.values import Span
from inference.layout.boxes import Box
from inference.own_fields.definition import OwnField
from inference.own_fields.page import Part, Sheet, below_of, ends_with_colon, letters_of
from inference.own_fields.shapes import likeness
from inference.own_fields.values import ORDERS, Style, Value, values_in

_LEAD = re.compile(r"[\s.,;:：#№°º*()\[\]|–—-]*")
_BRACKETED = re.compile(r"\s*[(\[][^()\[\]]{1,30}[)\]]\s*:?\s*")
_NEXT_KEY = re.compile(r"\s(?=[^\W\d_][\w./-]{1,24}(?: [\w./-]{1,16}){0,2}\s?[:：](?:\s|$))")
MAX_TEXT_WORDS = 30
MAX_UNIT = 4
"""The letters of a unit or of the code before a number, at most."""
MAX_REST = {"identifier": 0, "number": MAX_UNIT, "amount": MAX_UNIT}
"""The letters behind a value that stands beside or below its label, at most, by its type."""


@dataclass(frozen=True, slots=True)
class Found:
    page: int
    parts: tuple[Part, ...]
    normalized: str | None
    score: float
    quotes: tuple[str, ...]
    options: tuple[str, ...] = ()
    label: str = ""

    @property
    def value(self) -> str:
        return "\n".join(part.text for part in self.parts)

    @property
    def box(self) -> Box | None:
        if not all(part.piece.is_placed for part in self.parts):
            return None
        return Box.around(part.box for part in self.parts)

    def scored(self, factor: float) -> "Found":
        score = self.score * factor
        return Found(self.page, self.parts, self.normalized, score, self.quotes, self.options, self.label)

    def as_json(self, own: OwnField) -> dict[str, Json]:
        reading = min(part.piece.confidence for part in self.parts)
        certainty = self.score if self.normalized is not None or not self.options else min(0.5, self.score)
        entry: dict[str, Json] = {
            "name": own.name,
            "value": self.value,
            "normalized": self.normalized,
            "type": own.type,
            "page": self.page,
            "box": corners(self.box),
            "quote": "\n".join(self.quotes),
            "confidence": round(min(0.99, certainty) * min(1.0, 0.2 + 0.82 * reading), 3),
        }
        if self.options and self.normalized is None:
            entry["ambiguous"] = list(self.options)
        return {**entry, "label": self.label} if self.label else entry


@dataclass(frozen=True)
class Wanted:
    """A field with what its examples taught, ready to be looked for."""

    own: OwnField
    number: int
    labels: tuple[str, ...] = field(init=False)
    shapes: tuple[str, ...] = field(init=False)
    afters: frozenset[str] = field(init=False)
    neighbors: frozenset[str] = field(init=False)
    """The fingerprints of the texts that stand around the value, which are no values."""

    def __post_init__(self) -> None:
        traces = self.own.traces
        object.__setattr__(self, "labels", self.own.all_labels)
        object.__setattr__(self, "shapes", tuple(dict.fromkeys(trace.shape for trace in traces if trace.shape)))
        object.__setattr__(self, "afters", frozenset(trace.after for trace in traces if trace.after))
        prints = (neighbor.fingerprint for trace in traces for neighbor in trace.neighbors)
        object.__setattr__(self, "neighbors", frozenset(prints))

    @property
    def role(self) -> str:
        return str(self.number)

    @property
    def has_changing_labels(self) -> bool:
        """Return whether what stands beside the value is another text in each example, and so no label."""
        labels = [trace.label for trace in self.own.traces]
        return len(labels) > 1 and len(set(map(letters_of, labels))) == len(labels)

    @property
    def max_lines(self) -> int:
        """Return the printed lines that a value may have. It has several only if an example had several."""
        most = max((shape.count("\n") + 1 for shape in self.shapes), default=1)
        return 1 if most == 1 else most + 3

    def style_on(self, sheet: Sheet) -> Style:
        """Return how a page writes dates and numbers, or else how the examples did."""
        traces = self.own.traces
        taught = next((ORDERS[trace.date_order] for trace in traces if trace.date_order in ORDERS), None)
        decimal = next((trace.decimal for trace in traces if trace.decimal), None)
        return Style(sheet.style.order or taught, sheet.style.decimal or decimal)


def best_value(wanted: Wanted, text: str, style: Style, *, whole: bool = False) -> Value | None:
    """Return the value in a text that is most like the examples, with how sure it is, or None.

    With `whole` the text should have hardly anything else in it.
    """
    values = [(_sure(wanted, text, value), value) for value in values_in(text, wanted.own.type, style)]
    score, best = max(values, key=lambda each: (each[0], -each[1].start), default=(0.0, None))
    if best is None or score <= 0:
        return None
    score *= _alone(wanted, text[best.end :]) if whole else 1.0
    return Value(best.start, best.end, best.normalized, score, best.options)


def _alone(wanted: Wanted, rest: str) -> float:
    """Return how likely a value is one that has a text behind it."""
    most = MAX_REST.get(wanted.own.type)
    return 1.0 if most is None or sum(map(str.isalpha, rest)) <= most else 0.6


def _sure(wanted: Wanted, text: str, value: Value) -> float:
    written = text[value.start : value.end]
    if wanted.own.type == "text":
        return value.score * _like_texts(written, wanted.shapes)
    lead, rest = text[: value.start], text[value.end :].strip(" .,;)")
    before = _LEAD.sub("", lead)
    start = 1.0 if not before else 0.8 if len(before.split()) <= 2 else 0.6
    if ":" in lead.rstrip(" :：") and before:
        start = 0.5
    if wanted.own.type == "identifier":
        return value.score * start * _like_identifiers(written, rest, wanted.shapes)
    return value.score * start * (1.0 if len(rest) <= 12 else 0.9)


def _like_identifiers(written: str, rest: str, shapes: Sequence[str]) -> float:
    if shapes:
        return likeness(written, shapes) * (0.95 if rest else 1.0)
    words = written.split()
    parts = [any(map(str.isdigit, word)) or (word.isupper() and len(word) <= MAX_UNIT) for word in words]
    return (1.0 if not rest else 0.85) * (1.0 if len(words) == 1 else 0.95 if all(parts) else 0.7)


def _like_texts(written: str, shapes: Sequence[str]) -> float:
    words = len(written.split())
    if words > MAX_TEXT_WORDS:
        return 0.5
    if not shapes:
        return 0.95 if words <= 12 else 0.8
    digits = sum(map(str.isdigit, written)) > sum(map(str.isalpha, written))
    if digits and not any(shape.count("9") > shape.count("a") + shape.count("A") for shape in shapes):
        return 0.5
    most = max(len(shape.split()) for shape in shapes)
    return 0.95 if words <= 2 * most + 4 else 0.7


def found_in(wanted: Wanted, sheet: Sheet, span: Span) -> Found | None:
    """Return the value of a field in a span, or None if there is none of its type."""
    text = span.text
    if wanted.own.type == "text":
        text = _cut(wanted, text)
    value = best_value(wanted, text, wanted.style_on(sheet), whole=span.direction != "inline")
    if value is None:
        return None
    part = Part(span.piece, span.start + value.start, span.start + value.end)
    quote = sheet.text.lines[span.piece.line]
    return Found(sheet.number, (part,), value.normalized, value.score, (quote,), value.options)


def _cut(wanted: Wanted, text: str) -> str:
    """Return a text up to the next key with a colon, or up to the word that followed in an example."""
    match = _NEXT_KEY.search(text)
    return text[: match.start()] if match else text


def label_quality(label: Label) -> float:
    """Return how much a label stands for itself: at the start of a text, before a colon, or within a sentence."""
    if label.piece.text[label.start - 1 : label.start] == "-":
        return 0.4  # It is the end of another label, such as `Nr.` in `Auftrags-Nr.`
    if label.at_start:
        return 1.0 if label.has_colon or label.is_alone else 0.92
    return 0.8 if label.has_colon else 0.62


def without_brackets(span: Span) -> Span | None:
    """Return a span without a unit in brackets at its start, or None if nothing else is in it."""
    match = _BRACKETED.match(span.text)
    if match is None:
        return span
    start = span.start + match.end()
    return Span(span.piece, start, span.end, span.direction) if start < span.end else None


def is_key(text: str) -> bool:
    """Return whether a text is a key with a colon, with or without its value."""
    head, sign, _ = text.partition(":")
    return ends_with_colon(text) or (
        bool(sign) and 2 <= len(head) <= 40 and sum(map(str.isalpha, head)) > len(head) // 2
    )


def continued(wanted: Wanted, sheet: Sheet, found: Found, stops: frozenset[str]) -> Found:
    """Return a text with the lines below it that belong to it, where an example had several lines."""
    parts, quotes = list(found.parts), list(found.quotes)
    for piece in _lines_below(wanted, sheet, parts[-1], stops):
        parts.append(Part(piece, 0, len(piece.text)))
        quotes.append(sheet.text.lines[piece.line])
        if len(parts) >= wanted.max_lines:
            break
    normalized = ", ".join(" ".join(part.text.split()).rstrip(",") for part in parts)
    return replace(found, parts=tuple(parts), quotes=tuple(quotes), normalized=normalized)


def _lines_below(wanted: Wanted, sheet: Sheet, last: Part, stops: frozenset[str]) -> Iterator[Piece]:
    box, line = last.box, sheet.text.line_height
    for _ in range(wanted.max_lines):
        below = [
            piece
            for piece in below_of(sheet, box, 1.0)
            if abs(piece.box.left - box.left) <= 0.8 * line and piece.box.middle - box.middle <= 2.0 * line
        ]
        if not below or is_key(below[0].text) or sheet.labeled.is_label(below[0]):
            return
        box = below[0].box
        yield below[0]
