"""Receives Stripe's events. An event is accepted only with its signature, and is handled once with all its effects."""

import json
from collections.abc import Mapping
from typing import Any

import stripe
import structlog
from django.conf import settings
from django.db import connections
from django.db.models.functions import Now

from tenants.billing.payments.cards import card_is_gone, keep_card
from tenants.billing.payments.models import ProviderEvent
from tenants.billing.payments.payment_work import books
from tenants.billing.payments.protocol import (
    NoSuchPayment,
    ProviderAway,
    ProviderUnavailable,
    WrongSignature,
)
from tenants.billing.payments.refunds import take_dispute
from tenants.billing.payments.settling import (
    NOT_OURS,
    may_be_known_later,
    take_refund,
    take_standing,
)
from tenants.billing.payments.stripe.payments import STRIPE, is_live
from tenants.billing.payments.stripe.reading import StripeObject, read_event
from tenants.core.db.unit_of_work import OPERATOR, operator_work
from tenants.core.ids import uuid7

log = structlog.get_logger(__name__)
TOLERANCE_S = 300
LONGEST_ID = 200
BEFORE = "already received"

# A delivery of the same event at the same moment waits here until the first is done.
_ONCE = """
INSERT INTO tenants_providerevent (id, provider, event_id, kind, received_at, outcome)
VALUES (%(id)s, %(provider)s, %(event)s, %(kind)s, now(), '')
ON CONFLICT (provider, event_id) DO NOTHING
"""


def receive_event(body: bytes, signature: str | None) -> str:
    """Handle an event and return the outcome. Raises WrongSignature. After other errors, Stripe sends it again."""
    event = read_event(_verified(body, signature))
    if not 0 < len(event.event_id) <= LONGEST_ID:
        raise WrongSignature("This event has no ID.")
    if _is_known(event.event_id):
        return BEFORE
    card = _card_saved(event)
    with books():
        if not _is_first(event):
            return BEFORE
        outcome = (card or _handled(event))[:300]
        ProviderEvent.objects.filter(provider=STRIPE, event_id=event.event_id).update(handled_at=Now(), outcome=outcome)
    log.info("payment_event_handled", kind=event.kind, event_id=event.event_id, outcome=outcome)
    return outcome


def _verified(body: bytes, signature: str | None) -> Mapping[str, Any]:
    secret = settings.MAAS_STRIPE_WEBHOOK_SECRET
    if not secret:
        raise NoSuchPayment("There is nothing at this URL.")
    try:
        stripe.WebhookSignature.verify_header(body, signature, secret, TOLERANCE_S)
        content = json.loads(body)
    except (stripe.SignatureVerificationError, ValueError, TypeError):
        raise WrongSignature(
            "The header Stripe-Signature does not match this body, or is older than five minutes. Only Stripe may "
            "send here, with the secret in MAAS_STRIPE_WEBHOOK_SECRET."
        ) from None
    return content if isinstance(content, Mapping) else {}


def _handled(event: StripeObject) -> str:
    if event.livemode != is_live():
        return "ignored: not the mode (live or test) of the configured key"
    if event.payment is not None:
        return take_standing(event.payment, STRIPE)
    if event.refund is not None or event.dispute is not None:
        return _of_a_payment(event)
    return card_is_gone(event.card_gone) if event.card_gone else "nothing to do"


def _of_a_payment(event: StripeObject) -> str:
    """Handle an event about a payment. Raise if the payment is not known yet, so that Stripe sends it again."""
    # This is read first. A payment that is settled in between is found below.
    may_be_ours = may_be_known_later(STRIPE)
    if event.refund is not None:
        outcome = take_refund(event.refund, STRIPE)
        may_be_ours &= event.refund.refund_id is None and event.refund.of_provider_id != ""
    else:
        assert event.dispute is not None
        outcome = take_dispute(event.dispute, STRIPE)
        may_be_ours &= event.dispute.of_provider_id != ""
    if outcome == NOT_OURS and may_be_ours:
        raise ProviderUnavailable("No payment matches this event yet. Send the event again later.")
    return outcome


def _card_saved(event: StripeObject) -> str:
    """Keep the saved card, outside a transaction: the event does not say which card, so Stripe is queried."""
    if not event.card_saved_by or event.livemode != is_live():
        return ""
    try:
        return keep_card(event.card_saved_by)
    except ProviderAway as away:
        raise ProviderUnavailable("Stripe does not answer. Send the event again later.") from away


def _is_known(event_id: str) -> bool:
    with operator_work():
        return ProviderEvent.objects.filter(provider=STRIPE, event_id=event_id).exists()


def _is_first(event: StripeObject) -> bool:
    values: dict[str, Any] = {"id": uuid7(), "provider": STRIPE, "event": event.event_id, "kind": event.kind}
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(_ONCE, values)
        return bool(cursor.rowcount)
