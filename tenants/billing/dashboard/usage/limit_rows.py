"""The limits of an account as rows for people: the limits themselves and what is left of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from tenants.dashboard_base.wording import whole
from tenants.limits.rates.free_day import Left
from tenants.limits.rates.headers import Standing
from tenants.limits.rates.limits import Limit
from tenants.limits.storage.capacity import StorageStanding
from tenants.limits.storage.wording import size

TITLES = {
    "requests": "Requests per minute",
    "tokens": "Tokens per minute",
    "pages": "Pages per minute",
    "calls": "Concurrent calls",
}


@dataclass(frozen=True)
class LimitRow:
    title: str
    holds_for: str
    amount: str
    left: str
    """The amount left, or an empty text while it is unknown."""
    left_percent: int


def limit_rows(limits: Sequence[Limit], standings: Sequence[Standing] | None) -> list[LimitRow]:
    """Return the rows. `standings` holds one entry for each limit, in the same order. It is None if they cannot be
    read.
    """
    told: Sequence[Standing | None] = standings or [None] * len(limits)
    return [_row(limit, standing) for limit, standing in zip(limits, told, strict=True)]


def _row(limit: Limit, standing: Standing | None) -> LimitRow:
    model = limit.subject.partition(":")[2]
    left = max(0, standing.left) if standing else 0
    return LimitRow(
        title=TITLES[limit.kind],
        holds_for=model if limit.of == "model" else "All models",
        amount=whole(limit.amount),
        left=whole(left) if standing else "",
        left_percent=round(100 * left / limit.amount),
    )


_OF_TESTS = {"pages": "Pages per day", "calls": "Calls per day"}


def rows_of_tests(days: Sequence[Left]) -> list[LimitRow]:
    """Return the rows for what the account's test keys may use until midnight UTC."""
    return [
        LimitRow(
            title=_OF_TESTS[day.kind],
            holds_for="Test keys",
            amount=whole(day.most),
            left="" if day.left is None else whole(day.left),
            left_percent=round(100 * (day.left or 0) / day.most),
        )
        for day in days
    ]


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
