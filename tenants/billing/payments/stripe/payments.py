"""Stripe as a payment provider: its payment pages, the cards that it stores, and queries of payments."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID

import stripe
import structlog
from django.conf import settings
from stripe import RequestsClient, StripeClient

from tenants.billing.payments.protocol import (
    CHECKOUT_LASTS,
    Begun,
    DisputeStanding,
    Order,
    ProviderAway,
    ProviderRefused,
    RefundOrder,
    RefundStanding,
    SavedCard,
    Standing,
)
from tenants.billing.payments.stripe import reading

log = structlog.get_logger(__name__)
CONNECT_S, ANSWER_S = 4.0, 15.0
RETRIES = 1
"""Retries by the library itself, under the same idempotency key. One is enough, as a person or a task waits."""
stripe.enable_telemetry = False
STRIPE = "stripe"
AT_ONCE = 100


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
        # A known idempotency key with another body is included: the first request's outcome is still unknown.
        log.warning("stripe_unavailable", error=type(error).__name__, status=error.http_status)
        raise ProviderAway(f"Stripe: {type(error).__name__}") from None


class Stripe:
    name = STRIPE

    def begin(self, order: Order) -> Begun:
        params: Any = {
            "mode": "payment",
            "client_reference_id": str(order.payment_id),
            "customer": order.customer_id,
            "line_items": [_line(order)],
            "metadata": _names(order),
            "payment_intent_data": {"metadata": _names(order), "description": order.text},
            "success_url": order.return_url,
            "cancel_url": order.return_url,
            "expires_at": int((order.created_at + CHECKOUT_LASTS).timestamp()),
        }
        with in_our_words():
            session = client().v1.checkout.sessions.create(params, _once(f"payment-{order.payment_id}"))
        return Begun(session.id, session.url or "")

    def look(self, order: Order) -> Standing | None:
        if order.checkout_id:
            return self._session(order.checkout_id)
        if order.provider_id:
            return self._intent(order.provider_id)
        return self._lost(order) if order.customer_id else None

    def _session(self, checkout_id: str) -> Standing:
        with in_our_words():
            session = client().v1.checkout.sessions.retrieve(checkout_id, {"expand": ["payment_intent"]})
        return reading.read_session(session.to_dict())

    def _intent(self, provider_id: str) -> Standing:
        with in_our_words():
            return reading.read_intent(client().v1.payment_intents.retrieve(provider_id).to_dict())

    def _lost(self, order: Order) -> Standing | None:
        """Find a payment by our names for it, after a request whose response never came."""
        since: Any = {"gte": int(order.created_at.timestamp()) - 60}
        listed: Any = {"customer": order.customer_id, "created": since, "limit": AT_ONCE}
        with in_our_words():
            for session in client().v1.checkout.sessions.list(listed).auto_paging_iter():
                if session.client_reference_id == str(order.payment_id):
                    return self._session(session.id)
            for intent in client().v1.payment_intents.list(listed).auto_paging_iter():
                standing = reading.read_intent(intent.to_dict())
                if standing.payment_id == order.payment_id:
                    return standing
        return None

    def charge(self, order: Order) -> Standing:
        params: Any = {
            "amount": _amount(order),
            "currency": order.currency.lower(),
            "customer": order.customer_id,
            "payment_method": order.method_id,
            "off_session": True,
            "confirm": True,
            "description": order.text,
            "metadata": _names(order),
        }
        with in_our_words():
            try:
                intent = client().v1.payment_intents.create(params, _once(f"payment-{order.payment_id}"))
            except stripe.CardError as declined:
                return _declined(order, declined)
        return reading.read_intent(intent.to_dict())

    def close(self, order: Order) -> None:
        """Close the page. A page that is over already needs nothing."""
        with in_our_words(), suppress(stripe.InvalidRequestError):
            client().v1.checkout.sessions.expire(order.checkout_id)

    def refund(self, order: RefundOrder) -> RefundStanding:
        params: Any = {
            "payment_intent": order.provider_id,
            "amount": _amount(order),
            "metadata": {reading.OF_REFUND: str(order.refund_id), reading.OF_TENANT: str(order.tenant_id)},
        }
        with in_our_words():
            made = client().v1.refunds.create(params, _once(f"refund-{order.refund_id}"))
        return reading.read_refund(made.to_dict())

    def look_at_refund(self, order: RefundOrder) -> RefundStanding | None:
        listed: Any = {"payment_intent": order.provider_id, "limit": AT_ONCE}
        with in_our_words():
            for refund in client().v1.refunds.list(listed).auto_paging_iter():
                standing = reading.read_refund(refund.to_dict())
                if standing.refund_id == order.refund_id:
                    return standing
        return None

    def paid_since(self, since: datetime) -> Iterator[Standing]:
        listed: Any = {"created": {"gte": int(since.timestamp())}, "limit": AT_ONCE}
        listed["expand"] = ["data.latest_charge"]
        with in_our_words():
            for intent in client().v1.payment_intents.list(listed).auto_paging_iter():
                standing = reading.read_intent(intent.to_dict())
                if standing.payment_id is not None and standing.state == "succeeded":
                    yield standing

    def disputes_since(self, since: datetime) -> Iterator[DisputeStanding]:
        listed: Any = {"created": {"gte": int(since.timestamp())}, "limit": AT_ONCE}
        with in_our_words():
            for dispute in client().v1.disputes.list(listed).auto_paging_iter():
                yield reading.read_dispute(dispute.to_dict())

    def new_customer(self, tenant_id: UUID, name: str) -> str:
        params: Any = {"name": name, "metadata": {reading.OF_TENANT: str(tenant_id)}}
        with in_our_words():
            return client().v1.customers.create(params, _once(f"customer-{tenant_id}")).id

    def begin_saving(self, tenant_id: UUID, customer_id: str, return_url: str, begun_at: datetime) -> str:
        """Create a page for saving a card. Each call creates a new page, which does no harm because no money moves."""
        params: Any = {
            "mode": "setup",
            "currency": "eur",
            "customer": customer_id,
            "metadata": {reading.OF_TENANT: str(tenant_id), reading.BEGUN_AT: begun_at.isoformat()},
            "success_url": f"{return_url}?saved={{CHECKOUT_SESSION_ID}}",
            "cancel_url": return_url,
        }
        with in_our_words():
            return client().v1.checkout.sessions.create(params).url or ""

    def saved_card(self, checkout_id: str) -> SavedCard | None:
        wanted: Any = {"expand": ["setup_intent.payment_method"]}
        try:
            with in_our_words():
                session = client().v1.checkout.sessions.retrieve(checkout_id, wanted)
        except ProviderRefused:
            return None
        return reading.read_card(session.to_dict())

    def forget_card(self, method_id: str) -> None:
        """Detach the card. A card that is gone already needs nothing."""
        with in_our_words(), suppress(stripe.InvalidRequestError):
            client().v1.payment_methods.detach(method_id)


def _once(key: str) -> Any:
    return {"idempotency_key": f"maas-{key}"}


def _names(order: Order) -> dict[str, str]:
    return {reading.OF_PAYMENT: str(order.payment_id), reading.OF_TENANT: str(order.tenant_id)}


def _amount(order: Order | RefundOrder) -> int:
    amount = reading.to_stripe(order.amount_micros, order.currency)
    if amount is None:
        raise ProviderRefused("amount_not_payable")
    return amount


def _line(order: Order) -> Mapping[str, Any]:
    price = {"currency": order.currency.lower(), "unit_amount": _amount(order)}
    return {"quantity": 1, "price_data": {**price, "product_data": {"name": order.text}}}


def _declined(order: Order, declined: stripe.CardError) -> Standing:
    error = (declined.json_body or {}).get("error") or {} if isinstance(declined.json_body, Mapping) else {}
    intent = error.get("payment_intent") or {}
    return order.standing("failed", str(intent.get("id") or ""), reading.failure_of(error))
