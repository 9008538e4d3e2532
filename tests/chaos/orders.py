"""The orders of a run's callers. Each is determined only by the seed and its number. It is pure."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from .picky import BAD_ROW, GOOD_ROWS

CALLS, BATCHES, HOOKED, BOUNDED = 0.05, 0.004, 0.1, 0.04
"""Shares of the orders: synchronous calls, batches, jobs that name a webhook, and jobs with a deadline."""
MAX_LINES = 12


@dataclass(frozen=True, slots=True)
class Order:
    key: str
    row: int
    may_reuse: bool
    sends_twice: bool
    cancels: bool
    impatient: bool
    """True if the caller disconnects on the first attempt before there can be a response."""
    calls: bool = False
    """True for a synchronous call instead of a job."""
    lines: int = 0
    """The number of requests in a batch, or 0 if the order is not a batch."""
    hooked: bool = False
    """True if the order names an address to notify at the job's end."""
    expires_after_s: int | None = None
    cancel_after_s: int | None = None

    @classmethod
    def draw(cls, seed: int, number: int, *, whole: bool = True) -> Self:
        """Draw an order. `whole` means orders of every kind rather than small jobs only."""
        chance = random.Random(f"{seed}/{number}")
        kind = chance.random() if whole else 1.0
        bounded_s = chance.randrange(1, 8) if whole and chance.random() < BOUNDED else None
        expires = chance.random() < 0.5
        return cls(
            key=f"chaos-{seed}-{number}",
            row=BAD_ROW if chance.random() < 0.02 else chance.randrange(GOOD_ROWS),
            may_reuse=chance.random() < 0.15,
            sends_twice=chance.random() < 0.05,
            cancels=chance.random() < 0.03,
            impatient=chance.random() < 0.03,
            calls=kind < CALLS,
            lines=chance.randint(1, MAX_LINES) if CALLS <= kind < CALLS + BATCHES else 0,
            hooked=whole and chance.random() < HOOKED,
            expires_after_s=bounded_s if expires else None,
            cancel_after_s=None if expires else bounded_s,
        )

    @property
    def is_job(self) -> bool:
        return not self.calls and not self.lines

    @property
    def ends(self) -> frozenset[str]:
        """Return the states in which the job may end."""
        left = {"canceled"} if self.cancels or self.cancel_after_s else set[str]()
        if self.expires_after_s:
            left.add("expired")
        return frozenset({"failed" if self.row == BAD_ROW else "succeeded", *left})


def orders_of(seed: int, jobs: int, *, whole: bool) -> Mapping[str, Order]:
    drawn = (Order.draw(seed, number, whole=whole) for number in range(jobs))
    return {order.key: order for order in drawn}
