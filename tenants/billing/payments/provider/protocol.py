"""What a provider of payments is asked, and what it says: pure.

Whoever offers `PaymentProvider` can be paid through; one that keeps cards offers `CardProvider` beside.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol
from uuid import UUID

State = Literal["pending", "succeeded", "failed", "canceled"]


@dataclass(frozen=True, slots=True)
class Order:
    """One payment that is wanted. All of it stays the same, however often it is asked for."""

    payment_id: UUID
    tenant_id: UUID
    currency: str
    amount_micros: int
    text: str
    """What the payer reads."""
    return_url: str
    created_at: datetime
    customer_id: str = ""
    method_id: str = ""
    provider_id: str = ""
    checkout_id: str = ""


@dataclass(frozen=True, slots=True)
class Begun:
    """Where the payer goes on; both are empty where the payer acts by itself, as with a transfer."""

    checkout_id: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class Standing:
    """How a payment stands, as its provider says."""

    state: State
    currency: str
    amount_micros: int
    payment_id: UUID | None = None
    tenant_id: UUID | None = None
    """As we told the provider; None of what is no payment of ours."""
    provider_id: str = ""
    failure: str = ""
    refunded_micros: int = 0


@dataclass(frozen=True, slots=True)
class RefundOrder:
    refund_id: UUID
    tenant_id: UUID
    provider_id: str
    """Of the payment."""
    currency: str
    amount_micros: int


@dataclass(frozen=True, slots=True)
class RefundStanding:
    state: State
    currency: str
    amount_micros: int
    provider_id: str
    of_provider_id: str
    """The payment's."""
    refund_id: UUID | None = None
    """None of what was decided elsewhere, as in the provider's own pages."""
    failure: str = ""


@dataclass(frozen=True, slots=True)
class DisputeStanding:
    of_provider_id: str
    """The payment's."""
    provider_id: str
    status: str
    reason: str
    currency: str
    amount_micros: int


@dataclass(frozen=True, slots=True)
class SavedCard:
    tenant_id: UUID | None
    customer_id: str
    method_id: str
    text: str
    begun_at: datetime
    """When its page was asked for, by our clock."""


class PaymentProvider(Protocol):
    """Each call may take seconds, and raises ProviderAway where nobody can say what became of it."""

    @property
    def name(self) -> str: ...

    def begin(self, order: Order) -> Begun:
        """Asked again with the same order, it answers the same. Raises ProviderRefused."""

    def look(self, order: Order) -> Standing | None:
        """None where the provider never heard of it."""

    def refund(self, order: RefundOrder) -> RefundStanding:
        """As `begin`."""

    def look_at_refund(self, order: RefundOrder) -> RefundStanding | None: ...


class CardProvider(PaymentProvider, Protocol):
    def new_customer(self, tenant_id: UUID, name: str) -> str: ...

    def begin_saving(self, tenant_id: UUID, customer_id: str, return_url: str, begun_at: datetime) -> str:
        """The address of the page on which a card is saved."""

    def saved_card(self, checkout_id: str) -> SavedCard | None: ...

    def forget_card(self, method_id: str) -> None: ...

    def charge(self, order: Order) -> Standing:
        """From the saved card, with nobody there. As `begin`."""

    def close(self, order: Order) -> None:
        """Nobody can pay on its page any more."""

    def paid_since(self, since: datetime) -> Iterator[Standing]:
        """Of payments that were begun since then, ours alone, those that came in."""

    def disputes_since(self, since: datetime) -> Iterator[DisputeStanding]:
        """Those that were opened since then, whosever payments they are of."""
