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
    told = read_event(_verified(body, signature))
    if not 0 < len(told.event_id) <= LONGEST_ID:
        raise WrongSignature("This event has no ID.")
    if _is_known(told.event_id):
        return BEFORE
    card = _card_saved(told)
    with books():
        if not _is_first(told):
            return BEFORE
        outcome = (card or _handled(told))[:300]
        ProviderEvent.objects.filter(provider=STRIPE, event_id=told.event_id).update(
            handled_at=Now(), outcome=outcome
        )
    log.info("payment_event_handled", kind=told.kind, event_id=told.event_id, outcome=outcome)
    return outcome


def _verified(body: bytes, signature: str | None) -> Mapping[str, Any]:
    secret = settings.MAAS_STRIPE_WEBHOOK_SECRET
    if not secret:
        raise NoSuchPayment("There is nothing at this URL.")
    try:
        stripe.WebhookSignature.verify_header(body, signature, secret, TOLERANCE_S)
        said = json.loads(body)
    except (stripe.SignatureVerificationError, ValueError, TypeError):
        raise WrongSignature(
            "The header Stripe-Signature does not match this body, or is older than five minutes. Only Stripe may "
            "send here, with the secret in MAAS_STRIPE_WEBHOOK_SECRET."
        ) from None
    return said if isinstance(said, Mapping) else {}


def _handled(told: StripeObject) -> str:
    if told.livemode != is_live():
        return "ignored: not the mode (live or test) of the configured key"
    if told.payment is not None:
        return take_standing(told.payment, STRIPE)
    if told.refund is not None or told.dispute is not None:
        return _of_a_payment(told)
    return card_is_gone(told.card_gone) if told.card_gone else "nothing to do"


def _of_a_payment(told: StripeObject) -> str:
    """Handle an event about a payment. Raise if the payment is not known yet, so that Stripe sends it again."""
    # This is read first. A payment that is settled in between is found below.
    may_be_ours = may_be_known_later(STRIPE)
    if told.refund is not None:
        outcome = take_refund(told.refund, STRIPE)
        may_be_ours &= told.refund.refund_id is None and told.refund.of_provider_id != ""
    else:
        assert told.dispute is not None
        outcome = take_dispute(told.dispute, STRIPE)
        may_be_ours &= told.dispute.of_provider_id != ""
    if outcome == NOT_OURS and may_be_ours:
        raise ProviderUnavailable("No payment matches this event yet. Send the event again later.")
    return outcome


def _card_saved(told: StripeObject) -> str:
    """Keep the saved card, outside a transaction: the event does not say which card, so Stripe is queried."""
    if not told.card_saved_by or told.livemode != is_live():
        return ""
    try:
        return keep_card(told.card_saved_by)
    except ProviderAway as away:
        raise ProviderUnavailable("Stripe does not answer. Send the event again later.") from away


def _is_known(event_id: str) -> bool:
    with operator_work():
        return ProviderEvent.objects.filter(provider=STRIPE, event_id=event_id).exists()


def _is_first(told: StripeObject) -> bool:
    values: dict[str, Any] = {"id": uuid7(), "provider": STRIPE, "event": told.event_id, "kind": told.kind}
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(_ONCE, values)
        return bool(cursor.rowcount)
