"""Pairs of keys and values on a page: `Key: value` in a line, values beside or below their keys, and after dots."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inference.core.contracts import Json, TextLine
from inference.fields.candidate import corners
from inference.fields.items import head_lines
from inference.fields.labels.finding import Label
from inference.fields.page_text import LEADERS, PageText, Piece, page_text
from inference.fields.values import Direction, Labeled, Span

MAX_PAIRS = 150
MAX_KEY_WORDS = 6
MAX_BELOW_CHARACTERS = 60
_KEY = re.compile(r"(?P<key>[^\W\d_][^:：]{0,45}?)\s*[:：](?P<value>\s+\S.*|\s*)$")
_LEADERS = re.compile(LEADERS)
SURE = {
    (True, "inline"): 0.95,
    (False, "inline"): 0.8,
    (True, "beside"): 0.9,
    (False, "beside"): 0.8,
    (True, "below"): 0.7,
    (False, "below"): 0.65,
}
"""The confidence of a pair by whether its key has a colon, and where its value is."""
AFTER_LEADERS = 0.95


@dataclass(frozen=True, slots=True)
class Pair:
    key: Span
    value: Span
    confidence: float

    def as_json(self) -> Json:
        return {
            "key": self.key.text,
            "key_box": corners(self.key.box()) if self.key.piece.is_placed else None,
            "value": self.value.text,
            "value_box": corners(self.value.box()) if self.value.piece.is_placed else None,
            "confidence": round(self.confidence * self.value.piece.confidence, 3),
        }


def page_pairs(lines: Sequence[TextLine], width: float | None, height: float | None) -> list[Json]:
    """Return the pairs of a page from top to bottom. Each value belongs to one key."""
    page = Labeled.of(page_text(lines, width, height))
    best: dict[tuple[int, int], Pair] = {}
    for pair in _found(page):
        place = (pair.value.piece.line, pair.value.piece.start + pair.value.start)
        if place not in best or pair.confidence > best[place].confidence:
            best[place] = pair
    by_key: dict[tuple[int, int], Pair] = {}
    for pair in sorted(best.values(), key=lambda each: -each.confidence):
        by_key.setdefault((pair.key.piece.line, pair.key.piece.start + pair.key.start), pair)
    ordered = sorted(by_key.values(), key=lambda each: (each.key.piece.box.middle, each.key.piece.box.left))
    return [pair.as_json() for pair in ordered[:MAX_PAIRS]]


def _found(page: Labeled) -> Iterator[Pair]:
    heads = head_lines(page.text)
    for piece in page.text.pieces:
        if (piece.line, piece.start) in heads:
            continue
        yield from _after_leaders(page.text, piece)
        labels = [label for label in page.labels_of(piece) if label.at_start or label.has_colon]
        for label in labels:
            yield from _of_label(page, label)
        if not labels and (match := _KEY.match(piece.text)) and len(match["key"].split()) <= MAX_KEY_WORDS:
            yield from _of_key(page, piece, match)


def _after_leaders(page: PageText, piece: Piece) -> Iterator[Pair]:
    """Yield the piece after dots in the same line."""
    end = piece.start + len(piece.text)
    leaders = _LEADERS.match(page.lines[piece.line], end)
    if leaders is None or leaders.end() >= len(page.lines[piece.line]):
        return
    for value in page.beside(piece.box):
        if value.line == piece.line and value.start == leaders.end():
            key = Span(piece, 0, len(piece.text.rstrip(" :")), "inline")
            yield Pair(key, Span(value, 0, len(value.text), "beside"), AFTER_LEADERS)
            return


def _of_label(page: Labeled, label: Label) -> Iterator[Pair]:
    key = Span(label.piece, label.start, label.end, "inline")
    inline = page.inline(label)
    if inline is not None:
        if label.has_colon or any(map(str.isdigit, inline.text)):
            yield Pair(key, inline, SURE[label.has_colon, "inline"])
    elif label.is_alone:
        yield from _elsewhere(page, key, label.has_colon)


def _of_key(page: Labeled, piece: Piece, match: "re.Match[str]") -> Iterator[Pair]:
    key = Span(piece, match.start("key"), match.end("key"), "inline")
    if match["value"].strip():
        start = match.end() - len(match["value"].lstrip())
        yield Pair(key, Span(piece, start, len(piece.text.rstrip()), "inline"), SURE[True, "inline"])
    else:
        yield from _elsewhere(page, key, has_colon=True)


def _elsewhere(page: Labeled, key: Span, has_colon: bool) -> Iterator[Pair]:
    """Yield the value beside a key, or else the one below it."""
    places: tuple[tuple[Direction, list[Piece]], ...] = (
        ("beside", page.text.beside(key.piece.box)[:1]),
        ("below", page.text.below(key.box())[:1]),
    )
    for direction, pieces in places:
        for value in pieces:
            if _is_key(page, value):
                break
            if direction == "below" and len(value.text) > MAX_BELOW_CHARACTERS:
                continue
            yield Pair(key, Span(value, 0, len(value.text), direction), SURE[has_colon, direction])
            return


def _is_key(page: Labeled, piece: Piece) -> bool:
    return page.is_label(piece) or _KEY.match(piece.text) is not None
