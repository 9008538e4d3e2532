"""Run one product whose settings name Stripe and an OpenID provider, each a stand-in on this machine."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.flows.product import Product
from tests.live_stack import LiveStack
from tests.open_id_provider import CLIENT_ID, SECRET, OpenIdProvider, running_provider
from tests.stand_in_stripe import SECRET_KEY, WEBHOOK_SECRET, StandIn, stand_in_stripe

GROUP = pytest.mark.xdist_group("configured")
"""The group of all tests that use it, so that a single process starts it."""


@dataclass(frozen=True)
class Configured:
    product: Product
    stripe: StandIn
    provider: OpenIdProvider


@contextmanager
def running_configured(home: Path) -> Iterator[Configured]:
    with stand_in_stripe() as stripe, running_provider() as provider:
        variables = {
            "MAAS_STRIPE_SECRET_KEY": SECRET_KEY,
            "MAAS_STRIPE_WEBHOOK_SECRET": WEBHOOK_SECRET,
            "MAAS_STRIPE_API_BASE": stripe.url,
            "MAAS_STRIPE_CHECKOUT": stripe.url,
            "MAAS_SIGN_UP": "open",
            "MAAS_OIDC_PROVIDERS": "company",
            "MAAS_OIDC_COMPANY_URL": provider.url,
            "MAAS_OIDC_COMPANY_CLIENT_ID": CLIENT_ID,
            "MAAS_OIDC_COMPANY_SECRET": SECRET,
        }
        with LiveStack(home, variables=variables) as stack:
            yield Configured(Product(stack.wait_until_ready(), variables), stripe, provider)
