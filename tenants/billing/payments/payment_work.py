"""What all writes of payments share: scope, locks, ledger, audit log, and the orders to a provider.

No provider is called inside `books`. Locks are always taken in this order: invoice, payment, refund, wallet.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from django.conf import settings
from django.db import connections, transaction
from django.db.models.functions import Now

from tenants.audit.acting import Acting, acting_as
from tenants.audit.services import record
from tenants.billing.invoices.models import Invoice
from tenants.billing.ledger import postings
from tenants.billing.ledger.posting import Source, open_wallet, post
from tenants.billing.ledger.postings import Posting
from tenants.billing.payments.models import Payment, ProviderCustomer, Refund
from tenants.billing.payments.protocol import Order, RefundOrder
from tenants.billing.payments.providers import OFFLINE
from tenants.core.db.unit_of_work import OPERATOR, operator_work
from tenants.plans.wording import money


@contextmanager
def books() -> Iterator[None]:
    with operator_work(), transaction.atomic(using=OPERATOR):
        yield


def wait_for_form(once: UUID | None) -> None:
    """Take the form's lock, before all others. The same form at the same moment then finds what the first made."""
    if once is not None:
        with connections[OPERATOR].cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", [f"form {once}"])


def locked_payment(payment_id: UUID) -> tuple[Payment, Invoice | None]:
    """Return the locked payment and its invoice. The invoice is locked first. A payment never changes its invoice."""
    invoice_id = Payment.objects.values_list("invoice_id", flat=True).get(id=payment_id)
    invoice = locked_invoice(invoice_id)
    return Payment.objects.select_for_update(no_key=True).get(id=payment_id), invoice


def locked_invoice(invoice_id: UUID | None) -> Invoice | None:
    if invoice_id is None:
        return None
    return Invoice.objects.select_for_update(no_key=True).get(id=invoice_id)


def pay(payment: Payment, invoice: Invoice | None) -> None:
    """Pay the open amount of the invoice with the payment. The rest is credit."""
    taken = min(payment.amount_micros, invoice.open_micros) if invoice else 0
    if invoice and taken:
        invoice.paid_micros += taken
        _save(invoice)
    payment.invoice_micros = taken
    payment.save(update_fields=["invoice_micros"])
    posting = postings.payment(amount_micros=payment.amount_micros, open_micros=taken)
    reason = f"{payment.provider}: {invoice.number if invoice else payment.reference}"
    _post("payment", payment, payment, posting, reason)


def give_back(refund: Refund, payment: Payment, invoice: Invoice | None) -> None:
    """Book a refund. It reduces the tenant's credit, unless the amount is to become due again on the invoice that it
    had paid.
    """
    reopened = 0
    if refund.owed_again and invoice is not None and invoice.status != Invoice.Status.WRITTEN_OFF:
        taken = payment.invoice_micros - payment.reopened_micros
        reopened = min(refund.amount_micros, taken, invoice.paid_micros)
    if invoice and reopened:
        invoice.paid_micros -= reopened
        _save(invoice)
        payment.reopened_micros += reopened
        payment.save(update_fields=["reopened_micros"])
    refund.reopened_micros = reopened
    refund.save(update_fields=["reopened_micros"])
    posting = postings.refund(amount_micros=refund.amount_micros, reopened_micros=reopened)
    _post("refund", refund, payment, posting, refund.reason)


def come_back(refund: Refund, payment: Payment, invoice: Invoice | None) -> None:
    """Book a refund that came back. It pays the amount that it had made owed again, up to the open amount."""
    taken = min(refund.reopened_micros, invoice.open_micros) if invoice else 0
    if invoice and taken:
        invoice.paid_micros += taken
        _save(invoice)
    payment.reopened_micros -= taken
    payment.refunded_micros -= refund.amount_micros
    payment.save(update_fields=["reopened_micros", "refunded_micros"])
    posting = postings.payment(amount_micros=refund.amount_micros, open_micros=taken)
    _post("refund", refund, payment, posting, f"refund returned: {refund.failure}")


def _post(kind: str, of: Payment | Refund, payment: Payment, posting: Posting, reason: str) -> None:
    tenant_id, currency = payment.tenant_id, payment.currency
    open_wallet(tenant_id, currency)
    source = Source(tenant_id, kind, of.id, currency, reason=reason[:200], made_by=of.made_by)
    if not post(source, posting):
        raise LookupError(f"no wallet of {tenant_id} in {currency}")


def _save(invoice: Invoice) -> None:
    is_open = invoice.open_micros > 0
    invoice.status = Invoice.Status.OPEN if is_open else Invoice.Status.PAID
    Invoice.objects.filter(id=invoice.id).update(
        paid_micros=invoice.paid_micros, status=invoice.status, paid_at=None if is_open else Now()
    )


def audit_payment(payment: Payment, action: str, amount_micros: int, note: str = "", *, more: str = "") -> None:
    subject = f"{payment.reference}: {money(amount_micros, payment.currency)}{more}"
    record(tenant_id=payment.tenant_id, action=action, subject_id=payment.id, subject=subject, note=note)


def tell(payment: Payment, action: str, amount_micros: int, note: str = "") -> None:
    """Record an action under the provider's name. Transfers are left out: an operator records their result."""
    if payment.provider != OFFLINE:
        with acting_as(lambda: Acting(name=payment.provider.capitalize())):
            audit_payment(payment, action, amount_micros, note)


def order_of(payment: Payment) -> Order:
    customer = ProviderCustomer.objects.filter(tenant_id=payment.tenant_id, provider=payment.provider).first()
    as_it_is = (
        "tenant_id",
        "currency",
        "amount_micros",
        "created_at",
        "method_id",
        "provider_id",
        "checkout_id",
    )
    return Order(
        payment_id=payment.id,
        text=text_of(payment),
        return_url=f"{settings.MAAS_PUBLIC_URL.rstrip('/')}/billing/payments/{payment.id}",
        customer_id=customer.customer_id if customer else "",
        **{name: getattr(payment, name) for name in as_it_is},
    )


def text_of(payment: Payment) -> str:
    return f"Invoice {payment.reference}" if payment.invoice_id else "Credit"


def refund_order_of(refund: Refund) -> RefundOrder:
    return RefundOrder(
        refund_id=refund.id,
        tenant_id=refund.tenant_id,
        provider_id=refund.payment.provider_id,
        currency=refund.payment.currency,
        amount_micros=refund.amount_micros,
    )
