"""The columns of fields in the list, which a person chooses in the browser, and the filters by fields in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from django.utils.translation import gettext_lazy

from jobs.core.models import Job
from jobs.dashboard.listing.query import ListQuery
from jobs.fields.doubt import is_unsure
from jobs.fields.filters import CONTAINS, EQUALS, FROM, MAX, MIN, TO, Fault, FieldFilter
from jobs.fields.names import title_of
from jobs.own_fields.names import KnownField

COOKIE = "field-columns"
MAX_COLUMNS = 8
COMPARISONS: Mapping[str, Any] = {
    EQUALS: gettext_lazy("is"),
    CONTAINS: gettext_lazy("contains"),
    FROM: gettext_lazy("from the day"),
    TO: gettext_lazy("to the day"),
    MIN: gettext_lazy("at least"),
    MAX: gettext_lazy("at most"),
}

WAYS_OF_TYPES: Mapping[str, tuple[str, ...]] = {
    "amount": (EQUALS, MIN, MAX),
    "number": (EQUALS, MIN, MAX),
    "date": (EQUALS, FROM, TO),
}
"""The comparisons that the form offers by the type of the field."""
WAYS_OF_TEXTS = (EQUALS, CONTAINS)
"""The comparisons that the form offers for all other types."""


@dataclass(frozen=True)
class FieldColumn:
    name: str
    title: str
    chosen: bool
    ways: str
    """The comparisons that fit its type, as `is min max`."""


@dataclass(frozen=True)
class FilterView:
    words: str
    parameter: str
    value: str
    without: str
    """The address of the list without the filter."""


@dataclass(frozen=True)
class CellView:
    title: str
    """The title of the column."""
    text: str
    number: bool
    unsure: bool


def field_columns(fields: Mapping[str, KnownField], cookie: str) -> list[FieldColumn]:
    """Return all columns that can be chosen. The cookie has the names of those that are."""
    chosen = [name for name in unquote(cookie).split(" ") if name in fields][:MAX_COLUMNS]
    return [FieldColumn(name, field.title, name in chosen, _ways(field.type)) for name, field in fields.items()]


def _ways(kind: str) -> str:
    return " ".join(way or "is" for way in WAYS_OF_TYPES.get(kind, WAYS_OF_TEXTS))


def field_cells(job: Job, columns: Sequence[FieldColumn]) -> list[CellView]:
    return [_cell(column, job.fields or {}) for column in columns]


def _cell(column: FieldColumn, found: Mapping[str, Any]) -> CellView:
    fields = [field for field in found.get("fields", ()) if field["name"] == column.name]
    return CellView(
        column.title,
        "; ".join(field["normalized"] or field["value"] for field in fields),
        any(field["type"] == "amount" for field in fields),
        any(is_unsure(field, found.get("warnings", ())) for field in fields),
    )


def filter_views(query: ListQuery, fields: Mapping[str, KnownField]) -> list[FilterView]:
    return [_filter(query, each, fields) for each in query.fields]


def _filter(query: ListQuery, wanted: FieldFilter, fields: Mapping[str, KnownField]) -> FilterView:
    without = query.changed(fields=tuple(each for each in query.fields if each != wanted))
    words = f"{_comparison(wanted, fields)} {wanted.value}"
    return FilterView(words, wanted.parameter, wanted.value, without.address())


def fault_words(fault: Fault, fields: Mapping[str, KnownField]) -> str:
    """Return what is wrong with a filter, in the words of the form if its field and its comparison are known."""
    if fault.wanted is None:
        return fault.message
    return f"{_comparison(fault.wanted, fields)}: “{fault.wanted.value[:40]}” {fault.reason}"


def _comparison(wanted: FieldFilter, fields: Mapping[str, KnownField]) -> str:
    title = fields[wanted.name].title if wanted.name in fields else title_of(wanted.name)
    return f"{title} {COMPARISONS[wanted.way]}"
