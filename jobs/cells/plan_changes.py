"""Decides what changes in a cell so that its plan is that of the control cell, or why it cannot be. Pure.

What has begun in a cell stays: bills were made by it. So a price that began while the cell was away begins when the
cell learns of it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

import msgspec

from jobs.cells.documents import IncludedPart, PlanPart, PricePart
from tenants.core.messages import names_in_words
from tenants.plans.wording import money

V = TypeVar("V", PricePart, IncludedPart)


@dataclass(frozen=True, slots=True)
class Versions(Generic[V]):
    """The versions of prices or included units to delete, none of which has begun, and those to add."""

    deleted: tuple[V, ...] = ()
    added: tuple[V, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.deleted or self.added)


@dataclass(frozen=True, slots=True)
class PlanHere:
    """A plan as this cell has it."""

    part: PlanPart
    sold: bool
    """Set if an account of this cell has or had the plan."""
    replicated: bool
    """Set if it came from the control cell."""


def price_versions(here: Sequence[PricePart], wanted: Sequence[PricePart], now: datetime) -> Versions[PricePart]:
    return _versions(here, wanted, now, lambda last: msgspec.structs.replace(last, amount_micros=None))


def included_versions(
    here: Sequence[IncludedPart], wanted: Sequence[IncludedPart], now: datetime
) -> Versions[IncludedPart]:
    return _versions(here, wanted, now, lambda last: msgspec.structs.replace(last, quantity=0))


def plan_refusal(here: PlanHere | None, wanted: PlanPart, now: datetime) -> str:
    """Return why the plan cannot be taken over, or an empty text."""
    if here is None or not here.sold:
        return ""
    differing = []
    if (here.part.monthly_fee_micros, here.part.currency) != (wanted.monthly_fee_micros, wanted.currency):
        differing.append(
            f"its fee is {money(here.part.monthly_fee_micros, here.part.currency)} here and "
            f"{money(wanted.monthly_fee_micros, wanted.currency)} there"
        )
    if here.replicated:
        # The control cell adds prices to its own plan, which is no contradiction. A fee that was sold stays.
        why = "Accounts of this cell have it, so its fee stays"
        return f"{why}: {differing[0]}. Duplicate it in the control cell instead." if differing else ""
    prices = price_versions(here.part.prices, wanted.prices, now)
    units = included_versions(here.part.included, wanted.included, now)
    if prices:
        differing.append(f"prices differ: {_named(prices)}")
    if units:
        differing.append(f"included units differ: {_named(units)}")
    if not differing:
        return ""
    return (
        f"A plan of this code was made in this cell, and accounts have it: {'; '.join(differing)}. Give the plan in "
        "the control cell another code, or make both alike."
    )


def _versions(here: Sequence[V], wanted: Sequence[V], now: datetime, ended: Callable[[V], V]) -> Versions[V]:
    """Return the changes after which the same holds from now on. What held before stays as it is."""
    deleted: list[V] = []
    added: list[V] = []
    for key in sorted({_key(version) for version in (*here, *wanted)}):
        ours = [version for version in here if _key(version) == key]
        theirs = [version for version in wanted if _key(version) == key]
        now_here, now_there = _holding(ours, now), _holding(theirs, now)
        if now_there is None and now_here is not None:
            now_there = ended(now_here)
        if now_there is not None and _figures(now_there) != _figures(now_here or ended(now_there)):
            added.append(msgspec.structs.replace(now_there, valid_from=now))
        coming = [version for version in theirs if version.valid_from > now]
        planned = [version for version in ours if version.valid_from > now]
        deleted += [version for version in planned if version not in coming]
        added += [version for version in coming if version not in planned]
    return Versions(tuple(deleted), tuple(added))


def _key(version: PricePart | IncludedPart) -> tuple[str, str]:
    return version.model, version.meter


def _holding(versions: Iterable[V], now: datetime) -> V | None:
    begun = [version for version in versions if version.valid_from <= now]
    return max(begun, key=lambda version: version.valid_from, default=None)


def _figures(version: PricePart | IncludedPart) -> tuple[object, ...]:
    if isinstance(version, IncludedPart):
        return (version.quantity,)
    if version.amount_micros is None:
        return (None,)
    return version.amount_micros, version.per, version.cached_micros, version.review_micros


def _named(versions: Versions[V]) -> str:
    both = dict.fromkeys((*versions.deleted, *versions.added))
    return names_in_words(dict.fromkeys(f"{version.model or 'all models'} per {version.meter}" for version in both))
