"""Limits on what an account holds, which apps above this one count. They register how much is left of each."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True)
class CountedLimit:
    name: str
    """The name in the API."""
    title: str
    amount: int
    left: int | None
    """The amount left, or None for the size of a single thing, which nothing uses up."""
    unit: str = ""


Counter = Callable[[UUID], Sequence[CountedLimit]]
"""A function that is called with the tenant, in its unit of work."""
_counters: list[Counter] = []


def register_limits(count: Counter) -> None:
    """Register a function that returns limits of an account, once, at the start."""
    if count not in _counters:
        _counters.append(count)


def counted_limits(tenant_id: UUID) -> list[CountedLimit]:
    """Return the limits that were registered. Call this in the tenant's unit of work."""
    return [limit for count in _counters for limit in count(tenant_id)]
