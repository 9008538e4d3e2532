"""Writes an issued invoice: its number, rows, texts and ledger transaction, all in one database transaction."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import connections

from tenants.accounts.models import Tenant
from tenants.billing.invoices.calculation import (
    CalculatedLine,
    Corrected,
    Draft,
    MonthOfTime,
    Tax,
    due_micros,
)
from tenants.billing.invoices.models import BillingDetails, Invoice, InvoiceLine, Seller
from tenants.billing.ledger import postings
from tenants.billing.ledger.models import Wallet
from tenants.billing.ledger.posting import Source, open_wallet, post
from tenants.core.db.clock import database_now
from tenants.core.db.unit_of_work import OPERATOR
from tenants.plans.wording import name_of

LONGEST = 300
PRINTED = ("name", "address", "country", "tax_id", "email")
REVERSE_CHARGE = "Reverse charge: the customer is liable for the tax."
EXEMPT = "Exempt from tax."
INVOICE = "invoice"
_AS_CORRECTED = (
    *("currency", "month", "period_start", "period_end"),
    *("tax_name", "tax_rate_bp", "tax_note"),
)
_TAKE = """
INSERT INTO tenants_numberseries AS series (name, last) VALUES (%(name)s, 1)
ON CONFLICT (name) DO UPDATE SET last = series.last + 1
RETURNING last
"""


def text_of(line: CalculatedLine, plans: Mapping[UUID, str]) -> str:
    item = line.item
    match item.kind:
        case "fee":
            plan = plans.get(item.plan_id, "") if item.plan_id else ""
            text = f"Plan {plan}, {item.month:%B %Y}"
        case "uncollected":
            text = "Not charged: the balance was used up"
        case _:
            meter = f"{name_of(item.price.meter)}s" if item.price else ""
            text = ", ".join(part for part in (item.model, "cache hits" if item.cached else "", meter) if part)
    return (f"{text} (usage of {item.month:%B %Y}, recorded late)" if line.recorded_late else text)[:LONGEST]


def tax_for(seller: Seller, details: BillingDetails | None) -> Tax:
    kind = details.tax if details else BillingDetails.Tax.STANDARD
    if kind == BillingDetails.Tax.REVERSE_CHARGE:
        return Tax(seller.tax_name, 0, REVERSE_CHARGE)
    if kind == BillingDetails.Tax.EXEMPT:
        return Tax(seller.tax_name, 0, EXEMPT)
    own = details.tax_rate_bp if details else None
    return Tax(seller.tax_name, seller.tax_rate_bp if own is None else own)


def seller_as_printed(seller: Seller) -> dict[str, str]:
    return {name: getattr(seller, name) for name in (*PRINTED, "bank_details", "footer")}


def buyer_as_printed(details: BillingDetails | None, account: str) -> dict[str, str]:
    if details is None:
        return {**dict.fromkeys((*PRINTED, "reference"), ""), "name": account}
    return {name: getattr(details, name) for name in (*PRINTED, "reference")}


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


def issue(draft: Draft, parties: Parties, *, time: MonthOfTime, adjusted_micros: int, later_micros: int) -> Invoice:
    """Write an invoice that bills `adjusted_micros` beyond the charges made at use.

    `later_micros` were charged to the balance after the period, and do not count as missing for this invoice.
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
    invoice = Invoice.objects.create(
        **parties.printed(),
        **take_number(series_of(parties.seller.prefix, now.year, credit_note=False)),
        kind=Invoice.Kind.INVOICE,
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
            position=position,
            **{name: getattr(line.item, name) for name in ("kind", "month", "plan_id", "model", "cached")},
            recorded_late=line.recorded_late,
            text=text_of(line, plans),
            price=line.item.price.to_json() if line.item.price else None,
            **asdict(line.amount),
            amount_micros=line.amount_micros,
        )
        for position, line in enumerate(draft.lines, start=1)
    ]


def issue_credit_note(invoice: Invoice, part: Corrected, parties: Parties, *, reason: str) -> Invoice:
    """Write a credit note. It lowers the open amount, and any part that was already paid becomes credit."""
    locked_wallet(invoice.tenant_id, invoice.currency)
    now = database_now()
    opened = min(invoice.open_micros, part.total_micros)
    note = Invoice.objects.create(
        **parties.printed(),
        **take_number(series_of(parties.seller.prefix, now.year, credit_note=True)),
        **{name: getattr(invoice, name) for name in _AS_CORRECTED},
        kind=Invoice.Kind.CREDIT_NOTE,
        corrects=invoice,
        reason=reason,
        issued_on=now.date(),
        due_on=now.date(),
        lines_count=1,
        net_micros=part.net_micros,
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
    by = parties.made_by
    post(Source(note.tenant_id, "credit_note", note.pk, note.currency, reason=reason, made_by=by), posting)
    invoice.credited_micros += opened
    if not invoice.open_micros and invoice.status == Invoice.Status.OPEN:
        invoice.status, invoice.paid_at = Invoice.Status.PAID, database_now()
    invoice.save(update_fields=["credited_micros", "status", "paid_at"])
    return note


def write_off_rest(invoice: Invoice, *, reason: str, made_by: str) -> None:
    locked_wallet(invoice.tenant_id, invoice.currency)
    rest = invoice.open_micros
    source = Source(invoice.tenant_id, INVOICE, invoice.pk, invoice.currency, reason=reason, made_by=made_by)
    post(source, postings.write_off(rest))
    invoice.written_off_micros += rest
    invoice.status = Invoice.Status.WRITTEN_OFF
    invoice.save(update_fields=["written_off_micros", "status"])


def locked_wallet(tenant_id: UUID, currency: str) -> Wallet:
    open_wallet(tenant_id, currency)
    return Wallet.objects.select_for_update(no_key=True).get(tenant_id=tenant_id, currency=currency)


def series_of(prefix: str, year: int, *, credit_note: bool) -> str:
    return f"{prefix}-C-{year}" if credit_note else f"{prefix}-{year}"


def take_number(series: str) -> dict[str, Any]:
    """Take the next number. Make it the last lock of the transaction, because all other billing waits for it."""
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(_TAKE, {"name": series})
        (last,) = cursor.fetchone()
    return {"series": series, "sequence": last, "number": f"{series}-{last:06d}"}
