"""The order of a line's characters on the page from left to right. This module is pure."""

import unicodedata
from collections.abc import Iterable
from itertools import groupby

_RIGHT_TO_LEFT = frozenset({"R", "AL"})
_LEFT_TO_RIGHT = frozenset({"L", "EN", "AN"})


def visual_order(text: str) -> str:
    """Return a text in the order in which it looks. PDF readers reverse text that is written from right to left, so it
    has to be drawn as it looks.

    This handles one level: words and numbers that run the other way within a line stay as they are.
    """
    directions = [unicodedata.bidirectional(char) for char in text]
    strong = [direction for direction in directions if direction == "L" or direction in _RIGHT_TO_LEFT]
    if not _RIGHT_TO_LEFT.intersection(strong):
        return text
    from_the_right = strong[0] in _RIGHT_TO_LEFT
    parts = _parts(text, directions, from_the_right=from_the_right)
    return "".join(reversed(parts) if from_the_right else parts)


def _parts(text: str, directions: list[str], *, from_the_right: bool) -> list[str]:
    """Split a line and reverse its right-to-left parts. Characters between words run in the line's direction."""
    turned = [
        direction in _RIGHT_TO_LEFT or (from_the_right and direction not in _LEFT_TO_RIGHT)
        for direction in directions
    ]
    runs = groupby(zip(text, turned, strict=True), key=lambda pair: pair[1])
    return [
        _turned(pair[0] for pair in run) if back else "".join(pair[0] for pair in run) for back, run in runs
    ]


def _turned(chars: Iterable[str]) -> str:
    letters: list[str] = []
    for char in chars:
        # A combining mark stays after the letter that carries it.
        if letters and unicodedata.combining(char):
            letters[-1] += char
        else:
            letters.append(char)
    return "".join(reversed(letters))
