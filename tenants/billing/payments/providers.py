"""The available providers: transfers always, and Stripe if it has a key."""

from tenants.billing.payments.protocol import (
    Begun,
    CardProvider,
    NoSuchProvider,
    Order,
    PaymentProvider,
    RefundOrder,
    RefundStanding,
    Standing,
)
from tenants.billing.payments.stripe.payments import STRIPE, Stripe, is_configured
from tenants.core.messages import one_of

OFFLINE = "offline"
WORDS = {STRIPE: "by card", OFFLINE: "by bank transfer"}


class Offline:
    """The provider for bank transfers. It sends no requests and returns only the payments that an operator has
    entered.
    """

    name = OFFLINE

    def begin(self, order: Order) -> Begun:
        return Begun()

    def look(self, order: Order) -> Standing | None:
        return order.standing("pending")

    def refund(self, order: RefundOrder) -> RefundStanding:
        """Report the refund as done. The person who decides it sends the transfer."""
        return RefundStanding("succeeded", order.currency, order.amount_micros, "", order.provider_id, order.refund_id)

    def look_at_refund(self, order: RefundOrder) -> RefundStanding | None:
        return self.refund(order)


def provider_names() -> list[str]:
    """Return the names of the providers, the usual one first."""
    return [STRIPE, OFFLINE] if is_configured() else [OFFLINE]


def checked_provider(name: str) -> str:
    if name not in provider_names():
        raise NoSuchProvider(f"Unknown payment provider {name[:40]!r}. Use {one_of(provider_names())}.")
    return name


def provider_named(name: str) -> PaymentProvider:
    if name == OFFLINE:
        return Offline()
    checked_provider(name)
    return Stripe()


def card_provider() -> CardProvider | None:
    return Stripe() if is_configured() else None
