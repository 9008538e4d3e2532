"""The fields of many documents as rows of a table, with numbers and dates as such. This module is pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from inference.fields.document import TYPES
from jobs.fields.doubt import is_unsure
from jobs.fields.names import title_of

MAX_DIGITS = 15
"""The digits that a spreadsheet keeps. A longer number stays text."""
_NUMBERS = ("amount", "number")
Value = str | Decimal | date | int | None
"""The value of a cell. Text is never a formula."""


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    """The name for programs."""
    title: str
    """The name for people."""


@dataclass(frozen=True, slots=True)
class TableJob:
    """A document as it stands in a row."""

    id: str
    name: str
    state: str
    label: str
    """The class of the document."""
    submitted_at: datetime
    pages: int
    link: str
    fields: Mapping[str, Any] | None
    """The fields as the job stores them."""


BEFORE = (
    Column("document", "Document"),
    Column("submitted", "Submitted"),
    Column("class", "Class"),
)
AFTER = (
    Column("pages", "Pages"),
    Column("state", "State"),
    Column("to_check", "To check"),
    Column("warnings", "Warnings"),
    Column("link", "Link"),
    Column("job", "Job"),
)
ITEMS = (
    Column("document", "Document"),
    Column("invoice_number", "Invoice number"),
    Column("page", "Page"),
    Column("description", "Description"),
    Column("quantity", "Quantity"),
    Column("unit_price", "Unit price"),
    Column("tax_rate", "Tax %"),
    Column("amount", "Amount"),
    Column("job", "Job"),
)


def field_columns(names: Sequence[str], titles: Mapping[str, str]) -> list[Column]:
    """Return the columns of the built-in fields, and of those of these names that are the tenant's own."""
    own = sorted(name for name in dict.fromkeys(names) if name not in TYPES)
    return [Column(name, titles.get(name) or title_of(name)) for name in (*TYPES, *own)]


def document_row(job: TableJob, columns: Sequence[Column]) -> list[Value]:
    """Return a row for `BEFORE`, these columns of fields, and `AFTER`."""
    found = job.fields or {}
    fields: Sequence[Mapping[str, Any]] = found.get("fields", ())
    by_name: dict[str, list[Mapping[str, Any]]] = {}
    for field in fields:
        by_name.setdefault(field["name"], []).append(field)
    warnings = found.get("warnings", ())
    unsure = dict.fromkeys(field["name"] for field in fields if is_unsure(field, warnings))
    return [
        job.name,
        job.submitted_at.date(),
        job.label,
        *(_cell(by_name.get(column.name, ())) for column in columns),
        job.pages,
        job.state,
        ", ".join(unsure),
        " ".join(warning["message"] for warning in warnings),
        job.link,
        job.id,
    ]


def item_rows(job: TableJob) -> list[list[Value]]:
    """Return a row for each line item, with the columns `ITEMS`."""
    found = job.fields or {}
    number = next((field["value"] for field in found.get("fields", ()) if field["name"] == "invoice_number"), None)
    return [
        [
            job.name,
            number,
            item["page"],
            item["description"],
            *(_number(item[name]) for name in ("quantity", "unit_price", "tax_rate", "amount")),
            job.id,
        ]
        for item in found.get("line_items", ())
    ]


def _cell(fields: Sequence[Mapping[str, Any]]) -> Value:
    """Return the value of a field. Several fields of the same name are a text."""
    if len(fields) > 1:
        return "; ".join(field["normalized"] or field["value"] for field in fields)
    return typed_value(fields[0]) if fields else None


def typed_value(field: Mapping[str, Any]) -> Value:
    """Return the normalized value of a field by its type, or the value as it is written if it has none."""
    normalized = field["normalized"]
    if normalized is None:
        return str(field["value"])
    if field["type"] in _NUMBERS:
        return _number(normalized)
    return _day(normalized) if field["type"] == "date" else str(normalized)


def _number(text: str | None) -> Value:
    try:
        number = Decimal(text or "")
    except InvalidOperation:
        return text
    return number if number.is_finite() and len(number.as_tuple().digits) <= MAX_DIGITS else text


def _day(text: str) -> Value:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return text
