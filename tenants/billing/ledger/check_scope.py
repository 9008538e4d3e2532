"""Decides which days and tenants a check of the books reads row by row. Pure.

The newest days are read every night, and of the rest a part: each day and each tenant once in `PARTS` nights. Whatever
has an open difference is read every night, until it is resolved.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from uuid import UUID

PARTS = 28
"""The nights in which everything is read once."""
NEWEST_DAYS = 3


@dataclass(frozen=True, slots=True)
class CheckScope:
    days: tuple[date, ...] | None
    """The days whose entries are read one by one. None: all."""
    tenants: tuple[UUID, ...] | None
    """The tenants whose stored data is read one by one. None: all."""
    doubtful: tuple[UUID, ...] = ()
    """The tenants whose holds are all compared, whatever their day."""


EVERYTHING = CheckScope(None, None)


@dataclass(frozen=True, slots=True)
class Open:
    """What has a difference that is not resolved."""

    days: frozenset[date] = frozenset()
    stored: frozenset[UUID] = frozenset()
    """The tenants whose stored data differs."""
    holds: frozenset[UUID] = frozenset()
    """The tenants with a hold that differs."""


def tonight(today: date, first: date, tenants: Iterable[UUID], still: Open) -> CheckScope:
    """Return what is read on the night of `today`. The ledger begins on the day `first`, and may name days to come."""
    part = today.toordinal() % PARTS
    newest = {today + timedelta(days=ahead) for ahead in range(1 - NEWEST_DAYS, 2)}
    old = range(first.toordinal() + (part - first.toordinal()) % PARTS, today.toordinal(), PARTS)
    days = newest | {date.fromordinal(number) for number in old} | still.days
    chosen = {tenant for tenant in tenants if tenant.int % PARTS == part} | still.stored
    return CheckScope(tuple(sorted(days)), tuple(sorted(chosen)), tuple(sorted(still.holds)))
