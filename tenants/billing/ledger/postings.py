"""Decides which accounts a money transaction changes, and by how much. Its amounts come to 0 together. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

CREDIT: Final = "credit"
"""The amount that the tenant may spend, or that it owes if negative. The wallet's `available_micros` is its sum."""
HELD: Final = "held"
"""The amount held for work in progress. The wallet's `held_micros` is its sum."""
REVENUE: Final = "revenue"
GRANTS: Final = "grants"
"""Credit that the operator gave for free."""
UNCOLLECTED: Final = "uncollected"
"""Work that was done but not paid, because a balance or budget was used up. It is the operator's loss."""
RECEIVABLE: Final = "receivable"
"""Billed amounts that are not paid yet (below zero)."""
PAYMENTS: Final = "payments"
"""Payments received from outside (below zero)."""
TAX: Final = "tax"
"""Tax that was billed in addition and is owed to the state."""
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
"""Kinds that occur at most once per source."""
Kind = Literal["hold", "charge", "release", "grant", "bill", "correction", "payment", "refund", "write_off"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A change of an account. A positive amount adds to the tenant's money or to the operator's income."""

    account: str
    amount_micros: int


@dataclass(frozen=True, slots=True)
class Posting:
    kind: Kind
    entries: tuple[Entry, ...]

    def moved(self, account: str) -> int:
        return sum(entry.amount_micros for entry in self.entries if entry.account == account)


def hold(amount_micros: int) -> Posting:
    """Hold an amount before the work, so that nothing else can spend it."""
    return Posting(HOLD, _entries((CREDIT, -amount_micros), (HELD, amount_micros)))


def settlement(*, held_micros: int, cost_micros: int, collected_micros: int) -> Posting:
    """Release the hold after the work, and collect as much of the cost as possible."""
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
    """Grant credit, or take it back if the amount is negative."""
    return Posting(GRANT, _entries((CREDIT, amount_micros), (GRANTS, -amount_micros)))


def bill(*, adjusted_micros: int, tax_micros: int, due_micros: int) -> Posting:
    """Post an invoice: the amount beyond the charges made at use, the tax, and the part still to be paid."""
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
    """Post a credit note. It first reduces the open amount, and the part that was already paid becomes credit again."""
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
    """Post a payment. It pays the open amount of the invoice, and the rest becomes credit."""
    if not 0 <= open_micros <= amount_micros:
        raise ValueError(f"of {amount_micros} it is not possible to pay {open_micros}")
    return Posting(
        PAYMENT,
        _entries((PAYMENTS, -amount_micros), (RECEIVABLE, open_micros), (CREDIT, amount_micros - open_micros)),
    )


def refund(*, amount_micros: int, reopened_micros: int) -> Posting:
    """Return the posting of a refund. The amount becomes due again on the invoice that it had paid, or is taken out of
    the credit.
    """
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
    """Post the write-off of an invoice that will not be paid. It is the operator's loss."""
    return Posting(WRITE_OFF, _entries((RECEIVABLE, amount_micros), (UNCOLLECTED, -amount_micros)))


def collectable(*, cost_micros: int, held_micros: int, rooms_micros: Iterable[int]) -> int:
    """Return the part of a cost that can be collected: the hold plus the headroom, up to the cost."""
    room = min(rooms_micros, default=None)
    if room is None:
        return cost_micros
    return min(cost_micros, held_micros + max(0, room))


def _entries(*moves: tuple[str, int]) -> tuple[Entry, ...]:
    return tuple(Entry(account, amount) for account, amount in moves if amount)
