"""What all payment providers share: requests, responses, errors, times, and the comparison with our books. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal, Protocol
from uuid import UUID

from tenants.billing.ledger.checks import Compared
from tenants.core.errors import DomainError

State = Literal["pending", "succeeded", "failed", "canceled"]
COMPARED = "provider"
"""The name of the comparison with a provider's own list."""
AFTER_DAYS = (1, 3, 5, 7)
"""Days from the first refusal of a saved card to each new try. Afterwards, only another saved card is tried."""
ASKED_AGAIN_WITHIN = timedelta(hours=23)
"""The time in which a request may be repeated: providers recognize a repeated one for a day. Later it is looked up."""
CHECKOUT_LASTS = timedelta(hours=2)
LOOK_AFTER = timedelta(minutes=5)
LOOK_EVERY = timedelta(minutes=15)
PAGE_LOOKS_EVERY = timedelta(seconds=15)
_AT_ONCE = datetime.min.replace(tzinfo=UTC)


class NoSuchPayment(DomainError):
    """The error for an unknown payment. Its text is the same if the payment belongs to another tenant."""

    code = "not_found"


class InvoiceNotOpen(DomainError):
    code = "invoice_not_open"


class FormReused(DomainError):
    code = "idempotency_key_reused"


class NoSuchProvider(DomainError):
    code = "invalid_request"


class PaymentRefused(DomainError):
    code = "payment_refused"


class ProviderUnavailable(DomainError):
    code = "payment_provider_unavailable"
    gate = "payment_provider"


class WrongSignature(DomainError):
    code = "signature_invalid"


class NotRefundable(ValueError):
    """The error for a refund that is not possible. It is for operators and never shown to callers."""


class NotBookable(ValueError):
    """The error for a booking that is not possible. It is for operators and never shown to callers."""


class ProviderAway(Exception):
    """The error for a request to the provider whose outcome is unknown. Query the status before any further request."""


class ProviderRefused(Exception):
    """The error for an action that the provider did not do, and would not do if it were asked again."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


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
        """Yield all disputes that were opened since then, including those about payments that this product did not
        make.
        """


def next_try(refused: Sequence[datetime]) -> datetime | None:
    """Return the time of the next try, or None for no further one. `refused` holds past refusals, oldest first."""
    if not refused:
        return _AT_ONCE
    if len(refused) > len(AFTER_DAYS):
        return None
    return refused[0] + timedelta(days=AFTER_DAYS[len(refused) - 1])


def may_ask_again(requested_at: datetime | None, now: datetime) -> bool:
    return requested_at is None or now - requested_at < ASKED_AGAIN_WITHIN


@dataclass(frozen=True, slots=True)
class Ours:
    """The amount that we recorded as received, and the amount that we recorded as refunded."""

    tenant_id: UUID
    currency: str
    came_micros: int
    back_micros: int


def against_provider(
    ours: Mapping[UUID, Ours], theirs: Iterable[Standing], *, tenants: Mapping[UUID, UUID]
) -> Iterator[Compared]:
    """Yield the differences. `expected` is what is left according to the provider. `tenants` are by payment id.

    A payment without a tenant of ours belongs to another installation that uses the same provider account.
    """
    seen = set()
    for their in theirs:
        if their.payment_id is None:
            continue
        seen.add(their.payment_id)
        tenant_id = tenants.get(their.payment_id)
        if tenant_id is None:
            continue
        our = ours.get(their.payment_id)
        left = their.amount_micros - their.refunded_micros
        found = our.came_micros - our.back_micros if our and our.currency == their.currency else 0
        if found != left:
            yield Compared(tenant_id, COMPARED, their.currency, str(their.payment_id), left, found)
    for payment_id, our in ours.items():
        if payment_id not in seen and our.came_micros:
            left = our.came_micros - our.back_micros
            yield Compared(our.tenant_id, COMPARED, our.currency, str(payment_id), 0, left)
