"""Creates invoices as they are when they are issued, written as the issuing service writes them."""

import itertools
import os
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from tenants.billing.invoices.models import Invoice, InvoiceLine
from tenants.core.db.unit_of_work import OPERATOR, operator_work
from tests.flows.product import Product

_numbers = itertools.count(1)
CENT = 10_000
SELLER = {
    "name": "Lesewerk Dokumente GmbH",
    "address": "Speicherstraße 12\n20457 Hamburg",
    "country": "DE",
    "tax_id": "DE123456789",
    "email": "billing@lesewerk.example",
    "bank_details": "IBAN DE02 1203 0000 0000 2020 51\nBIC BYLADEM1001",
    "footer": "Lesewerk Dokumente GmbH · Amtsgericht Hamburg HRB 12345",
}
BUYER = {
    "name": "Atelier Éluard S.à r.l.",
    "address": "Rue de l’Église 5\n75001 Paris",
    "country": "FR",
    "tax_id": "FR98765432100",
    "email": "compta@eluard.example",
    "reference": "PO 4711",
}
PRICE = {"meter": "page", "amount_micros": 1_500, "per": 1, "currency": "EUR"}


def number(prefix: str = "INV") -> tuple[str, int]:
    """Return a series and number that no other test has."""
    return f"{prefix}-{os.getpid()}", next(_numbers)


def line(**changes: Any) -> dict[str, Any]:
    said = {
        "kind": InvoiceLine.Kind.USAGE,
        "text": "parse, pages",
        "model": "parse",
        "price": PRICE,
        "quantity": 12_345,
        "included": 345,
        "exact_micros": 18_000_000,
        "amount_micros": 18_000_000,
    }
    return {**said, **changes}


FEE = line(
    kind=InvoiceLine.Kind.FEE,
    text="Plan Business, October 2026",
    model="",
    price=None,
    quantity=0,
    included=0,
    exact_micros=49_000_000,
    amount_micros=49_000_000,
)


def issued(
    tenant_id: UUID,
    lines: Sequence[Mapping[str, Any]] | None = None,
    *,
    buyer: Mapping[str, str] | None = None,
    balance_micros: int = 0,
    overdue: bool = False,
    **changes: Any,
) -> Invoice:
    """Create an issued invoice. `balance_micros` is the amount that the balance paid when it was issued."""
    lines = [FEE, line()] if lines is None else lines
    net = sum(one["amount_micros"] for one in lines)
    tax = changes.pop("tax_micros", net * 19 // 100 // CENT * CENT)
    series, sequence = number("INV-C" if changes.get("corrects") else "INV")
    today = timezone.now().date()
    said = {
        "series": series,
        "sequence": sequence,
        "number": f"{series}-{sequence:06d}",
        "currency": "EUR",
        "month": date(2026, 10, 1),
        "period_start": datetime(2026, 10, 1, tzinfo=UTC),
        "period_end": datetime(2026, 11, 1, tzinfo=UTC),
        "issued_on": today - timedelta(days=30 if overdue else 0),
        "due_on": today + timedelta(days=-16 if overdue else 14),
        "seller": SELLER,
        "buyer": {**BUYER, **(buyer or {})},
        "lines_count": len(lines),
        "net_micros": net,
        "tax_name": "VAT",
        "tax_rate_bp": 1900,
        "tax_micros": tax,
        "total_micros": net + tax,
        "due_micros": net + tax - balance_micros,
    }
    said |= changes
    with operator_work(), transaction.atomic(using=OPERATOR):
        invoice = Invoice.objects.create(tenant_id=tenant_id, **said)
        InvoiceLine.objects.bulk_create(
            InvoiceLine(tenant_id=tenant_id, invoice=invoice, position=place, **{"month": invoice.month, **one})
            for place, one in enumerate(lines, start=1)
        )
    return invoice


def credit_note(invoice: Invoice, amount_micros: int = 18_000_000, **changes: Any) -> Invoice:
    reason = "Pages were read twice"
    taken_back = line(
        kind=InvoiceLine.Kind.CORRECTION,
        text=reason,
        model="",
        price=None,
        quantity=0,
        included=0,
        exact_micros=amount_micros,
        amount_micros=amount_micros,
    )
    return issued(
        invoice.tenant_id,
        [taken_back],
        corrects=invoice,
        reason=reason,
        kind=Invoice.Kind.CREDIT_NOTE,
        due_micros=0,
        status=Invoice.Status.PAID,
        **changes,
    )


_INSERT = """
WITH invoice AS (
    INSERT INTO tenants_invoice (
        id, tenant_id, kind, series, sequence, number, reason, currency, month, period_start, period_end, issued_on,
        due_on, seller, buyer, lines_count, net_micros, tax_name, tax_rate_bp, tax_note, tax_micros, total_micros,
        due_micros, paid_micros, credited_micros, written_off_micros, status, made_by
    ) VALUES (
        gen_random_uuid(), %s, 'invoice', %s, 1, %s, '', 'EUR', '2026-10-01', '2026-10-01',
        '2026-11-01', '2026-11-01', '2026-11-15', '{"name": "Lesewerk"}', '{"name": "Books"}', 1, 1000000, 'VAT', 0, '',
        0, 1000000, 0, 0, 0, 0, 'paid', ''
    ) RETURNING id, tenant_id, number
), line AS (
    INSERT INTO tenants_invoiceline (
        tenant_id, invoice_id, position, kind, month, recorded_late, text, model, cached, quantity, included,
        exact_micros, amount_micros
    ) SELECT tenant_id, id, 1, 'fee', '2026-10-01', false, 'Plan', '', false, 0, 0, 1000000, 1000000 FROM invoice
)
SELECT id, number FROM invoice
"""


def inserted(product: Product, tenant_id: str) -> tuple[str, str]:
    """Insert an invoice in a product that runs by itself, and return its ID and number."""
    series = f"T-{tenant_id[-12:]}"
    ((invoice_id, number),) = product.rows(_INSERT, tenant_id, series, f"{series}-000001")
    return str(invoice_id), number
