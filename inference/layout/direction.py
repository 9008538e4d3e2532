"""The direction in which a text is read."""

import unicodedata
from collections.abc import Iterable

_FROM_RIGHT = frozenset({"R", "AL"})


def runs_from_right(texts: Iterable[str]) -> bool:
    """Return whether most letters belong to a script that is written from right to left."""
    balance = 0
    for text in texts:
        if text.isascii():
            balance -= sum(map(str.isalpha, text))
            continue
        for char in text:
            direction = unicodedata.bidirectional(char)
            balance += (direction in _FROM_RIGHT) - (direction == "L")
    return balance > 0


def has_right_to_left(text: str) -> bool:
    """Return whether any letter belongs to a script that is written from right to left."""
    return not text.isascii() and any(unicodedata.bidirectional(char) in _FROM_RIGHT for char in text)
