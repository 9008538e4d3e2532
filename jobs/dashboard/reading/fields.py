"""The fields of a document as a person reads them beside its pages. This module makes no queries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy

from jobs.dashboard.reading.lines import SURE, svg_points
from jobs.results.pictures.turns import corners_of

NAMES: Mapping[str, Any] = {
    "invoice_number": gettext_lazy("Invoice number"),
    "issue_date": gettext_lazy("Date"),
    "due_date": gettext_lazy("Due date"),
    "supplier": gettext_lazy("Supplier"),
    "buyer": gettext_lazy("Buyer"),
    "order_number": gettext_lazy("Order number"),
    "currency": gettext_lazy("Currency"),
    "net": gettext_lazy("Net"),
    "tax": gettext_lazy("Tax"),
    "total": gettext_lazy("Total"),
    "iban": gettext_lazy("IBAN"),
}
MAX_ITEMS = 500
"""The most line items that are shown. The JSON has all of them."""


@dataclass(frozen=True)
class FieldView:
    title: str
    value: str
    normalized: str
    """The value for programs, if it is written in another way than on the page."""
    page: int
    quote: str
    percent: int
    unsure: bool
    place: str
    """The name that links the field with its box on the picture of the open page. It is empty on other pages."""
    corners: str


@dataclass(frozen=True)
class FieldsView:
    fields: Sequence[FieldView]
    tax_rates: Sequence[Mapping[str, Any]]
    line_items: Sequence[Mapping[str, Any]]
    left_out: int
    """The line items that are not shown."""
    warnings: Sequence[str]


def fields_view(found: Mapping[str, Any] | None, page: int) -> FieldsView | None:
    """Return the fields for the open page, or None for a document without fields."""
    if not found or not found["fields"]:
        return None
    items = found["line_items"]
    return FieldsView(
        [_field(number, field, page) for number, field in enumerate(found["fields"], 1)],
        found["tax_rates"],
        items[:MAX_ITEMS],
        max(0, len(items) - MAX_ITEMS),
        [warning["message"] for warning in found["warnings"]],
    )


def _field(number: int, field: Mapping[str, Any], page: int) -> FieldView:
    value, normalized = field["value"], field["normalized"] or " / ".join(field.get("ambiguous", ()))
    corners = svg_points(corners_of(field["box"])) if field["page"] == page else ""
    return FieldView(
        str(NAMES.get(field["name"], field["name"])),
        value,
        "" if normalized == value else normalized,
        field["page"],
        field["quote"],
        round(100 * field["confidence"]),
        field["confidence"] < SURE,
        f"f{number}" if corners else "",
        corners,
    )
