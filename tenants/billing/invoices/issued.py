"""Reads of a tenant's issued invoices and credit notes, inside its unit of work."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, Literal, cast, get_args
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils import timezone

from tenants.billing.invoices.models import BillingDetails, Invoice, InvoiceLine
from tenants.billing.invoices.paper import Paper, paper_of

Standing = Literal["open", "overdue", "paid", "written_off", "credit_note"]
STANDINGS: Final[tuple[Standing, ...]] = get_args(Standing)
WORDS: Final[dict[Standing, str]] = {name: name.replace("_", " ") for name in STANDINGS}
MAX_EXPORTED = 10_000
_NOTE = Q(kind=Invoice.Kind.CREDIT_NOTE)


def today() -> date:
    """Return today's date in UTC, in which due dates are counted."""
    return timezone.now().date()


def standing(invoice: Invoice) -> Standing:
    """Return the status as one word for people. On the due date itself, an invoice is not yet overdue."""
    if invoice.kind == Invoice.Kind.CREDIT_NOTE:
        return "credit_note"
    if invoice.status == Invoice.Status.OPEN:
        return "overdue" if invoice.due_on < today() else "open"
    return cast(Standing, invoice.status)


def invoices(status: str = "") -> "QuerySet[Invoice]":
    """Return invoices, newest first (ids grow). `open` includes overdue. Raise ValueError for an unknown status."""
    found = Invoice.objects.order_by("-id").select_related("corrects")
    match status:
        case "":
            return found
        case "credit_note":
            return found.filter(_NOTE)
        case "overdue":
            return found.filter(~_NOTE, status=Invoice.Status.OPEN, due_on__lt=today())
        case "open" | "paid" | "written_off":
            return found.filter(~_NOTE, status=status)
    raise ValueError(f"Unknown value status={status[:40]!r}. Use {', '.join(STANDINGS)}.")


def find_invoice(invoice_id: object) -> Invoice | None:
    try:
        wanted = UUID(str(invoice_id))
    except ValueError:
        return None
    return Invoice.objects.select_related("corrects").filter(id=wanted).first()


@dataclass(frozen=True)
class WholeInvoice:
    invoice: Invoice
    lines: Sequence[InvoiceLine]
    credit_notes: Sequence[Invoice]

    @property
    def paper(self) -> Paper:
        return paper_of(self.invoice, self.lines, corrects=self.invoice.corrects)


def whole(invoice: Invoice) -> WholeInvoice:
    lines = InvoiceLine.objects.filter(tenant_id=invoice.tenant_id, invoice=invoice).order_by("position")
    notes = Invoice.objects.filter(tenant_id=invoice.tenant_id, corrects=invoice).order_by("id")
    return WholeInvoice(invoice, list(lines), list(notes))


def billing_details() -> BillingDetails | None:
    return BillingDetails.objects.first()
