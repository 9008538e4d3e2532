"""Pairs of keys and values on a page: `Key: value` in a line, and values beside or below a key with a colon.

Only a colon says that a text is a key. What stands beside a word in a table or in prose is no value of it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inference.core.contracts import Json, TextLine
from inference.fields.candidate import corners
from inference.fields.page_text import PageText, Piece, page_text
from inference.fields.values import Direction, Span

MAX_PAIRS = 150
MAX_KEY_WORDS = 6
MAX_VALUE_WORDS = 8
MAX_VALUE_CHARACTERS = 60
_KEY = re.compile(r"(?P<key>[^\W\d_][^:：]{1,45}?)\s*[:：](?P<value>\s+\S.*|\s*)$")
_ANOTHER_KEY = re.compile(r"[^\W\d_][:：](?:\s|$)")
_LETTERS = re.compile(r"[^\W\d_]")
SURE = {"inline": 0.95, "beside": 0.9, "below": 0.7}
"""The confidence of a pair by where its value is."""


@dataclass(frozen=True, slots=True)
class Pair:
    key: Span
    value: Span

    def as_json(self) -> Json:
        sure = SURE[self.value.direction] * self.value.piece.confidence
        return {
            "key": self.key.text,
            "key_box": corners(self.key.box()),
            "value": self.value.text,
            "value_box": corners(self.value.box()),
            "confidence": round(sure, 3),
        }


def page_pairs(lines: Sequence[TextLine], width: float | None, height: float | None) -> list[Json]:
    """Return the pairs of a page from top to bottom. Each value belongs to one key, and has a place on the page."""
    placed = [line for line in lines if line.box is not None]
    if not any(":" in line.text or "：" in line.text for line in placed):
        return []
    best: dict[tuple[int, int], Pair] = {}
    for pair in _found(page_text(placed, width, height)):
        place = (pair.value.piece.line, pair.value.piece.start + pair.value.start)
        if place not in best or SURE[pair.value.direction] > SURE[best[place].value.direction]:
            best[place] = pair
    ordered = sorted(best.values(), key=lambda each: (each.key.piece.box.middle, each.key.piece.box.left))
    return [pair.as_json() for pair in ordered[:MAX_PAIRS]]


def _found(page: PageText) -> Iterator[Pair]:
    for piece in page.pieces:
        match = _KEY.match(piece.text)
        if match is None or not _is_name(match["key"]):
            continue
        key = Span(piece, match.start("key"), match.end("key"), "inline")
        written = match["value"].strip()
        value = _inline(piece, written) if written else _elsewhere(page, key)
        if value is not None:
            yield Pair(key, value)


def _is_name(key: str) -> bool:
    """Return whether a text may be a key: few words, of letters, that do not begin in the middle of a sentence."""
    return (
        len(key.split()) <= MAX_KEY_WORDS
        and not key[0].islower()
        and len(_LETTERS.findall(key)) >= 2
        and not any(sign in key for sign in ".;?!" if not key.endswith(sign))
    )


def _is_value(text: str) -> bool:
    """Return whether a text is short enough for a value, and has no key of its own."""
    return (
        len(text) <= MAX_VALUE_CHARACTERS
        and len(text.split()) <= MAX_VALUE_WORDS
        and any(map(str.isalnum, text))
        and not _ANOTHER_KEY.search(text)
    )


def _inline(piece: Piece, written: str) -> Span | None:
    end = len(piece.text.rstrip())
    return Span(piece, end - len(written), end, "inline") if _is_value(written) else None


def _elsewhere(page: PageText, key: Span) -> Span | None:
    """Return the value beside a key, or else the one below it."""
    places: tuple[tuple[Direction, list[Piece]], ...] = (
        ("beside", page.beside(key.piece.box)[:1]),
        ("below", page.below(key.box())[:1]),
    )
    for direction, pieces in places:
        for piece in pieces:
            if _KEY.match(piece.text):
                break
            return Span(piece, 0, len(piece.text), direction) if _is_value(piece.text) else None
    return None
