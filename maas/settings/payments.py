"""Converts the variables for payments into Django's settings. It is pure."""

from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

STRIPE_API = "https://api.stripe.com"
STRIPE_CHECKOUT = "https://checkout.stripe.com"


@dataclass(frozen=True)
class StripeSettings:
    secret_key: str
    webhook_secret: str
    api_base: str
    checkout: str


def stripe_settings(secret_key: str, webhook_secret: str, api_base: str, checkout: str) -> StripeSettings:
    """Return the settings. Without a key, Stripe is never called, and payments are bank transfers."""
    if secret_key and not secret_key.startswith(("sk_", "rk_")):
        raise ImproperlyConfigured("MAAS_STRIPE_SECRET_KEY must be a secret key of Stripe: sk_… or rk_…")
    if webhook_secret and not secret_key:
        raise ImproperlyConfigured("MAAS_STRIPE_WEBHOOK_SECRET is of no use without MAAS_STRIPE_SECRET_KEY")
    return StripeSettings(
        secret_key,
        webhook_secret,
        _origin("MAAS_STRIPE_API_BASE", api_base),
        _origin("MAAS_STRIPE_CHECKOUT", checkout),
    )


def _origin(name: str, url: str) -> str:
    parts = urlsplit(url)
    bare = parts.hostname and not (parts.path.strip("/") or parts.query or parts.fragment or parts.username)
    if not bare or not (parts.scheme == "https" or (parts.scheme == "http" and _is_loopback(parts.hostname))):
        raise ImproperlyConfigured(
            f"{name}={url!r} must be https:// with a host and no more; http:// is for this machine alone"
        )
    return f"{parts.scheme}://{parts.netloc}"


def _is_loopback(host: str | None) -> bool:
    try:
        return ip_address(host or "").is_loopback
    except ValueError:
        return host == "localhost"
