"""The query of the list, as the URL contains it. This module is pure. Values that make no sense are left out.

Of filters by fields, which people type, the query says which were left out and why.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from types import MappingProxyType
from typing import Self
from urllib.parse import urlencode
from uuid import UUID

from jobs.core import states
from jobs.core.reading_flags import is_label
from jobs.fields.filters import PREFIX, Fault, FieldFilter, sorted_filters

LONGEST_WORDS = 200
SIZES = (25, 50, 100)
LAST_PAGE = 1_000

STATE_GROUPS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "in-progress": (states.QUEUED, states.RUNNING),
        "succeeded": (states.SUCCEEDED,),
        "failed": (states.PARTIALLY_SUCCEEDED, states.FAILED, states.EXPIRED),
        "canceled": (states.CANCELED,),
    }
)
DELETED = "deleted"
"""The filter for jobs whose document is deleted. It is not a state of a job; such jobs are shown only on request."""

NEWEST, OLDEST, NEAREST = "newest", "oldest", "nearest"
SORTS = (NEWEST, OLDEST, "name", "-name", "state", "-state", "pages", "-pages", "cost", "-cost")
"""The orders that can be chosen. NEAREST is not among them: it is the order of a search by meaning only."""
MEANING = "meaning"
TRUE, FALSE = "true", "false"
DOCUMENTS, INLINE, ALL = "documents", "inline", "all"


@dataclass(frozen=True)
class ListQuery:
    words: str = ""
    by: str = ""
    """The kind of search. With MEANING, the words need not be on the page, but the page must be about them."""
    state: str = ""
    model: str = ""
    needs_review: str = ""
    """The filter TRUE for jobs with pages that a person should check, or FALSE for all others."""
    label: str = ""
    """The class of the document."""
    sent: str = DOCUMENTS
    """The filter DOCUMENTS, INLINE for input that was sent without a document, or ALL for both."""
    fields: tuple[FieldFilter, ...] = ()
    """The filters by fields of the document."""
    faults: tuple[Fault, ...] = ()
    """The faults of the filters by fields in the address that were left out."""
    draft: "Draft | None" = None
    """The content of the form for filters by fields, if it is no filter."""
    since: date | None = None
    until: date | None = None
    """The last day. Both days are included."""
    sort: str = ""
    size: int = SIZES[0]
    before: UUID | None = None
    after: UUID | None = None
    """The job before or after which a page of the list in order of age begins. Other orders have page numbers."""
    page: int = 1

    @classmethod
    def parse(cls, given: Mapping[str, str]) -> Self:
        search = " ".join(given.get("q", "").replace("\0", " ").split())[:LONGEST_WORDS]
        size = _number(given.get("size", ""))
        filters, faults = sorted_filters(given)
        added, draft = _added(given, filters)
        return cls(
            words=search,
            by=_one_of(given.get("by", ""), (MEANING,)) if search else "",
            state=_one_of(given.get("state", ""), (*STATE_GROUPS, DELETED)),
            model=given.get("model", "").replace("\0", "")[:120],
            needs_review=_one_of(given.get("needs_review", ""), (TRUE, FALSE)),
            label=label if is_label(label := given.get("class", "")) else "",
            sent=_one_of(given.get("sent", ""), (INLINE, ALL)) or DOCUMENTS,
            fields=tuple(added),
            faults=tuple(faults),
            draft=draft,
            since=_day(given.get("from", "")),
            until=_day(given.get("to", "")),
            sort=_one_of(given.get("sort", ""), SORTS),
            size=size if size in SIZES else SIZES[0],
            before=_id(given.get("before", "")),
            after=_id(given.get("after", "")),
            page=min(max(1, _number(given.get("page", ""))), LAST_PAGE),
        )

    @property
    def order(self) -> str:
        return self.sort or (NEAREST if self.by else NEWEST)

    @property
    def by_age(self) -> bool:
        return self.order in (NEWEST, OLDEST)

    @property
    def filtered(self) -> bool:
        return any((self.words, self.state, self.more_filters))

    @property
    def more_filters(self) -> int:
        """Return the number of filters in use that are folded away."""
        used = (self.needs_review, self.label, self.model, self.sent != DOCUMENTS, self.since, self.until)
        return sum(map(bool, used)) + len(self.fields)

    @property
    def at_start(self) -> bool:
        return self.before is None and self.after is None and self.page == 1

    def changed(self, **changes: object) -> Self:
        """Return the query with changes. A list with another filter or order begins at its first page."""
        return replace(self, before=None, after=None, page=1).turned(**changes)

    def turned(self, **changes: object) -> Self:
        return replace(self, **changes)  # type: ignore[arg-type]  # the callers name fields

    def address(self, path: str = "") -> str:
        """Return the URL of the query, without default values."""
        params = {
            "q": self.words,
            "by": self.by,
            "state": self.state,
            "model": self.model,
            "needs_review": self.needs_review,
            "class": self.label,
            "sent": self.sent if self.sent != DOCUMENTS else "",
            "from": self.since.isoformat() if self.since else "",
            "to": self.until.isoformat() if self.until else "",
            "sort": self.sort,
            "size": str(self.size) if self.size != SIZES[0] else "",
            "before": str(self.before or ""),
            "after": str(self.after or ""),
            "page": str(self.page) if self.page > 1 else "",
            **{each.parameter: each.value for each in self.fields},
        }
        query = urlencode({name: value for name, value in params.items() if value})
        return f"{path}?{query}" if query else path or "?"


@dataclass(frozen=True)
class Draft:
    """The content of the form for filters by fields, and why it is no filter."""

    name: str
    way: str
    value: str
    fault: Fault


def _added(given: Mapping[str, str], filters: Sequence[FieldFilter]) -> tuple[Sequence[FieldFilter], Draft | None]:
    """Return the filters with the one that the form adds: `by_field`, `comparison` and `value`."""
    name, way, value = (given.get(part, "") for part in ("by_field", "comparison", "value"))
    if not name:
        return filters, None
    parameter = f"{PREFIX}{name}.{way}" if way else f"{PREFIX}{name}"
    added, faults = sorted_filters({**{each.parameter: each.value for each in filters}, parameter: value})
    return (filters, Draft(name, way, value, faults[0])) if faults else (added, None)


def _one_of(given: str, choices: tuple[str, ...]) -> str:
    return given if given in choices else ""


def _number(given: str) -> int:
    return int(given) if given.isdecimal() and given.isascii() and len(given) < 9 else 0


def _day(given: str) -> date | None:
    try:
        return date.fromisoformat(given)
    except ValueError:
        return None


def _id(given: str) -> UUID | None:
    try:
        return UUID(given)
    except ValueError:
        return None
