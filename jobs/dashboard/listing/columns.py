"""The tabs by state and the columns to order by, above the list. Each is a link that keeps the rest of the query."""

from dataclasses import dataclass

from jobs.dashboard.listing.query import DELETED, NEWEST, OLDEST, SIZES, ListQuery

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
_COLUMNS = (
    ("document", "Document", "name", "-name"),
    ("state", "State", "state", "-state"),
    ("pages", "Pages", "-pages", "pages"),
    ("model", "Model", "", ""),
    ("cost", "Cost", "-cost", "cost"),
    ("age", "Age", NEWEST, OLDEST),
)
"""The name, the title, and the orders that the first and the second click choose."""
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
    """The URL that orders by this column. It is empty if the list cannot be ordered by it."""
    sorted: str
    """The value of `aria-sort`. It is empty if the list is in another order."""


def tabs(query: ListQuery) -> list[Choice]:
    return [
        Choice(title, query.changed(state=state).address(), query.state == state) for state, title in TABS
    ]


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
