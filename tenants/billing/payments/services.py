"""Begins payments. The row is written first. Then the provider is asked for its page, with no transaction open."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urlsplit
from uuid import UUID

import structlog
from django.conf import settings
from django.db.models.functions import Coalesce, Now

from tenants.audit.changes import changes_between
from tenants.audit.services import record
from tenants.billing.invoices.models import Invoice
from tenants.billing.ledger.models import Wallet
from tenants.billing.payments.cards import customer_of
from tenants.billing.payments.models import Payment
from tenants.billing.payments.payment_work import books, order_of, text_of, wait_for_form
from tenants.billing.payments.protocol import (
    CHECKOUT_LASTS,
    Begun,
    FormReused,
    InvoiceNotOpen,
    NoSuchPayment,
    Order,
    PaymentRefused,
    ProviderAway,
    ProviderRefused,
    ProviderUnavailable,
    may_ask_again,
)
from tenants.billing.payments.providers import OFFLINE, checked_provider, provider_named
from tenants.core.db.clock import database_now
from tenants.core.db.unit_of_work import operator_work
from tenants.core.errors import InvalidRequest
from tenants.core.shares import unit_micros
from tenants.plans.wording import money

log = structlog.get_logger(__name__)
MAX_MICROS = 10**12
"""The largest amount: a million in any currency. A larger one is taken for a typing error."""
USUAL_CURRENCY = "EUR"
MIN_LIFE = timedelta(minutes=35)
"""The shortest lifetime of a new page. Stripe accepts no page that ends within half an hour."""
_LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"


Also = Callable[[Payment], None]
"""A function that writes further data of a new payment in the same transaction."""


@dataclass(frozen=True)
class TopUp:
    currency: str
    amount_micros: int


def currencies_of(tenant_id: UUID) -> list[str]:
    """Return the currencies for credit: those of the tenant's wallets, or the usual one if it has none."""
    with operator_work():
        theirs = Wallet.objects.filter(tenant_id=tenant_id).order_by("opened_at")
        return list(theirs.values_list("currency", flat=True)) or [USUAL_CURRENCY]


def begin_top_up(
    *,
    tenant_id: UUID,
    provider: str,
    wanted: TopUp,
    made_by: str,
    once: UUID | None = None,
    also: Also | None = None,
) -> Payment:
    """Create only the payment's row. With `once` it is created once, however often this is called."""
    checked_provider(provider)
    _check_amount(wanted, currencies_of(tenant_id))
    with books():
        wait_for_form(once)
        existing = Payment.objects.filter(tenant_id=tenant_id, once=once).first() if once else None
        if existing is not None:
            return _same(existing, provider, wanted)
        return _made(
            Payment(
                tenant_id=tenant_id,
                provider=provider,
                purpose=Payment.Purpose.TOP_UP,
                currency=wanted.currency,
                amount_micros=wanted.amount_micros,
                reference=new_reference(),
                made_by=made_by,
                once=once,
            ),
            also,
        )


def _same(existing: Payment, provider: str, wanted: TopUp) -> Payment:
    requested = (provider, Payment.Purpose.TOP_UP, wanted.currency, wanted.amount_micros)
    if requested != (existing.provider, existing.purpose, existing.currency, existing.amount_micros):
        raise FormReused(
            f"You already started {existing.reference} of {money(existing.amount_micros, existing.currency)} "
            f"with this form ({existing.provider}). Reload the page to make another payment."
        )
    return existing


def begin_invoice_payment(
    *, tenant_id: UUID, provider: str, invoice_id: UUID, made_by: str, also: Also | None = None
) -> Payment:
    """Begin a payment of the invoice's whole open amount. A second click gets the payment that is waiting."""
    checked_provider(provider)
    with books():
        invoice = Invoice.objects.select_for_update(no_key=True).filter(tenant_id=tenant_id, id=invoice_id).first()
        if invoice is None:
            raise NoSuchPayment(f"There is no invoice {str(invoice_id)!r} in this account.")
        _check_open(invoice)
        waiting = _waiting(invoice, provider)
        if waiting is not None:
            if also:
                also(waiting)
            return waiting
        return _made(
            Payment(
                tenant_id=tenant_id,
                provider=provider,
                purpose=Payment.Purpose.INVOICE,
                invoice=invoice,
                currency=invoice.currency,
                amount_micros=invoice.open_micros,
                reference=invoice.number,
                made_by=made_by,
            ),
            also,
        )


