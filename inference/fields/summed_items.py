"""Line items that no head names: the rows above a sum whose amounts make it, as on receipts."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from inference.core.contracts import Json
from inference.fields.amounts import Amount, decimal_text, find_amounts, percent_text
from inference.fields.candidate import Candidate, corners
from inference.fields.page_text import Piece
from inference.fields.values import Labeled
from inference.layout.boxes import Box

MAX_ROWS, MAX_SUMS = 60, 6
MIN_SCORE = 0.6
"""The score of the sums that rows are added up to."""
ALIGNED = 2.5
"""How far the amounts may end from the end of their sum, in line heights."""
WIDEST_GAP = 5.0
"""The white between two rows, at most, in line heights."""
NO_ITEMS = frozenset(("net", "tax", "total", "paid", "carry"))
"""What ends the rows."""
OTHER_COSTS = frozenset(("discount", "shipping", "rounding"))
"""What is added up with the items, and is none."""
_TAX_CODE = re.compile(r"\s*[A-Z*#]{0,2}\s*")
_QUANTITY = re.compile(r"(\d{1,3})\s*(?:[xX×*]\s*|\s)(?=[^\W\d_])")


@dataclass(frozen=True, slots=True)
class ItemRow:
    piece: Piece
    amount: Amount
    others: Sequence[Piece]
    """The other pieces of the row, from left to right."""
    is_item: bool


def summed_items(page: Labeled, sums: Sequence[Candidate], decimal: str | None) -> list[Json]:
    """Return the rows above the first sum that they make, or none.

    Rows are added from the sum upwards. What stands above the rows that make it is not looked at.
    """
    named = [each for each in sums if each.name in ("net", "total") and each.score >= MIN_SCORE and each.box]
    for found in sorted(named, key=lambda each: each.top)[:MAX_SUMS]:
        rows = _rows_that_make(page, found, decimal)
        if rows:
            return [_item(row, decimal) for row in rows if row.is_item]
    return []


def _rows_that_make(page: Labeled, found: Candidate, decimal: str | None) -> list[ItemRow]:
    target, rest = Decimal(found.normalized or "0"), Decimal(0)
    rows: list[ItemRow] = []
    for row in _rows_above(page, found, decimal):
        rows.append(row)
        rest += row.amount.value
        if rest == target:
            return rows[::-1]
    return []


def _rows_above(page: Labeled, found: Candidate, decimal: str | None) -> Iterator[ItemRow]:
    """Yield the rows with an amount above the end of a sum, from the lowest up to the first one of another sum."""
    box, height = found.box, page.text.line_height
    assert box is not None
    lowest, count = box.top, 0
    for piece in reversed(page.text.pieces):
        amount = _last_amount(piece, decimal)
        if amount is None or piece.box.middle >= box.top or abs(piece.box.right - box.right) > ALIGNED * height:
            continue
        others = [other for other in page.text.row(piece.box) if other is not piece]
        roles = {role for each in (piece, *others) for label in page.labels_of(each) for role in page.roles(label)}
        if lowest - piece.box.bottom > WIDEST_GAP * height or roles & NO_ITEMS or count >= MAX_ROWS:
            return
        described = any(map(str.isalpha, piece.text[: amount.start])) or any(
            any(map(str.isalpha, other.text)) for other in others
        )
        if described:
            lowest, count = piece.box.top, count + 1
            yield ItemRow(piece, amount, others, is_item=not roles & OTHER_COSTS)


def _last_amount(piece: Piece, decimal: str | None) -> Amount | None:
    """Return the amount that a piece ends with, but for the letter of a tax rate."""
    found = find_amounts(piece.text, decimal)
    if not found or not found[-1].has_cents or not _TAX_CODE.fullmatch(piece.text[found[-1].end :]):
        return None
    return found[-1]


def _item(row: ItemRow, decimal: str | None) -> Json:
    before = [other for other in row.others if other.box.center < row.piece.box.center]
    words = [other.text for other in before if any(map(str.isalpha, other.text))]
    written = " ".join((*words, row.piece.text[: row.amount.start])).strip(" .:·")
    quantity, price = _factors(before, row.amount.value, decimal)
    counted = _QUANTITY.match(written)
    if counted is not None and quantity is None:
        quantity, written = Decimal(counted[1]), written[counted.end() :]
    around = Box.around([row.piece.box, *(other.box for other in before)])
    return {
        "description": written or None,
        "quantity": None if quantity is None else percent_text(quantity),
        "unit_price": None if price is None else decimal_text(price),
        "tax_rate": None,
        "amount": decimal_text(row.amount.value),
        "box": corners(around) if row.piece.is_placed else None,
        "confidence": round(min(each.confidence for each in (row.piece, *before)), 3),
    }


def _factors(
    pieces: Sequence[Piece], amount: Decimal, decimal: str | None
) -> tuple[Decimal, Decimal] | tuple[None, None]:
    """Return the quantity and the price in a row that make its amount."""
    numbers = [found[0].value for piece in pieces if len(found := find_amounts(piece.text, decimal)) == 1]
    for place, quantity in enumerate(numbers):
        for price in numbers[place + 1 :]:
            if quantity and abs(quantity * price - amount) <= Decimal("0.02"):
                return quantity, price
    return None, None
