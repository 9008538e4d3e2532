"""Count the wrong characters of a reading by the places of its lines, whatever their order on the page."""

import unicodedata
from collections.abc import Sequence

import numpy as np

from inference.factory.measures.text import edit_distance

Corners = Sequence[Sequence[float]]
"""The corners of a box, as (x, y)."""
Located = tuple[str, Corners]
"""A text and its box."""


def folded(text: str) -> str:
    """Return the text in Unicode's composed form (NFC), with white space as single spaces."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def true_length(words: Sequence[Located]) -> int:
    """Return the number of characters of the true words, with the spaces between them."""
    return len(folded(" ".join(text for text, _ in words)))


def located_edits(words: Sequence[Located], lines: Sequence[Located]) -> int:
    """Return the edits from the true words to the read lines, where each line is compared with the words in its box.

    Words in no box are missing, and count in full.
    """
    if not words:
        return sum(len(folded(text)) for text, _ in lines)
    centers = np.array([np.mean(box, axis=0) for _, box in words])
    owner, distance = np.full(len(words), -1), np.full(len(words), np.inf)
    for number, (_, box) in enumerate(lines):
        (left, top), (right, bottom) = np.min(box, axis=0), np.max(box, axis=0)
        x, y = centers.T
        away = np.abs(y - (top + bottom) / 2)
        nearer = (x >= left) & (x <= right) & (y >= top) & (y <= bottom) & (away < distance)
        owner[nearer], distance[nearer] = number, away[nearer]
    wrong = sum(len(words[place][0]) + 1 for place in map(int, np.flatnonzero(owner < 0)))
    for number, (text, _) in enumerate(lines):
        places = np.flatnonzero(owner == number)
        orders = (places, places[np.argsort(centers[places, 0], kind="stable")])
        wrong += min(
            edit_distance(folded(" ".join(words[int(place)][0] for place in order)), folded(text)) for order in orders
        )
    return wrong
