"""Converts Stripe's data into our types. Data that does not have the expected form is not a payment of ours. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from tenants.billing.payments.protocol import (
    DisputeStanding,
    RefundStanding,
    SavedCard,
    Standing,
    State,
)

_WHOLE = frozenset(
    ["BIF", "CLP", "DJF", "GNF", "JPY", "KMF", "KRW", "MGA", "PYG", "RWF", "VND", "VUV", "XAF", "XOF", "XPF"]
)
_THOUSANDTHS = frozenset(["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"])
OF_PAYMENT, OF_TENANT, OF_REFUND = "maas_payment", "maas_tenant", "maas_refund"
BEGUN_AT = "maas_begun_at"
LONGEST_FAILURE = 200
Said = Mapping[str, Any]


def unit_of_stripe(currency: str) -> int:
    """Return Stripe's unit in millionths. ISK and UGX have no cents, but Stripe counts them in hundredths."""
    return 1_000_000 if currency in _WHOLE else 1_000 if currency in _THOUSANDTHS else 10_000


def to_stripe(amount_micros: int, currency: str) -> int | None:
    """Return the amount in Stripe's units, or None if it has none. Thousandths must be multiples of ten."""
    number, rest = divmod(amount_micros, unit_of_stripe(currency))
    if rest or number <= 0 or (currency in _THOUSANDTHS and number % 10):
        return None
    return number


def from_stripe(number: int, currency: str) -> int:
    return number * unit_of_stripe(currency)


@dataclass(frozen=True, slots=True)
class StripeObject:
    """An event and its content that concerns us."""

    event_id: str
    kind: str
    livemode: bool
    payment: Standing | None = None
    refund: RefundStanding | None = None
    dispute: DisputeStanding | None = None
    card_saved_by: str = ""
    """The id of the page on which the card was saved."""
    card_gone: str = ""


def read_session(session: Said) -> Standing:
    intent = session.get("payment_intent")
    standing = read_intent(intent) if isinstance(intent, Mapping) else None
    state: State = "pending"
    if session.get("status") == "expired":
        state = "canceled"
    elif session.get("payment_status") in ("paid", "no_payment_required"):
        state = "succeeded"
    elif session.get("status") == "complete" and standing is not None:
        state = standing.state
    currency = _currency(session)
    return Standing(
        state=state,
        currency=currency,
        amount_micros=from_stripe(int(session.get("amount_total") or 0), currency),
        payment_id=_named(session, OF_PAYMENT),
        tenant_id=_named(session, OF_TENANT),
        provider_id=_id(intent),
        failure=standing.failure if standing is not None else "",
    )


_STATES: Mapping[str, State] = {
    "succeeded": "succeeded",
    "canceled": "canceled",
    "requires_payment_method": "failed",
    "requires_action": "failed",
}
"""The states of a charge without the payer present. If the payer would have to act, the charge has failed."""


def read_intent(intent: Said) -> Standing:
    currency = _currency(intent)
    state = _STATES.get(str(intent.get("status")), "pending")
    came = intent.get("amount_received") if state == "succeeded" else intent.get("amount")
    error = intent.get("last_payment_error") or {}
    charge = intent.get("latest_charge")
    refunded = charge.get("amount_refunded") if isinstance(charge, Mapping) else 0
    return Standing(
        state=state,
        currency=currency,
        amount_micros=from_stripe(int(came or 0), currency),
        payment_id=_named(intent, OF_PAYMENT),
        tenant_id=_named(intent, OF_TENANT),
        provider_id=_id(intent),
        failure=failure_of(error) if state == "failed" else "",
        refunded_micros=from_stripe(int(refunded or 0), currency),
    )


def failure_of(error: Said) -> str:
    """Return the error's code. The message beside it is the provider's and may change."""
    return str(error.get("decline_code") or error.get("code") or "declined")[:LONGEST_FAILURE]


_REFUND_STATES: Mapping[str, State] = {"succeeded": "succeeded", "failed": "failed", "canceled": "canceled"}


