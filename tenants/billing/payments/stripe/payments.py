"""Stripe as a payment provider: its pages to pay on, the cards that it stores, and reads of payments."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any
from uuid import UUID

import stripe

from tenants.billing.payments.provider.errors import ProviderRefused
from tenants.billing.payments.provider.protocol import (
    Begun,
    DisputeStanding,
    Order,
    RefundOrder,
    RefundStanding,
    SavedCard,
    Standing,
)
from tenants.billing.payments.provider.schedule import CHECKOUT_LASTS
from tenants.billing.payments.stripe.client import client, in_our_words
from tenants.billing.payments.stripe.reading import (
    BEGUN_AT,
    OF_PAYMENT,
    OF_REFUND,
    OF_TENANT,
    failure_of,
    read_card,
    read_dispute,
    read_intent,
    read_refund,
    read_session,
    to_stripe,
)

STRIPE = "stripe"
AT_ONCE = 100


class Stripe:
    name = STRIPE

    def begin(self, order: Order) -> Begun:
        asked: Any = {
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
            session = client().v1.checkout.sessions.create(asked, _once(f"payment-{order.payment_id}"))
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
        return read_session(session.to_dict())

    def _intent(self, provider_id: str) -> Standing:
        with in_our_words():
            return read_intent(client().v1.payment_intents.retrieve(provider_id).to_dict())

    def _lost(self, order: Order) -> Standing | None:
        """Find a payment by our names for it, after a request whose response never came."""
        since: Any = {"gte": int(order.created_at.timestamp()) - 60}
        listed: Any = {"customer": order.customer_id, "created": since, "limit": AT_ONCE}
        with in_our_words():
            for session in client().v1.checkout.sessions.list(listed).auto_paging_iter():
                if session.client_reference_id == str(order.payment_id):
                    return self._session(session.id)
            for intent in client().v1.payment_intents.list(listed).auto_paging_iter():
                standing = read_intent(intent.to_dict())
                if standing.payment_id == order.payment_id:
                    return standing
        return None

    def charge(self, order: Order) -> Standing:
        asked: Any = {
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
                intent = client().v1.payment_intents.create(asked, _once(f"payment-{order.payment_id}"))
            except stripe.CardError as declined:
                return _declined(order, declined)
        return read_intent(intent.to_dict())

    def close(self, order: Order) -> None:
        """Close the page. A page that is over already needs nothing."""
        with in_our_words(), suppress(stripe.InvalidRequestError):
            client().v1.checkout.sessions.expire(order.checkout_id)

    def refund(self, order: RefundOrder) -> RefundStanding:
        asked: Any = {
            "payment_intent": order.provider_id,
            "amount": _amount(order),
            "metadata": {OF_REFUND: str(order.refund_id), OF_TENANT: str(order.tenant_id)},
        }
        with in_our_words():
            made = client().v1.refunds.create(asked, _once(f"refund-{order.refund_id}"))
        return read_refund(made.to_dict())

    def look_at_refund(self, order: RefundOrder) -> RefundStanding | None:
        listed: Any = {"payment_intent": order.provider_id, "limit": AT_ONCE}
        with in_our_words():
            for one in client().v1.refunds.list(listed).auto_paging_iter():
                standing = read_refund(one.to_dict())
                if standing.refund_id == order.refund_id:
                    return standing
        return None

    def paid_since(self, since: datetime) -> Iterator[Standing]:
        listed: Any = {"created": {"gte": int(since.timestamp())}, "limit": AT_ONCE}
        listed["expand"] = ["data.latest_charge"]
        with in_our_words():
            for intent in client().v1.payment_intents.list(listed).auto_paging_iter():
                standing = read_intent(intent.to_dict())
                if standing.payment_id is not None and standing.state == "succeeded":
                    yield standing

    def disputes_since(self, since: datetime) -> Iterator[DisputeStanding]:
        listed: Any = {"created": {"gte": int(since.timestamp())}, "limit": AT_ONCE}
        with in_our_words():
            for dispute in client().v1.disputes.list(listed).auto_paging_iter():
                yield read_dispute(dispute.to_dict())

    def new_customer(self, tenant_id: UUID, name: str) -> str:
        asked: Any = {"name": name, "metadata": {OF_TENANT: str(tenant_id)}}
        with in_our_words():
            return client().v1.customers.create(asked, _once(f"customer-{tenant_id}")).id

    def begin_saving(self, tenant_id: UUID, customer_id: str, return_url: str, begun_at: datetime) -> str:
        """Create a page for saving a card. Each call creates a new page, which does no harm because no money moves."""
        asked: Any = {
            "mode": "setup",
            "currency": "eur",
            "customer": customer_id,
            "metadata": {OF_TENANT: str(tenant_id), BEGUN_AT: begun_at.isoformat()},
            "success_url": f"{return_url}?saved={{CHECKOUT_SESSION_ID}}",
            "cancel_url": return_url,
        }
        with in_our_words():
            return client().v1.checkout.sessions.create(asked).url or ""

    def saved_card(self, checkout_id: str) -> SavedCard | None:
        wanted: Any = {"expand": ["setup_intent.payment_method"]}
        try:
            with in_our_words():
                session = client().v1.checkout.sessions.retrieve(checkout_id, wanted)
        except ProviderRefused:
            return None
        return read_card(session.to_dict())

    def forget_card(self, method_id: str) -> None:
        """Detach the card. A card that is gone already needs nothing."""
        with in_our_words(), suppress(stripe.InvalidRequestError):
            client().v1.payment_methods.detach(method_id)


def _once(key: str) -> Any:
    return {"idempotency_key": f"maas-{key}"}


def _names(order: Order) -> dict[str, str]:
    return {OF_PAYMENT: str(order.payment_id), OF_TENANT: str(order.tenant_id)}


def _amount(order: Order | RefundOrder) -> int:
    amount = to_stripe(order.amount_micros, order.currency)
    if amount is None:
        raise ProviderRefused("amount_not_payable")
    return amount


def _line(order: Order) -> Mapping[str, Any]:
    price = {"currency": order.currency.lower(), "unit_amount": _amount(order)}
    return {"quantity": 1, "price_data": {**price, "product_data": {"name": order.text}}}


def _declined(order: Order, declined: stripe.CardError) -> Standing:
    error = (declined.json_body or {}).get("error") or {} if isinstance(declined.json_body, Mapping) else {}
    intent = error.get("payment_intent") or {}
    return order.standing("failed", str(intent.get("id") or ""), failure_of(error))
