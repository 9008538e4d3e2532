"""Applies a payment to its invoice and to the books, in one transaction in which payment and invoice are locked.

Locks are always taken in this order: invoice, payment, refund, wallet.
"""

from uuid import UUID

from django.db.models.functions import Now

from tenants.billing.invoices.models import Invoice
from tenants.billing.ledger import postings
from tenants.billing.ledger.posting import Source, open_wallet, post
from tenants.billing.ledger.postings import Posting
from tenants.billing.payments.models import Payment, Refund

PAID, GIVEN_BACK = "payment", "refund"


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
    _post(PAID, payment.id, payment, posting, reason=_reason(payment, invoice), made_by=payment.made_by)


def give_back(refund: Refund, payment: Payment, invoice: Invoice | None) -> None:
    """Take the refund out of credit, unless the part paid for the invoice is to be owed again."""
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
    _post(GIVEN_BACK, refund.id, payment, posting, reason=refund.reason, made_by=refund.made_by)


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
    reason = f"sent back: {refund.failure}"
    _post(GIVEN_BACK, refund.id, payment, posting, reason=reason, made_by=refund.made_by)


def _post(
    kind: str, source_id: UUID, payment: Payment, posting: Posting, *, reason: str, made_by: str
) -> None:
    source = Source(
        payment.tenant_id, kind, source_id, payment.currency, reason=reason[:200], made_by=made_by
    )
    open_wallet(payment.tenant_id, payment.currency)
    if not post(source, posting):
        raise LookupError(f"no wallet of {payment.tenant_id} in {payment.currency}")


def _reason(payment: Payment, invoice: Invoice | None) -> str:
    return f"{payment.provider}: {invoice.number if invoice else payment.reference}"


def _save(invoice: Invoice) -> None:
    is_open = invoice.open_micros > 0
    invoice.status = Invoice.Status.OPEN if is_open else Invoice.Status.PAID
    Invoice.objects.filter(id=invoice.id).update(
        paid_micros=invoice.paid_micros, status=invoice.status, paid_at=None if is_open else Now()
    )
