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
"""What was billed and is not paid yet (below zero)."""
PAYMENTS: Final = "payments"
"""What came in from outside (below zero)."""
TAX: Final = "tax"
"""What was billed beside and is owed to the state."""
ACCOUNTS: Final = (CREDIT, HELD, REVENUE, GRANTS, UNCOLLECTED, RECEIVABLE, PAYMENTS, TAX)

HOLD: Final = "hold"
CHARGE: Final = "charge"
RELEASE: Final = "release"
GRANT: Final = "grant"
BILL: Final = "bill"
CORRECTION: Final = "correction"
PAYMENT: Final = "payment"
REFUND: Final = "refund"
WRITE_OFF: Final = "write_off"
KINDS: Final = (HOLD, CHARGE, RELEASE, GRANT, BILL, CORRECTION, PAYMENT, REFUND, WRITE_OFF)
ONCE: Final = (BILL, CORRECTION, PAYMENT, REFUND, WRITE_OFF)
"""Of one source there is one of these."""
Kind = Literal["hold", "charge", "release", "grant", "bill", "correction", "payment", "refund", "write_off"]


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


def bill(*, adjusted_micros: int, tax_micros: int, due_micros: int) -> Posting:
    """What an invoice says beyond what was charged as it was used, its tax, and what of it all is to be paid."""
    return Posting(
        BILL,
        _entries(
            (REVENUE, adjusted_micros),
            (TAX, tax_micros),
            (RECEIVABLE, -due_micros),
            (CREDIT, due_micros - adjusted_micros - tax_micros),
        ),
    )


def correction(*, net_micros: int, tax_micros: int, open_micros: int) -> Posting:
    """A credit note: first what is still to be paid is less, and what was paid already is credit again."""
    total = net_micros + tax_micros
    if not 0 <= open_micros <= total:
        raise ValueError(f"of {total} it is not possible to take {open_micros} from what is open")
    return Posting(
        CORRECTION,
        _entries(
            (REVENUE, -net_micros),
            (TAX, -tax_micros),
            (RECEIVABLE, open_micros),
            (CREDIT, total - open_micros),
        ),
    )


def payment(*, amount_micros: int, open_micros: int) -> Posting:
    """What came in goes to the invoice as far as it is open, and what is left is credit."""
    if not 0 <= open_micros <= amount_micros:
        raise ValueError(f"of {amount_micros} it is not possible to pay {open_micros}")
    return Posting(
        PAYMENT,
        _entries(
            (PAYMENTS, -amount_micros), (RECEIVABLE, open_micros), (CREDIT, amount_micros - open_micros)
        ),
    )


def refund(*, amount_micros: int, reopened_micros: int) -> Posting:
    """What goes back is owed again on the invoice that it had paid, or taken out of credit."""
    if not 0 <= reopened_micros <= amount_micros:
        raise ValueError(f"of {amount_micros} it is not possible to reopen {reopened_micros}")
    return Posting(
        REFUND,
        _entries(
            (PAYMENTS, amount_micros),
            (RECEIVABLE, -reopened_micros),
            (CREDIT, reopened_micros - amount_micros),
        ),
    )


def write_off(amount_micros: int) -> Posting:
    """Of an invoice that nobody will pay: the operator's loss."""
    return Posting(WRITE_OFF, _entries((RECEIVABLE, amount_micros), (UNCOLLECTED, -amount_micros)))


def collectable(*, cost_micros: int, held_micros: int, rooms_micros: Iterable[int]) -> int:
    """Of a cost that passes its hold: what balance and budgets still have room for, and no more."""
    room = min(rooms_micros, default=None)
    if room is None:
        return cost_micros
    return min(cost_micros, held_micros + max(0, room))


def _entries(*moves: tuple[str, int]) -> tuple[Entry, ...]:
    return tuple(Entry(account, amount) for account, amount in moves if amount)
