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
WIDEST_GAP = 5.0
"""The white between two rows, at most, in line heights."""
OTHER_COSTS = frozenset(("discount", "shipping", "rounding"))
"""The amounts that are added up with the items, and are none."""
KNOWN_ROLES = OTHER_COSTS | {"net", "tax", "total", "paid", "carry"}
_TAX_CODE = re.compile(r"\s*[A-Z*#]{0,2}\s*")
_QUANTITY = re.compile(r"(\d{1,3})\s*(?:[xX×*]\s*|\s)(?=[^\W\d_])")


@dataclass(frozen=True, slots=True)
class ItemRow:
    piece: Piece
    amount: Amount
    others: Sequence[Piece]
    """The other pieces of the row, from left to right."""
    roles: frozenset[str]
    """What a label says that it is, if it is no item."""


def summed_items(page: Labeled, sums: Sequence[Candidate], decimal: str | None) -> list[Json]:
    """Return the rows above the first sum that they make, or none.

    Rows are added from the sum upwards, with and without the taxes among them. What stands above the rows that make it
    is not looked at.
    """
    named = [each for each in sums if each.name in ("net", "total") and each.score >= MIN_SCORE and each.box]
    for found in sorted(named, key=lambda each: each.top)[:MAX_SUMS]:
        rows = list(_rows_above(page, found, decimal))
        for costs in (OTHER_COSTS, OTHER_COSTS | {"tax"}):
            items = [row for row in _that_make(rows, Decimal(found.normalized or "0"), costs) if not row.roles]
            if len(items) > ("tax" in costs):  # One row with a tax may as well be the net amount.
                return [_item(row, decimal) for row in items]
    return []


def _that_make(rows: Sequence[ItemRow], target: Decimal, costs: frozenset[str]) -> list[ItemRow]:
    """Return the rows, from top to bottom, that make a sum. `costs` are what is added up with the items."""
    rest = Decimal(0)
    making: list[ItemRow] = []
    for row in rows:
        if row.roles and not row.roles & costs and (row.amount.value > 0 or "paid" not in row.roles):
            if not any(not each.roles for each in making):
                continue  # It is another sum below the items.
            return []
        making.append(row)
        rest += row.amount.value
        if rest == target and any(not each.roles for each in making):
            return making[::-1]
    return []


def _rows_above(page: Labeled, found: Candidate, decimal: str | None) -> Iterator[ItemRow]:
    """Yield the rows that end with an amount above a sum, from the lowest up to wide white."""
    box, height = found.box, page.text.line_height
    assert box is not None
    lowest, count = box.top, 0
    for piece in reversed(page.text.pieces):
        amount = _last_amount(piece, decimal)
        if amount is None or piece.box.middle >= box.top:
            continue
        row = page.text.row(piece.box)
        if row[-1] is not piece:
            continue
        if lowest - piece.box.bottom > WIDEST_GAP * height or count >= MAX_ROWS:
            return
        first = page.labels_of(row[0])[:1]
        roles = page.roles(first[0]) & KNOWN_ROLES if first and first[0].at_start else frozenset()
        if roles or any(any(map(str.isalpha, _without_code(each, piece, amount))) for each in row):
            lowest, count = piece.box.top, count + 1
            yield ItemRow(piece, amount, row[:-1], roles)


def _without_code(each: Piece, piece: Piece, amount: Amount) -> str:
    """Return the text of a piece of a row, that of the last one up to its amount."""
    return each.text[: amount.start] if each is piece else each.text


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
