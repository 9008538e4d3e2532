"""Labels that recognition misread: found by what is nearly the same at the start of a piece."""

from collections.abc import Iterable, Mapping, Sequence

from inference.fields.labels.finding import Label, label_at
from inference.fields.page_text import Piece
from inference.own_fields.page import Sheet, letters_of

LETTERS_PER_MISTAKE = 8
"""The letters of a label for each that may be wrong. Short labels are too easily those of another field."""
MAX_MISTAKES = 2
OWN = "own"
"""The language of the labels of own fields."""


def add_misread(sheets: Sequence[Sheet], missing: Mapping[str, Iterable[str]]) -> None:
    """Add the labels that are on no page exactly, but nearly, to the labels of the pages.

    `missing` are the labels by their role.
    """
    wanted = [(role, letters_of(label)) for role, labels in missing.items() for label in labels]
    wanted = [(role, letters) for role, letters in wanted if len(letters) >= LETTERS_PER_MISTAKE]
    if not wanted:
        return
    for sheet in sheets:
        for piece, letters in sheet.heads:
            if sheet.labeled.is_label(piece):
                continue
            for role, label in wanted:
                if letters[:1] == label[:1] and (found := _found(piece, letters, label, role)):
                    sheet.labels.setdefault(role, []).append(found)


def _found(piece: Piece, letters: str, label: str, role: str) -> Label | None:
    """Return the label that a piece nearly begins with, up to the end of a word."""
    for length in _nearly_starts(letters, label):
        found = _label(piece, length, role)
        if not piece.text[found.end : found.end + 1].isalpha():
            return found
    return None


def _label(piece: Piece, length: int, role: str) -> Label:
    """Return the label that the first letters of a piece are."""
    end = 0
    while end < len(piece.text) and length > 0:
        length -= len(letters_of(piece.text[end]))
        end += 1
    return label_at(piece, 0, end, {OWN: frozenset({role})}, end)


def _nearly_starts(letters: str, label: str) -> list[int]:
    """Return how many letters of a text may be the label, those with the fewest mistakes first."""
    most = min(MAX_MISTAKES, len(label) // LETTERS_PER_MISTAKE)
    if len(letters) < len(label) - most or not _shares_pairs(letters, label, most):
        return []
    row = list(range(len(label) + 1))
    found: list[tuple[int, int]] = []
    for at, letter in enumerate(letters[: len(label) + most], 1):
        last, row[0] = row[0], at
        for place, wanted in enumerate(label, 1):
            last, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, last + (letter != wanted))
        if row[-1] <= most:
            found.append((row[-1], at))
    return [at for _, at in sorted(found)]


def _shares_pairs(letters: str, label: str, most: int) -> bool:
    """Return whether enough pairs of letters of a label are in a text. One mistake changes two of them."""
    pairs = {label[at : at + 2] for at in range(len(label) - 1)}
    start = letters[: len(label) + most]
    return sum(pair in start for pair in pairs) >= len(pairs) - 2 * most
