"""Writes an issued invoice: its number, its rows and its ledger transaction, all in one database transaction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import UUID

from tenants.accounts.models import Tenant
from tenants.billing.invoices.calculation import Corrected, Draft, MonthOfTime, due_micros
from tenants.billing.invoices.models import BillingDetails, Invoice, InvoiceLine, Seller
from tenants.billing.invoices.numbering import series_of, take_number
from tenants.billing.invoices.wording import buyer_as_printed, seller_as_printed, text_of
from tenants.billing.ledger import postings
from tenants.billing.ledger.models import Wallet
from tenants.billing.ledger.posting import Source, open_wallet, post
from tenants.core.db.clock import database_now

INVOICE, CREDIT_NOTE = "invoice", "credit_note"


@dataclass(frozen=True, slots=True)
class Parties:
    tenant: Tenant
    seller: Seller
    details: BillingDetails | None
    plans: Mapping[UUID, str] = field(default_factory=dict)
    made_by: str = ""

    def printed(self) -> dict[str, Any]:
        return {
            "tenant_id": self.tenant.pk,
            "seller": seller_as_printed(self.seller),
            "buyer": buyer_as_printed(self.details, self.tenant.name),
            "made_by": self.made_by,
        }


def issue(
    draft: Draft, parties: Parties, *, time: MonthOfTime, adjusted_micros: int, later_micros: int
) -> Invoice:
    """Write an invoice.

    `adjusted_micros` is the amount that the invoice bills beyond the charges made at use. `later_micros` is the amount
    that the balance was charged after the period. It does not count as missing for this invoice.
    """
    wallet = locked_wallet(parties.tenant.pk, draft.currency)
    balance = wallet.available_micros + wallet.held_micros + later_micros - adjusted_micros - draft.tax_micros
    due = due_micros(total_micros=draft.total_micros, balance_micros=balance)
    invoice = _written(draft, parties, time, due)
    day = (time.until - timedelta(microseconds=1)).date()
    source = Source(parties.tenant.pk, INVOICE, invoice.pk, draft.currency, day=day, made_by=parties.made_by)
    posting = postings.bill(adjusted_micros=adjusted_micros, tax_micros=draft.tax_micros, due_micros=due)
    if posting.entries:
        post(source, posting)
    return invoice


def _written(draft: Draft, parties: Parties, time: MonthOfTime, due: int) -> Invoice:
    now = database_now()
    number = take_number(series_of(parties.seller.prefix, now.year, credit_note=False))
    invoice = Invoice.objects.create(
        **parties.printed(),
        kind=Invoice.Kind.INVOICE,
        series=number.series,
        sequence=number.sequence,
        number=str(number),
        currency=draft.currency,
        month=time.first.date(),
        period_start=time.first,
        period_end=time.until,
        issued_on=now.date(),
        due_on=now.date() + timedelta(days=parties.seller.payment_days),
        lines_count=len(draft.lines),
        net_micros=draft.net_micros,
        tax_name=draft.tax.name,
        tax_rate_bp=draft.tax.rate_bp,
        tax_note=draft.tax.note,
        tax_micros=draft.tax_micros,
        total_micros=draft.total_micros,
        due_micros=due,
        status=Invoice.Status.OPEN if due else Invoice.Status.PAID,
        paid_at=None if due else now,
    )
    InvoiceLine.objects.bulk_create(lines_of(invoice, draft, parties.plans))
    return invoice


def lines_of(invoice: Invoice, draft: Draft, plans: Mapping[UUID, str]) -> Sequence[InvoiceLine]:
    return [
        InvoiceLine(
            tenant_id=invoice.tenant_id,
            invoice=invoice,
            position=place,
            kind=line.item.kind,
            month=line.item.month,
            late=line.late,
            text=text_of(line, plans),
            plan_id=line.item.plan_id,
            model=line.item.model,
            cached=line.item.cached,
            price=line.item.price.to_json() if line.item.price else None,
            quantity=line.amount.quantity,
            included=line.amount.included,
            exact_micros=line.amount.exact_micros,
            amount_micros=line.amount_micros,
        )
        for place, line in enumerate(draft.lines, start=1)
    ]


def issue_credit_note(invoice: Invoice, part: Corrected, parties: Parties, *, reason: str) -> Invoice:
    """Write a credit note. It lowers the open amount, and any part that was already paid becomes credit."""
    locked_wallet(invoice.tenant_id, invoice.currency)
    now = database_now()
    opened = min(invoice.open_micros, part.total_micros)
    number = take_number(series_of(parties.seller.prefix, now.year, credit_note=True))
    note = Invoice.objects.create(
        **parties.printed(),
        kind=Invoice.Kind.CREDIT_NOTE,
        corrects=invoice,
        reason=reason,
        series=number.series,
        sequence=number.sequence,
        number=str(number),
        currency=invoice.currency,
        month=invoice.month,
        period_start=invoice.period_start,
        period_end=invoice.period_end,
        issued_on=now.date(),
        due_on=now.date(),
        lines_count=1,
        net_micros=part.net_micros,
        tax_name=invoice.tax_name,
        tax_rate_bp=invoice.tax_rate_bp,
        tax_note=invoice.tax_note,
        tax_micros=part.tax_micros,
        total_micros=part.total_micros,
        due_micros=0,
        status=Invoice.Status.PAID,
        paid_at=now,
    )
    InvoiceLine.objects.create(
        tenant_id=invoice.tenant_id,
        invoice=note,
        position=1,
        kind=InvoiceLine.Kind.CORRECTION,
        month=invoice.month,
        text=reason,
        exact_micros=part.net_micros,
        amount_micros=part.net_micros,
    )
    posting = postings.correction(net_micros=part.net_micros, tax_micros=part.tax_micros, open_micros=opened)
    post(
        Source(
            invoice.tenant_id,
            "credit_note",
            note.pk,
            invoice.currency,
            reason=reason,
            made_by=parties.made_by,
        ),
        posting,
    )
    lower(invoice, credited=opened)
    return note


def write_off_rest(invoice: Invoice, *, reason: str, made_by: str) -> None:
    locked_wallet(invoice.tenant_id, invoice.currency)
    rest = invoice.open_micros
    source = Source(invoice.tenant_id, INVOICE, invoice.pk, invoice.currency, reason=reason, made_by=made_by)
    post(source, postings.write_off(rest))
    invoice.written_off_micros += rest
    invoice.status = Invoice.Status.WRITTEN_OFF
    invoice.save(update_fields=["written_off_micros", "status"])


def lower(invoice: Invoice, *, credited: int) -> None:
    invoice.credited_micros += credited
    if not invoice.open_micros and invoice.status == Invoice.Status.OPEN:
        invoice.status, invoice.paid_at = Invoice.Status.PAID, database_now()
    invoice.save(update_fields=["credited_micros", "status", "paid_at"])


def locked_wallet(tenant_id: UUID, currency: str) -> Wallet:
    open_wallet(tenant_id, currency)
    return Wallet.objects.select_for_update(no_key=True).get(tenant_id=tenant_id, currency=currency)
