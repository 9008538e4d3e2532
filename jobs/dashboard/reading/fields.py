"""The fields of a document as a person reads and corrects them beside its pages. This module makes no queries."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from jobs.dashboard.reading.lines import svg_points
from jobs.fields.doubt import is_unsure
from jobs.fields.names import TITLES, title_of
from jobs.results.pictures.turns import corners_of

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
    corrected: bool
    place: str
    """The name that links the field with its box on the picture."""
    corners: str
    """The corners of the box for SVG. They are empty if it is on another page, or has no position."""
    url: str
    """The address that a PUT request corrects the field at."""
    index: int | None
    """The position of the value, which the request names, if the field has several."""


@dataclass(frozen=True)
class MissingField:
    name: str
    title: str


@dataclass(frozen=True)
class FieldsView:
    fields: Sequence[FieldView]
    tax_rates: Sequence[Mapping[str, Any]]
    line_items: Sequence[Mapping[str, Any]]
    left_out: int
    """The line items that are not shown."""
    warnings: Sequence[str]
    missing: Sequence[MissingField]
    """The fields that a person may add."""
    url: str
    """The address of the fields, which the name of one completes."""


def fields_view(
    found: Mapping[str, Any] | None, page: int, job_id: UUID | str = "", titles: Mapping[str, Any] = TITLES
) -> FieldsView | None:
    """Return the fields for the open page, or None if the model finds none. `titles` are those of all known fields."""
    if found is None:
        return None
    url, items, fields = f"/v1/jobs/{job_id}/fields/", found["line_items"], found["fields"]
    warnings = found["warnings"]
    there = {field["name"] for field in fields}
    return FieldsView(
        [
            _field(place, field, page, url, titles, unsure=is_unsure(field, warnings))
            for place, field in zip(places_of(fields), fields, strict=True)
        ],
        found["tax_rates"],
        items[:MAX_ITEMS],
        max(0, len(items) - MAX_ITEMS),
        [warning["message"] for warning in warnings],
        [MissingField(name, str(title)) for name, title in titles.items() if name not in there],
        url,
    )


def places_of(fields: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the names that link the fields with their boxes. They stay the same while other fields come and go."""
    seen = Counter[str]()
    found = []
    for field in fields:
        name = field["name"]
        seen[name] += 1
        number = field["index"] + 1 if type(field.get("index")) is int else seen[name]
        found.append(f"f-{name}" if number == 1 else f"f-{name}-{number}")
    return found


def _field(
    place: str, field: Mapping[str, Any], page: int, url: str, titles: Mapping[str, Any], *, unsure: bool
) -> FieldView:
    value, normalized = field["value"], field["normalized"] or " / ".join(field.get("ambiguous", ()))
    index = field.get("index")
    return FieldView(
        str(titles.get(field["name"]) or title_of(field["name"])),
        value,
        "" if normalized == value else normalized,
        field["page"],
        field["quote"],
        round(100 * field["confidence"]),
        unsure,
        field.get("corrected") is True,
        place,
        svg_points(corners_of(field["box"])) if field["page"] == page else "",
        f"{url}{field['name']}",
        index if type(index) is int else None,
    )
