"""The list of documents and their jobs. The filters and the live page read it again and replace what changed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django_htmx.http import push_url

from inference.registry.models import ServedModel
from jobs.core.document_class import UNSURE
from jobs.core.models import Job
from jobs.core.priorities import DEFAULT, NUMBERS
from jobs.dashboard.base.job_view import JobView, job_view, may_write
from jobs.dashboard.base.wording import class_words, price_words
from jobs.dashboard.classes.selectors import listed_sets
from jobs.dashboard.listing.field_columns import (
    COMPARISONS,
    COOKIE,
    MAX_COLUMNS,
    CellView,
    FieldColumn,
    fault_words,
    field_cells,
    field_columns,
    filter_views,
)
from jobs.dashboard.listing.query import DELETED, DOCUMENTS, INLINE, MEANING, NEWEST, OLDEST, SIZES, ListQuery
from jobs.dashboard.listing.selectors import Listing, listing_of, model_choices, refused
from jobs.dashboard.listing.wording import count_words
from jobs.own_fields.names import KnownField, built_in_fields, known_fields
from jobs.results.exports.archive_files import (
    CHUNKS,
    CSV,
    DEFAULT_FORMATS,
    FORMATS,
    HTML,
    JSON,
    MARKDOWN,
    ORIGINAL,
    PDF,
    TEXT,
    XLSX,
)
from jobs.search.selectors import Hit, meaning_available, meaning_of
from jobs.search.statement_timeout import MeaningPaused, MeaningUnavailable, SearchTooBroad
from tenants.core.db.unit_of_work import unit_of_work
from tenants.dashboard_base.members import members_only
from tenants.identity.identity import Identity
from tenants.plans.prices import Meter, Price

TABS = (
    ("", "All"),
    ("in-progress", "In progress"),
    ("succeeded", "Succeeded"),
    ("failed", "Failed"),
    ("canceled", "Canceled"),
    (DELETED, "Deleted"),
)
ORDERS = {
    NEWEST: "Newest first",
    OLDEST: "Oldest first",
    "name": "Name, A to Z",
    "-name": "Name, Z to A",
    "-pages": "Most pages",
    "pages": "Fewest pages",
    "-cost": "Highest cost",
    "cost": "Lowest cost",
    "state": "State",
    "-state": "State, reversed",
}
ARCHIVE_TITLES = {
    ORIGINAL: "Original file",
    TEXT: "Text",
    MARKDOWN: "Markdown",
    HTML: "HTML",
    JSON: "JSON",
    CHUNKS: "Chunks for retrieval",
    PDF: "Searchable PDF",
    CSV: "Tables as CSV",
    XLSX: "Tables as Excel",
}
TABLE_FORMATS = (("xlsx", "Excel"), ("csv", "CSV"))
_COLUMNS = (
    ("document", "Document", "name", "-name"),
    ("state", "State", "state", "-state"),
    ("kind", "Class", "", ""),
    ("review", "To check", "", ""),
    ("pages", "Pages", "-pages", "pages"),
    ("model", "Model", "", ""),
    ("sender", "Sender", "", ""),
    ("cost", "Cost", "-cost", "cost"),
    ("age", "Age", NEWEST, OLDEST),
)
"""The name, the title, and the orders that the first and the second click choose."""
OPTIONAL_COLUMNS = {name: title for name, title, _, _ in _COLUMNS if name not in ("document", "state")}
"""The columns that a person can hide. The choice stays in the browser."""
CLASSES = ("invoice", "contract", "letter", "report", "form", "other", UNSURE)
"""The classes that the filter always offers, those of `parse`."""
_ASCENDING = frozenset({"name", "state", "pages", "cost", NEWEST})
"""The orders that are shown as ascending. An age goes up while the date goes down."""


@dataclass(frozen=True)
class Choice:
    title: str
    address: str
    chosen: bool


@dataclass(frozen=True)
class Column:
    name: str
    title: str
    address: str
    sorted: str


def tabs(query: ListQuery) -> list[Choice]:
    return [Choice(title, query.changed(state=state).address(), query.state == state) for state, title in TABS]


def sizes(query: ListQuery) -> list[Choice]:
    return [Choice(str(size), query.changed(size=size).address(), query.size == size) for size in SIZES]


def columns(query: ListQuery) -> list[Column]:
    return [_column(query, *column) for column in _COLUMNS]


def _column(query: ListQuery, name: str, title: str, first: str, second: str) -> Column:
    if not first:
        return Column(name, title, "", "")
    wanted = second if query.order == first else first
    chosen = query.order in (first, second)
    direction = "ascending" if query.order in _ASCENDING else "descending"
    return Column(name, title, query.changed(sort=wanted).address(), direction if chosen else "")


@dataclass(frozen=True)
class Row:
    job: JobView
    find: Hit | None
    """The page that has the words of a search, unless only the name has them."""
    fields: Sequence[CellView]
    """The values of the chosen fields."""


def rows_of(listing: Listing, now: datetime, fields: Sequence[FieldColumn], *, may_see_keys: bool) -> list[Row]:
    return [
        Row(job_view(job, now, may_see_keys=may_see_keys), listing.finds.get(job.id), field_cells(job, fields))
        for job in listing.stretch.jobs
    ]


def class_choices(query: ListQuery, jobs: Sequence[Job]) -> dict[str, str]:
    """Return the classes to choose from, with their titles: the usual ones, those shown, and the chosen one."""
    labels = dict.fromkeys((*CLASSES, *sorted({job.class_label for job in jobs}), query.label))
    return {label: class_words(label) for label in labels if label}


@members_only
def job_list(request: HttpRequest, identity: Identity) -> HttpResponse:
    identity.require("jobs:read")
    query = ListQuery.parse(request.GET.dict())
    listing, known = _listing(query, identity)
    choice = field_columns(known, request.COOKIES.get(COOKIE, ""))
    part = _list_part(query, listing, [one for one in choice if one.chosen], identity)
    part["field_filters"] = filter_views(query, known)
    part["faults"] = [fault_words(fault, known) for fault in query.faults]
    part["draft_fault"] = fault_words(query.draft.fault, known) if query.draft else ""
    context = {**part, "may_write": may_write(identity)}
    if request.headers.get("HX-Request"):
        answer = render(request, "jobs/listing/found_anew.html", context)
        return push_url(answer, query.address(reverse("job-list")))
    classes = class_choices(query, listing.stretch.jobs)
    with unit_of_work(identity):
        sets = listed_sets(identity)
    around = {**_around(identity), "class_sets": sets, "classes": classes, "optional_columns": OPTIONAL_COLUMNS}
    around |= {"field_choice": choice, "comparisons": COMPARISONS, "max_field_columns": MAX_COLUMNS}
    return render(request, "jobs/listing/job_list.html", {**context, **around})


def _listing(query: ListQuery, identity: Identity) -> tuple[Listing, Mapping[str, KnownField]]:
    """Return the jobs, and the fields that they may have."""
    try:
        # This runs before the unit of work begins, because it may wait for seconds.
        meaning = meaning_of(query.words) if query.by == MEANING else None
        with unit_of_work(identity):
            return listing_of(query, meaning), known_fields()
    except (MeaningPaused, MeaningUnavailable, SearchTooBroad) as refusal:
        return refused(str(refusal)), built_in_fields()


def _list_part(query: ListQuery, listing: Listing, fields: Sequence[FieldColumn], identity: Identity) -> dict[str, Any]:
    stretch = listing.stretch
    may_see_keys = "keys:read" in identity.scopes
    return {
        "query": query,
        "rows": rows_of(listing, timezone.now(), fields, may_see_keys=may_see_keys),
        "field_columns": fields,
        "stretch": stretch,
        "count": "" if listing.refusal else count_words(query, listing),
        "refusal": listing.refusal,
        "first": not query.filtered and not stretch.total,
        "back": stretch.back.address() if stretch.back else "",
        "onward": stretch.onward.address() if stretch.onward else "",
        "tabs": tabs(query),
        "columns": columns(query),
        "sizes": sizes(query),
        "other_search": _other_search(query),
        "texts": _texts(query),
        "field_files": query.changed(sort="").address(),
        "table_formats": TABLE_FORMATS,
    }


def _texts(query: ListQuery) -> str:
    """Return the URL of the same list of input without a file. It is empty if there can be none, or is in the list."""
    listed = query.sent != DOCUMENTS or query.state == DELETED
    return "" if listed else query.changed(sent=INLINE, sort="").address()


def _other_search(query: ListQuery) -> str:
    """Return the URL that searches for the same words by meaning, or literally if the current search is by meaning. It
    is empty if there is none.
    """
    if query.by:
        return query.changed(by="", sort="").address()
    return query.changed(by=MEANING, sort="").address() if query.words and meaning_available() else ""


def _around(identity: Identity) -> dict[str, Any]:
    choices = model_choices(identity.tenant_id)
    return {
        "models": [_with_price(model, _price(identity, model)) for model in choices.for_documents],
        "model_names": choices.names,
        "orders": ORDERS,
        "archive_formats": [(name, ARCHIVE_TITLES[name], name in DEFAULT_FORMATS) for name in FORMATS],
        "priorities": list(NUMBERS),
        "usual_priority": DEFAULT,
        "max_archive_bytes": settings.MAAS_MAX_ARCHIVE_BYTES,
        "max_bytes": max(identity.limits.upload_bytes, settings.MAAS_MAX_RESUMABLE_BYTES),
    }


def _with_price(model: ServedModel, price: Price) -> tuple[ServedModel, str, Meter]:
    return model, price_words(price), price.meter


def _price(identity: Identity, model: ServedModel) -> Price:
    return identity.prices.of_model(model.name, model.price, model.cached_price).price
