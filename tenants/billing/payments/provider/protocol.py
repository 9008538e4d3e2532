"""Requests to payment providers and their responses. One that stores cards implements `CardProvider`. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol
from uuid import UUID

State = Literal["pending", "succeeded", "failed", "canceled"]


@dataclass(frozen=True, slots=True)
class Order:
    """An order for one payment. All of it stays the same, however often it is sent."""

    payment_id: UUID
    tenant_id: UUID
    currency: str
    amount_micros: int
    text: str
    """The text that the payer reads."""
    return_url: str
    created_at: datetime
    customer_id: str = ""
    method_id: str = ""
    provider_id: str = ""
    checkout_id: str = ""

    def standing(self, state: State, provider_id: str = "", failure: str = "") -> "Standing":
        ids = (self.payment_id, self.tenant_id, provider_id)
        return Standing(state, self.currency, self.amount_micros, *ids, failure)


@dataclass(frozen=True, slots=True)
class Begun:
    """The page on which the payer continues. Both fields are empty if the payer acts alone, as with a transfer."""

    checkout_id: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class Standing:
    """The status of a payment according to its provider."""

    state: State
    currency: str
    amount_micros: int
    payment_id: UUID | None = None
    tenant_id: UUID | None = None
    """The tenant that we named to the provider. None if the payment is not ours."""
    provider_id: str = ""
    failure: str = ""
    refunded_micros: int = 0


@dataclass(frozen=True, slots=True)
class RefundOrder:
    refund_id: UUID
    tenant_id: UUID
    provider_id: str
    """The provider's id of the payment."""
    currency: str
    amount_micros: int


@dataclass(frozen=True, slots=True)
class RefundStanding:
    state: State
    currency: str
    amount_micros: int
    provider_id: str
    of_provider_id: str
    """The provider's id of the payment."""
    refund_id: UUID | None = None
    """Our id of the refund. None if it was decided elsewhere, for example on the provider's own pages."""
    failure: str = ""


@dataclass(frozen=True, slots=True)
class DisputeStanding:
    of_provider_id: str
    """The provider's id of the payment."""
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
    """The time at which its page was requested, by our clock."""


class PaymentProvider(Protocol):
    """A payment provider. Each call may take seconds, and raises ProviderAway if its outcome is unknown."""

    @property
    def name(self) -> str: ...

    def begin(self, order: Order) -> Begun:
        """Begin a payment. The same order always gives the same result. Raises ProviderRefused."""

    def look(self, order: Order) -> Standing | None:
        """Return the status of the payment, or None if the provider never received it."""

    def refund(self, order: RefundOrder) -> RefundStanding:
        """Refund a payment. It repeats and raises like `begin`."""

    def look_at_refund(self, order: RefundOrder) -> RefundStanding | None: ...


class CardProvider(PaymentProvider, Protocol):
    def new_customer(self, tenant_id: UUID, name: str) -> str: ...

    def begin_saving(self, tenant_id: UUID, customer_id: str, return_url: str, begun_at: datetime) -> str:
        """Return the URL of the page on which a card is saved."""

    def saved_card(self, checkout_id: str) -> SavedCard | None: ...

    def forget_card(self, method_id: str) -> None: ...

    def charge(self, order: Order) -> Standing:
        """Charge the saved card without the payer present. It repeats and raises like `begin`."""

    def close(self, order: Order) -> None:
        """Close the payment's page, so that nobody can pay on it any more."""

    def paid_since(self, since: datetime) -> Iterator[Standing]:
        """Yield the payments that were begun since then and have succeeded. Only our own are included."""

    def disputes_since(self, since: datetime) -> Iterator[DisputeStanding]:
        """Yield all disputes that were opened since then, including those about payments that are not ours."""
