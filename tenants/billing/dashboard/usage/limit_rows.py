"""The limits of an account as rows for people: the limits themselves and what is left of them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tenants.dashboard_base.wording import whole
from tenants.limits.quota.capacity import StorageStanding
from tenants.limits.quota.counted import CountedLimit
from tenants.limits.quota.wording import size
from tenants.limits.rates.free_day import Left
from tenants.limits.rates.headers import Standing
from tenants.limits.rates.limits import Limit

TITLES = {
    "requests": "Requests per minute",
    "tokens": "Tokens per minute",
    "pages": "Pages per minute",
    "calls": "Concurrent calls",
}
_OF_TESTS = {"pages": "Pages per day", "calls": "Calls per day"}


@dataclass(frozen=True)
class LimitRow:
    title: str
    holds_for: str
    amount: str
    left: str
    """The amount left, or an empty text while it is unknown."""
    left_percent: int
    is_used_up: bool = True
    """False for the size of a single thing."""


def limit_rows(limits: Sequence[Limit], standings: Sequence[Standing] | None) -> list[LimitRow]:
    """Return the rows. `standings` has one entry for each limit in order, or is None if they cannot be read."""
    known_standings: Sequence[Standing | None] = standings or [None] * len(limits)
    return [
        _row(
            TITLES[limit.kind],
            limit.subject.partition(":")[2] if limit.scope == "model" else "All models",
            limit.amount,
            max(0, standing.left) if standing else None,
        )
        for limit, standing in zip(limits, known_standings, strict=True)
    ]


def rows_of_tests(days: Sequence[Left]) -> list[LimitRow]:
    """Return the rows for what the account's test keys may use until midnight UTC."""
    return [_row(_OF_TESTS[day.kind], "Test keys", day.most, day.left) for day in days]


def rows_of_counted(limits: Sequence[CountedLimit]) -> list[LimitRow]:
    """Return the rows for what the account may hold."""
    return [
        replace(
            _row(limit.title, "This account", limit.amount, limit.left),
            amount=f"{whole(limit.amount)} {limit.unit}".strip(),
            is_used_up=limit.left is not None,
        )
        for limit in limits
    ]


def _row(title: str, holds_for: str, amount: int, left: int | None) -> LimitRow:
    written = "" if left is None else whole(left)
    return LimitRow(title, holds_for, whole(amount), written, round(100 * (left or 0) / amount) if amount else 0)


@dataclass(frozen=True)
class StorageRow:
    used: str
    most: str
    """The largest amount, or an empty text if there is no limit."""
    percent: int


def storage_row(standing: StorageStanding) -> StorageRow:
    return StorageRow(
        used=size(standing.used_bytes),
        most="" if standing.max_bytes is None else size(standing.max_bytes),
        percent=standing.percent or 0,
    )
