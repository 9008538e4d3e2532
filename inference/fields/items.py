"""Line items: the rows of a table whose heads name a description, a quantity, a price or an amount."""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal

from inference.core.contracts import Json
from inference.fields.amounts import decimal_text, find_amounts, find_percents, parse_number, percent_text
from inference.fields.candidate import corners
from inference.fields.item_heads import heads_in
from inference.layout.boxes import Box
from inference.tables.table import Cell, Table

MAX_ITEMS = 200
HEAD_ROWS = 3
"""The rows at the top of a table that may hold its heads."""
_NUMBER = re.compile(r"[-−]?\d[\d.,'’ \u00a0]*")


def line_items(tables: Sequence[Table], decimal: str | None) -> list[Json]:
    """Return the line items of the tables of a page. A table that goes on from the page before has its columns."""
    found: list[Json] = []
    for table in tables:
        columns, start = _columns(table)
        if columns:
            found += _items(table, columns, start, decimal)
    return found[:MAX_ITEMS]


def _columns(table: Table) -> tuple[dict[str, int], int]:
    """Return the column of each part of an item, and the row where the items begin."""
    grid = table.grid()
    for row, texts in enumerate(grid[:HEAD_ROWS]):
        columns: dict[str, int] = {}
        for column, text in enumerate(texts):
            heads = heads_in(text)
            roles = heads[0] if len(heads) == 1 else frozenset()
            for name in ("description", "quantity", "price", "code", "position", "unit", "discount", "tax"):
                if name in roles and name not in columns:
                    columns[name] = column
                    break
            else:
                if "amount" in roles:
                    columns["amount"] = column
        if "amount" in columns and ("description" in columns or "quantity" in columns):
            return columns, row + 1
    return {}, 0


def _items(table: Table, columns: Mapping[str, int], start: int, decimal: str | None) -> list[Json]:
    cells: dict[int, dict[int, Cell]] = {}
    for cell in table.cells:
        cells.setdefault(cell.row, {})[cell.column] = cell
    items: list[Json] = []
    for row in range(start, table.rows):
        found = cells.get(row, {})
        texts = {name: found[column].text.strip() for name, column in columns.items() if column in found}
        amount = _value(texts.get("amount", ""), decimal)
        if amount is None:
            if items and set(filter(None, texts.values())) == {texts.get("description")}:
                items[-1]["description"] += f" {texts['description']}"
            continue
        if not texts.get("description") and _value(texts.get("quantity", ""), decimal) is None:
            continue
        if len(items) > 1 and amount == sum(Decimal(item["amount"]) for item in items):
            continue  # It is the sum of the items above.
        items.append(_item(texts, amount, list(found.values()), decimal))
    return items


def _item(texts: Mapping[str, str], amount: Decimal, cells: Sequence[Cell], decimal: str | None) -> Json:
    quantity, price = (_value(texts.get(name, ""), decimal) for name in ("quantity", "price"))
    percents = find_percents(texts.get("tax", "")) or find_percents(f"{texts.get('tax', '')} %")
    boxes = [cell.box for cell in cells if cell.box is not None]
    sound = quantity is None or price is None or abs(quantity * price - amount) <= Decimal("0.02")
    confidence = min((cell.confidence for cell in cells), default=1.0) * (1.0 if sound else 0.8)
    return {
        "description": texts.get("description") or None,
        "quantity": None if quantity is None else percent_text(quantity),
        "unit_price": None if price is None else decimal_text(price),
        "tax_rate": percent_text(percents[0][2]) if percents else None,
        "amount": decimal_text(amount),
        "box": corners(Box.around(boxes)) if boxes else None,
        "confidence": round(confidence, 3),
    }


def _value(text: str, decimal: str | None) -> Decimal | None:
    amounts = find_amounts(text, decimal)
    if len(amounts) == 1:
        return amounts[0].value
    number = _NUMBER.match(text.strip())
    return parse_number(number.group().lstrip("-−"), decimal) if number and not amounts else None
