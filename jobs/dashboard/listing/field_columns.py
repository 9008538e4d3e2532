"""The columns of fields in the list, which a person chooses in the browser, and the filters by fields in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from django.utils.translation import gettext_lazy

from jobs.core.models import Job
from jobs.dashboard.listing.query import ListQuery
from jobs.fields.doubt import is_unsure
from jobs.fields.filters import CONTAINS, EQUALS, FROM, MAX, MIN, TO, FieldFilter
from jobs.fields.names import title_of

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


@dataclass(frozen=True)
class FieldColumn:
    name: str
    title: str
    chosen: bool


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


def field_columns(titles: Mapping[str, str], cookie: str) -> list[FieldColumn]:
    """Return all columns that can be chosen. The cookie has the names of those that are."""
    chosen = [name for name in unquote(cookie).split(" ") if name in titles][:MAX_COLUMNS]
    return [FieldColumn(name, title, name in chosen) for name, title in titles.items()]


def field_cells(job: Job, columns: Sequence[FieldColumn]) -> list[CellView]:
    fields = (job.fields or {}).get("fields", ()) if columns else ()
    return [_cell(column, [field for field in fields if field["name"] == column.name]) for column in columns]


def _cell(column: FieldColumn, fields: Sequence[Mapping[str, Any]]) -> CellView:
    texts = [field["normalized"] or field["value"] for field in fields]
    return CellView(
        column.title, "; ".join(texts), any(field["type"] == "amount" for field in fields), any(map(is_unsure, fields))
    )


def filter_views(query: ListQuery, titles: Mapping[str, str]) -> list[FilterView]:
    return [_filter(query, each, titles) for each in query.fields]


def _filter(query: ListQuery, wanted: FieldFilter, titles: Mapping[str, str]) -> FilterView:
    title = titles.get(wanted.name) or title_of(wanted.name)
    without = query.changed(fields=tuple(each for each in query.fields if each != wanted))
    words = f"{title} {COMPARISONS[wanted.way]} {wanted.value}"
    return FilterView(words, wanted.parameter, wanted.value, without.address())
