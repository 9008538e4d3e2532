"""The Stripe library, set up once for each key, and the translation of its errors into ours."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import stripe
import structlog
from django.conf import settings
from stripe import RequestsClient, StripeClient

from tenants.billing.payments.provider.errors import ProviderAway, ProviderRefused

log = structlog.get_logger(__name__)
CONNECT_S, ANSWER_S = 4.0, 15.0
RETRIES = 1
"""Retries by the library itself, under the same idempotency key. One is enough, as a person or a task waits."""
stripe.enable_telemetry = False


@cache
def client_of(key: str, base: str) -> StripeClient:
    return StripeClient(
        key,
        base_addresses={"api": base},
        max_network_retries=RETRIES,
        http_client=RequestsClient(timeout=(CONNECT_S, ANSWER_S)),
    )


def client() -> StripeClient:
    """Return the client for the present settings."""
    return client_of(settings.MAAS_STRIPE_SECRET_KEY, settings.MAAS_STRIPE_API_BASE)


def is_configured() -> bool:
    return bool(settings.MAAS_STRIPE_SECRET_KEY)


def is_live() -> bool:
    """Return whether the key moves real money. The names that Stripe gives to keys show this."""
    return "_live_" in settings.MAAS_STRIPE_SECRET_KEY[:9]


@contextmanager
def in_our_words() -> Iterator[None]:
    """Translate errors. Stripe's messages are neither shown nor logged: they may contain a part of the key."""
    try:
        yield
    except stripe.InvalidRequestError as error:
        log.info("stripe_request_refused", code=error.code, param=error.param)
        raise ProviderRefused(str(error.code or "invalid_request")[:100]) from None
    except stripe.CardError as error:
        raise ProviderRefused(str(error.code or "declined")[:100]) from None
    except (stripe.AuthenticationError, stripe.PermissionError) as error:
        log.warning("stripe_key_refused", status=error.http_status)
        raise ProviderAway("Stripe does not accept the key") from None
    except stripe.StripeError as error:
        # This includes a request under a known idempotency key with another body. The outcome of the first request is
        # then still unknown.
        log.warning("stripe_unavailable", error=type(error).__name__, status=error.http_status)
        raise ProviderAway(f"Stripe: {type(error).__name__}") from None
