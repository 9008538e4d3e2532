"""The heads of columns over rows of a page, where no table says which they are."""

from collections.abc import Sequence
from dataclasses import dataclass

from inference.fields.labels.vocabulary import column_heads, spelled
from inference.fields.page_text import Piece
from inference.layout.boxes import Box
from inference.own_fields.page import Sheet, ends_with_colon

MIN_HEADS = 3
MAX_ROWS = 80
STEP_LINES = 3.0
"""The height from one row to the next, at most."""
MIN_ITEM_HEADS = 2
"""The heads, at least, that are usual over items of a list, such as quantities. Their rows have no names."""


@dataclass(frozen=True, slots=True)
class Rows:
    head: Piece
    """The head over the value."""
    heads: Sequence[Piece]
    name: Piece | None
    """The text that names the row of the value, if each row has another name."""


def rows_around(sheet: Sheet, value: Box) -> Rows | None:
    """Return the head of the column of a value that stands among rows like its own, or None if it does not."""
    column = _column(sheet, value)
    head = next((number for number, piece in enumerate(column) if _heads(sheet, piece)), None)
    if head is None:
        return None
    heads = sheet.text.row(column[head].box)
    if not _is_row_of(sheet, value, heads) or not (head or _continues(sheet, value, heads)):
        return None
    return Rows(column[head], heads, _name(sheet, heads, value))


def is_list(heads: Sequence[str]) -> bool:
    """Return whether these are heads over items of a list."""
    return sum("".join(map(spelled, head.split())) in column_heads().roles for head in heads) >= MIN_ITEM_HEADS


def is_name(text: str) -> bool:
    return not any(map(str.isdigit, text)) and any(map(str.isalpha, text)) and len(text.split()) <= 5


def _column(sheet: Sheet, value: Box) -> list[Piece]:
    """Return the pieces above a box in its column, from below, as long as each is near the next."""
    found: list[Piece] = []
    box = value
    over = [piece for piece in sheet.text.pieces if piece.box.middle < value.middle and _overlap(piece.box, value)]
    for piece in reversed(over):
        if piece.box.shares_height(box) >= 0.5:
            continue
        if box.middle - piece.box.middle > STEP_LINES * sheet.text.line_height or len(found) >= MAX_ROWS:
            break
        found.append(piece)
        box = piece.box
    return found


def _overlap(one: Box, other: Box) -> bool:
    return one.shares_width(other) > 0.1


def _heads(sheet: Sheet, piece: Piece) -> Sequence[Piece]:
    """Return the row of a piece if it is one of heads: several short texts without numbers or colons."""
    row = sheet.text.row(piece.box)
    are_heads = len(row) >= MIN_HEADS and all(is_name(each.text) and not ends_with_colon(each.text) for each in row)
    return row if are_heads else ()


def _is_row_of(sheet: Sheet, value: Box, heads: Sequence[Piece]) -> bool:
    """Return whether most pieces in the row of a box stand under one head each."""
    row = sheet.text.row(value)
    under = sum(any(_overlap(piece.box, head.box) for head in heads) for piece in row)
    return len(row) >= MIN_HEADS and 3 * under >= 2 * len(row)


def _continues(sheet: Sheet, value: Box, heads: Sequence[Piece]) -> bool:
    """Return whether another row of the same columns follows the one of a value."""
    below = [piece for piece in sheet.text.below(value, 1.5) if _overlap(piece.box, value)]
    return bool(below) and _is_row_of(sheet, below[0].box, heads)


def _name(sheet: Sheet, heads: Sequence[Piece], value: Box) -> Piece | None:
    if is_list([head.text for head in heads]) or _overlap(heads[0].box, value):
        return None
    names = [
        piece
        for piece in sheet.text.pieces
        if _overlap(piece.box, heads[0].box)
        and heads[0].box.bottom <= piece.box.middle
        and piece.box.middle <= value.middle + STEP_LINES * sheet.text.line_height
    ]
    if len(names) < 2 or not all(is_name(piece.text) for piece in names):
        return None
    distinct = len({piece.text for piece in names}) == len(names)
    return next((piece for piece in names if distinct and piece.box.shares_height(value) >= 0.5), None)
