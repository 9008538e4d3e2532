"""The heads of the columns of line items, such as `Quantity` and `Unit price`."""

from inference.fields.labels.finding import phrase_at, spell
from inference.fields.labels.vocabulary import column_heads
from inference.fields.page_text import PageText

MIN_HEADS, MAX_HEADS = 3, 15


def heads_in(text: str) -> list[frozenset[str]]:
    """Return what the heads of columns in a text may name, if it is nothing but heads."""
    vocabulary, spelling = column_heads(), spell(text)
    found: list[frozenset[str]] = []
    place = 0
    while place < len(spelling.letters):
        phrase = phrase_at(vocabulary, spelling, place)
        if phrase is None:
            rest = spelling.letters[place:]
            return found if rest in _UNITS else []
        roles = {role.removeprefix("column_") for each in vocabulary.roles[phrase].values() for role in each}
        found.append(frozenset(roles))
        place += len(phrase)
        while place not in spelling.starts and place < len(spelling.letters):
            place += 1
    return found


_UNITS = frozenset(("", "eur", "lneur", "euro", "usd", "gbp", "chf", "enchf", "eneur", "ht", "ln"))


def head_lines(page: PageText) -> set[tuple[int, int]]:
    """Return the pieces that are heads of the columns of items, by line and start."""
    heads = [(piece, found) for piece in page.pieces if (found := heads_in(piece.text))]
    lines: set[tuple[int, int]] = set()
    for place, (piece, _) in enumerate(heads):
        near = heads[max(0, place - MAX_HEADS) : place + MAX_HEADS]
        row = [(other, found) for other, found in near if other.box.shares_height(piece.box) >= 0.5]
        names = [name for _, found in row for name in found]
        if len(names) >= MIN_HEADS and any("description" in name or "quantity" in name for name in names):
            lines.update((other.line, other.start) for other, _ in row)
    return lines
