"""Takes open invoices from saved cards, one at a time and again on a schedule, and mails refusals to the payers."""

from typing import Any, NamedTuple
from uuid import UUID

import structlog
from django.conf import settings
from django.core.mail import EmailMessage
from django.db import connections
from django.db.models.functions import Coalesce, Now

from tenants.accounts.models import Tenant
from tenants.billing.invoices.invoice_mails import payers_of, send_to_each
from tenants.billing.invoices.models import BillingDetails, Invoice
from tenants.billing.payments.models import DISPUTES_LEFT_BEHIND, Payment, ProviderCustomer
from tenants.billing.payments.payment_work import books, locked_invoice, locked_payment, order_of
from tenants.billing.payments.protocol import (
    AFTER_DAYS,
    Order,
    ProviderAway,
    ProviderRefused,
    Standing,
    next_try,
)
from tenants.billing.payments.providers import card_provider
from tenants.billing.payments.settling import take_standing
from tenants.core.db.clock import database_now
from tenants.core.db.unit_of_work import OPERATOR, operator_work
from tenants.plans.wording import money

log = structlog.get_logger(__name__)
AT_ONCE = 20

# Invoices that are roughly due, and neither being paid nor disputed. The exact check is made under the lock.
_DUE = """
SELECT i.id FROM tenants_invoice i
JOIN tenants_tenant t ON t.id = i.tenant_id AND t.state = 'active'
JOIN tenants_providercustomer c ON c.tenant_id = i.tenant_id AND c.provider = %(provider)s
    AND c.pays_invoices AND c.method_id <> ''
LEFT JOIN LATERAL (
    SELECT count(*) AS times, max(p.created_at) AS last FROM tenants_payment p
    WHERE p.invoice_id = i.id AND p.automatic AND p.status = 'failed' AND p.created_at >= c.saved_at
) refused ON true
WHERE i.status = 'open' AND i.kind = 'invoice'
  AND i.due_micros > i.paid_micros + i.credited_micros + i.written_off_micros
  AND refused.times <= %(most)s
  AND (refused.last IS NULL OR refused.last < now() - interval '23 hours')
  AND NOT EXISTS (
    SELECT FROM tenants_payment p WHERE p.invoice_id = i.id
      AND (p.dispute <> ALL(%(left_behind)s) OR (p.status = 'pending' AND p.provider = %(provider)s))
  )
ORDER BY refused.last NULLS FIRST, i.id LIMIT %(at_once)s
"""
# A refusal is marked before the mail is sent, as with budget alerts.
_TAKE = """
UPDATE tenants_payment p SET failure_notified_at = clock_timestamp()
FROM tenants_tenant t
WHERE t.id = p.tenant_id AND p.id IN (
    SELECT id FROM tenants_payment
    WHERE failure_notified_at IS NULL AND automatic AND status = 'failed'
      AND created_at > clock_timestamp() - interval '1 day'
    ORDER BY created_at LIMIT %(most)s FOR UPDATE SKIP LOCKED
)
RETURNING p.id, p.tenant_id, t.name, p.reference, p.amount_micros, p.currency, p.failure
"""
_GIVE_BACK = "UPDATE tenants_payment SET failure_notified_at = NULL WHERE id = ANY(%(ids)s)"
_TEXT = """\
The saved card of the account {account} was refused for invoice {reference} of {amount}: {failure}.

It is charged again {days} days after the first attempt. To pay now, or with another card: {url}/billing/payments
"""


def collect_invoices() -> int:
    """Charge the cards of due invoices and return the number of charges attempted."""
    provider = card_provider()
    if provider is None:
        return 0
    values: dict[str, Any] = {"provider": provider.name, "most": len(AFTER_DAYS), "at_once": AT_ONCE}
    values["left_behind"] = ["", *DISPUTES_LEFT_BEHIND]
    with operator_work(), connections[OPERATOR].cursor() as cursor:
        cursor.execute(_DUE, values)
        due = [invoice_id for (invoice_id,) in cursor.fetchall()]
    return sum(_collect(invoice_id) for invoice_id in due)


def _collect(invoice_id: UUID) -> bool:
    """Charge one invoice. A failure does not delay the others."""
    try:
        payment = _begin(invoice_id)
        if payment is not None:
            charge(payment.id)
    except Exception:
        log.exception("invoice_charge_failed", invoice_id=str(invoice_id))
        return False
    return payment is not None