def read_refund(refund: Said) -> RefundStanding:
    currency = _currency(refund)
    return RefundStanding(
        state=_REFUND_STATES.get(str(refund.get("status")), "pending"),
        currency=currency,
        amount_micros=from_stripe(int(refund.get("amount") or 0), currency),
        provider_id=_id(refund),
        of_provider_id=_id(refund.get("payment_intent")),
        refund_id=_named(refund, OF_REFUND),
        failure=str(refund.get("failure_reason") or "")[:LONGEST_FAILURE],
    )


def read_dispute(dispute: Said) -> DisputeStanding:
    currency = _currency(dispute)
    return DisputeStanding(
        of_provider_id=_id(dispute.get("payment_intent")),
        provider_id=_id(dispute),
        status=str(dispute.get("status") or "")[:40],
        reason=str(dispute.get("reason") or "")[:100],
        currency=currency,
        amount_micros=from_stripe(int(dispute.get("amount") or 0), currency),
    )


def read_card(session: Said) -> SavedCard | None:
    """Return the card that was saved on a page. The session must contain setup intent and payment method in full."""
    intent = session.get("setup_intent")
    method = intent.get("payment_method") if isinstance(intent, Mapping) else None
    if not isinstance(method, Mapping) or session.get("status") != "complete":
        return None
    customer_id = _id(session.get("customer"))
    if not customer_id or _id(method.get("customer")) != customer_id:
        # The card was detached since then and cannot be charged.
        return None
    return SavedCard(_named(session, OF_TENANT), customer_id, _id(method), _words_of(method), _begun_at(session))


def _begun_at(session: Said) -> datetime:
    """Return the time at which saving was begun. Use the provider's clock for pages from before we stored this time."""
    try:
        begun_at = datetime.fromisoformat(str((session.get("metadata") or {}).get(BEGUN_AT)))
    except ValueError:
        return datetime.fromtimestamp(int(session.get("created") or 0), UTC)
    return begun_at if begun_at.tzinfo else begun_at.replace(tzinfo=UTC)


def _words_of(method: Said) -> str:
    card = method.get("card")
    if not isinstance(card, Mapping):
        return str(method.get("type") or "a saved method")[:100]
    month, year = int(card.get("exp_month") or 0), int(card.get("exp_year") or 0)
    return f"{card.get('brand')} •••• {card.get('last4')}, {month:02d}/{year % 100:02d}"[:100]


def read_event(event: Said) -> StripeObject:
    kind, what = str(event.get("type") or ""), (event.get("data") or {}).get("object") or {}
    parts: dict[str, Any] = {}
    match kind.split("."):
        case ["checkout", "session", "completed"] if what.get("mode") == "setup":
            parts["card_saved_by"] = _id(what)
        case ["checkout", "session", "async_payment_failed"]:
            failure = "the transfer or debit was not received"
            parts["payment"] = replace(read_session(what), state="canceled", failure=failure)
        case ["checkout", "session", "completed" | "async_payment_succeeded" | "expired"]:
            parts["payment"] = read_session(what)
        case ["payment_intent", "succeeded" | "payment_failed" | "canceled"]:
            parts["payment"] = read_intent(what)
        case ["refund", _] | ["charge", "refund", "updated"]:
            parts["refund"] = read_refund(what)
        case ["charge", "dispute", _]:
            parts["dispute"] = read_dispute(what)
        case ["payment_method", "detached"]:
            parts["card_gone"] = _id(what)
    return StripeObject(str(event.get("id") or ""), kind[:100], bool(event.get("livemode")), **parts)


def _currency(content: Said) -> str:
    return str(content.get("currency") or "").upper()


def _id(reference: object) -> str:
    """Return the id of an object that is given in full or by its id alone."""
    return str(reference.get("id") or "") if isinstance(reference, Mapping) else str(reference or "")


def _named(content: Said, name: str) -> UUID | None:
    try:
        return UUID(str((content.get("metadata") or {}).get(name)))
    except ValueError:
        return None
