"""The available providers: transfers always, and Stripe if it has a key."""

from tenants.billing.payments.bank_transfer import OFFLINE, Offline
from tenants.billing.payments.provider.errors import NoSuchProvider
from tenants.billing.payments.provider.protocol import CardProvider, PaymentProvider
from tenants.billing.payments.stripe.client import is_configured
from tenants.billing.payments.stripe.payments import STRIPE, Stripe
from tenants.core.messages import one_of

WORDS = {STRIPE: "by card", OFFLINE: "by bank transfer"}


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