def _begin(invoice_id: UUID) -> Payment | None:
    """Create only the payment's row, before the provider is asked. Return None if there is nothing to take."""
    with books():
        invoice = locked_invoice(invoice_id)
        customer = ProviderCustomer.objects.filter(tenant_id=invoice.tenant_id).first() if invoice else None
        if invoice is None or customer is None or not _may_take(invoice, customer):
            return None
        return Payment.objects.create(
            tenant_id=invoice.tenant_id,
            provider=customer.provider,
            purpose=Payment.Purpose.INVOICE,
            invoice=invoice,
            currency=invoice.currency,
            amount_micros=invoice.open_micros,
            reference=invoice.number,
            automatic=True,
            method_id=customer.method_id,
        )


def _may_take(invoice: Invoice, customer: ProviderCustomer) -> bool:
    if not _is_to_pay(customer, invoice) or not customer.saved_at or invoice.open_micros <= 0:
        return False
    theirs = Payment.objects.filter(invoice=invoice)
    if theirs.filter(provider=customer.provider, status=Payment.Status.PENDING).exists():
        return False
    refused = theirs.filter(automatic=True, status=Payment.Status.FAILED, created_at__gte=customer.saved_at).order_by(
        "created_at"
    )
    due_at = next_try(list(refused.values_list("created_at", flat=True)))
    return due_at is not None and due_at <= database_now()


def _is_to_pay(customer: ProviderCustomer, invoice: Invoice) -> bool:
    if not (customer.pays_invoices and customer.method_id) or invoice.status != Invoice.Status.OPEN:
        return False
    if Payment.objects.filter(invoice=invoice).exclude(dispute__in=["", *DISPUTES_LEFT_BEHIND]).exists():
        return False
    return Tenant.objects.filter(id=invoice.tenant_id, state=Tenant.State.ACTIVE).exists()


def is_still_wanted(payment_id: UUID) -> bool:
    """Return whether a charge that never reached its provider is still wanted, after all that changed since."""
    with books():
        payment, invoice = locked_payment(payment_id)
        of_card = {"tenant_id": payment.tenant_id, "provider": payment.provider}
        customer = ProviderCustomer.objects.filter(**of_card, method_id=payment.method_id).first()
        if invoice is None or customer is None or payment.status != Payment.Status.PENDING:
            return False
        return invoice.open_micros >= payment.amount_micros and _is_to_pay(customer, invoice)


def charge(payment_id: UUID) -> None:
    """Charge the card, outside any transaction. Without a response, it stays pending and the scheduler checks it."""
    with books():
        times = {"requested_at": Coalesce("requested_at", Now()), "checked_at": Now()}
        Payment.objects.filter(id=payment_id).update(**times)
        payment = Payment.objects.get(id=payment_id)
        order = order_of(payment)
    standing = _standing(order)
    if standing is not None:
        with books():
            take_standing(standing, payment.provider)


def _standing(order: Order) -> Standing | None:
    provider = card_provider()
    if provider is None:
        return None
    try:
        return provider.charge(order)
    except ProviderRefused as refused:
        return order.standing("failed", failure=refused.why)
    except ProviderAway as away:
        log.warning("card_charge_unconfirmed", payment_id=str(order.payment_id), error=str(away))
        return None


class _Refused(NamedTuple):
    id: UUID
    tenant_id: UUID
    account: str
    reference: str
    amount_micros: int
    currency: str
    failure: str


def notify_of_refused_cards() -> int:
    """Send the mails and return the number of refusals mailed. If the mail server is unavailable, retry for a day."""
    if not settings.MAAS_EMAIL_URL:
        return 0
    with operator_work():
        with connections[OPERATOR].cursor() as cursor:
            cursor.execute(_TAKE, {"most": AT_ONCE})
            taken = [_Refused(*row) for row in cursor.fetchall()]
        for position, refused in enumerate(taken):
            try:
                _tell(refused)
            except OSError as error:
                with connections[OPERATOR].cursor() as cursor:
                    cursor.execute(_GIVE_BACK, {"ids": [mail.id for mail in taken[position:]]})
                log.warning("card_failure_not_mailed", error=str(error), mails=len(taken) - position)
                return position
    return len(taken)


def _tell(refused: _Refused) -> None:
    details = BillingDetails.objects.filter(tenant_id=refused.tenant_id).exclude(email="")
    addresses = sorted({*payers_of(refused.tenant_id), *details.values_list("email", flat=True)})
    text = _TEXT.format(
        account=" ".join(refused.account.split()),
        reference=refused.reference,
        amount=money(refused.amount_micros, refused.currency),
        failure=refused.failure,
        days=", ".join(str(days) for days in AFTER_DAYS),
        url=settings.MAAS_PUBLIC_URL.rstrip("/"),
    )
    mail = EmailMessage(f"The card for invoice {refused.reference} was refused", text)
    send_to_each(addresses, mail, refused="card_failure_mail_refused", tenant_id=refused.tenant_id)
