"""Which accounts an event of money moves, by how much: pure. What goes into one account comes out of others."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

CREDIT: Final = "credit"
"""What the tenant may spend; below zero, what it owes. The wallet's `available_micros` is its sum."""
HELD: Final = "held"
"""Set aside for work under way. The wallet's `held_micros` is its sum."""
REVENUE: Final = "revenue"
GRANTS: Final = "grants"
"""What the operator gave for nothing."""
UNCOLLECTED: Final = "uncollected"
"""Work that was done and is not paid, since a balance or budget had no more: the operator's loss."""
RECEIVABLE: Final = "receivable"
"""What was billed and is not paid yet."""
PAYMENTS: Final = "payments"
"""What came in from outside."""
ACCOUNTS: Final = (CREDIT, HELD, REVENUE, GRANTS, UNCOLLECTED, RECEIVABLE, PAYMENTS)

HOLD: Final = "hold"
CHARGE: Final = "charge"
RELEASE: Final = "release"
GRANT: Final = "grant"
KINDS: Final = (HOLD, CHARGE, RELEASE, GRANT)
Kind = Literal["hold", "charge", "release", "grant"]


@dataclass(frozen=True, slots=True)
class Entry:
    """Above zero is what the account has more: of the tenant's money, or of the operator's income."""

    account: str
    amount_micros: int


@dataclass(frozen=True, slots=True)
class Posting:
    kind: Kind
    entries: tuple[Entry, ...]

    def moved(self, account: str) -> int:
        return sum(entry.amount_micros for entry in self.entries if entry.account == account)

    @property
    def is_balanced(self) -> bool:
        return sum(entry.amount_micros for entry in self.entries) == 0


def hold(amount_micros: int) -> Posting:
    """Before the work: nobody else can spend it."""
    return Posting(HOLD, _entries((CREDIT, -amount_micros), (HELD, amount_micros)))


def settlement(*, held_micros: int, cost_micros: int, collected_micros: int) -> Posting:
    """After the work: the hold is gone, and of the cost as much is taken as can be had."""
    if not 0 <= collected_micros <= cost_micros:
        raise ValueError(f"of a cost of {cost_micros} it is not possible to collect {collected_micros}")
    return Posting(
        CHARGE if cost_micros else RELEASE,
        _entries(
            (HELD, -held_micros),
            (CREDIT, held_micros - collected_micros),
            (REVENUE, cost_micros),
            (UNCOLLECTED, collected_micros - cost_micros),
        ),
    )


def grant(amount_micros: int) -> Posting:
    """Below zero it is taken back."""
    return Posting(GRANT, _entries((CREDIT, amount_micros), (GRANTS, -amount_micros)))


def collectable(*, cost_micros: int, held_micros: int, rooms_micros: Iterable[int]) -> int:
    """Of a cost that passes its hold: what balance and budgets still have room for, and no more."""
    room = min(rooms_micros, default=None)
    if room is None:
        return cost_micros
    return min(cost_micros, held_micros + max(0, room))


def _entries(*moves: tuple[str, int]) -> tuple[Entry, ...]:
    return tuple(Entry(account, amount) for account, amount in moves if amount)