def start(payment: Payment) -> Payment:
    """Request the URL of the payment page from the provider, unless it is already stored. Raises ProviderUnavailable
    and PaymentRefused.
    """
    if payment.status != Payment.Status.PENDING or payment.provider == OFFLINE or payment.checkout_url:
        return payment
    customer_of(payment.tenant_id)
    order = _about_to_ask(payment)
    if order is None:
        return give_up(payment, "the payment has expired")
    try:
        begun = provider_named(payment.provider).begin(order)
    except ProviderRefused as refused:
        give_up(payment, refused.why)
        raise PaymentRefused(
            f"This cannot be paid with {payment.provider!r}: {refused.why}. Choose another amount or payment method."
        ) from refused
    except ProviderAway as away:
        raise ProviderUnavailable(
            "The payment provider does not answer. Nothing was paid. Try again in a minute."
        ) from away
    return _with_page(payment, begun)


def _about_to_ask(payment: Payment) -> Order | None:
    """Record the request before it is sent, as a process may die meanwhile. Return None if it is too late to send."""
    with books():
        Payment.objects.filter(id=payment.id).update(requested_at=Coalesce("requested_at", Now()))
        payment.refresh_from_db()
        now = database_now()
        in_time = now < payment.created_at + CHECKOUT_LASTS - MIN_LIFE
        return order_of(payment) if in_time and may_ask_again(payment.requested_at, now) else None


def _with_page(payment: Payment, begun: Begun) -> Payment:
    """Store the page's URL. Payers are never sent anywhere but to the provider's own pages."""
    parts = urlsplit(begun.url)
    if f"{parts.scheme}://{parts.netloc}" != settings.MAAS_STRIPE_CHECKOUT:
        log.warning("checkout_url_rejected", payment_id=str(payment.id), origin=parts.netloc[:100])
        raise ProviderUnavailable(
            "The payment provider returned a page that is not its own. Nothing was paid. Contact the operator."
        )
    with books():
        Payment.objects.filter(id=payment.id, checkout_id="").update(
            checkout_id=begun.checkout_id, checkout_url=begun.url
        )
        payment.refresh_from_db()
    return payment


def give_up(payment: Payment, why: str) -> Payment:
    """Cancel a payment that cannot succeed any more. If money arrives all the same, it is recorded."""
    with books():
        Payment.objects.filter(id=payment.id, status=Payment.Status.PENDING).update(
            status=Payment.Status.CANCELED, failure=why[:200]
        )
        payment.refresh_from_db()
    return payment


def take_look(payment_id: UUID, every: timedelta) -> bool:
    """Return whether this caller may query the provider now. If so, the time of the query is recorded."""
    with books():
        found = Payment.objects.filter(id=payment_id, status=Payment.Status.PENDING)
        due = found.filter(checked_at=None) | found.filter(checked_at__lt=Now() - every)
        return bool(Payment.objects.filter(id__in=due.values("id")).update(checked_at=Now()))


def new_reference() -> str:
    """Return a reference that cannot be mistaken for another one. Its letters cannot be mistaken for one another."""
    return "TOP-" + "".join(secrets.choice(_LETTERS) for _ in range(8))


def _made(payment: Payment, also: Also | None) -> Payment:
    payment.save()
    payment.refresh_from_db()
    record(
        tenant_id=payment.tenant_id,
        action="payment.begun",
        subject_id=payment.id,
        subject=f"{text_of(payment)}: {money(payment.amount_micros, payment.currency)}",
        changes=changes_between({}, {"provider": payment.provider, "reference": payment.reference}),
    )
    if also:
        also(payment)
    return payment


def _waiting(invoice: Invoice, provider: str) -> Payment | None:
    pending = Payment.objects.filter(invoice=invoice, provider=provider, status=Payment.Status.PENDING).order_by(
        "-created_at"
    )
    if pending.filter(automatic=True).exists():
        raise InvoiceNotOpen(f"Invoice {invoice.number} is being charged to the saved card. Check again in a minute.")
    same = pending.filter(amount_micros=invoice.open_micros)
    if provider != OFFLINE:
        same = same.filter(created_at__gt=Now() - (CHECKOUT_LASTS - MIN_LIFE))
    return same.first()


def _check_open(invoice: Invoice) -> None:
    if invoice.kind != Invoice.Kind.INVOICE or invoice.open_micros <= 0:
        raise InvoiceNotOpen(
            f"Invoice {invoice.number} has no amount to pay: its status is {invoice.status}. See GET /v1/payments."
        )


def _check_amount(wanted: TopUp, currencies: list[str]) -> None:
    if wanted.currency not in currencies:
        raise InvalidRequest(
            f"This account cannot buy credit in {wanted.currency[:20]!r}. Use {', '.join(currencies)}."
        )
    unit = unit_micros(wanted.currency)
    if wanted.amount_micros % unit or not 0 < wanted.amount_micros <= MAX_MICROS:
        raise InvalidRequest(
            f"{wanted.amount_micros} micros of {wanted.currency} cannot be paid. Use a multiple of {unit}, "
            f"at most {MAX_MICROS}."
        )
