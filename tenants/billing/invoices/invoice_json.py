"""An invoice as JSON for programs: amounts in millionths, and as decimal numbers beside them."""

from collections.abc import Mapping
from typing import Any

from tenants.billing.invoices.amounts import amount
from tenants.billing.invoices.issued import WholeInvoice, standing
from tenants.billing.invoices.models import Invoice, InvoiceLine
from tenants.billing.invoices.paper import period_of
from tenants.billing.invoices.wording import PRINTED
from tenants.core.times import rfc3339

SUMS = ("net", "tax", "total", "due", "paid", "credited", "written_off", "open")


def invoice_json(invoice: Invoice) -> dict[str, Any]:
    first, last = period_of(invoice)
    return {
        "id": str(invoice.id),
        "object": "invoice",
        "kind": invoice.kind,
        "number": invoice.number,
        "status": invoice.status,
        "overdue": standing(invoice) == "overdue",
        "currency": invoice.currency,
        "month": f"{invoice.month:%Y-%m}",
        "period": {"first_day": f"{first}", "last_day": f"{last}"},
        "issued_on": f"{invoice.issued_on}",
        "due_on": f"{invoice.due_on}",
        "corrects": _named(invoice.corrects) if invoice.corrects else None,
        "reason": invoice.reason,
        "seller": _party(invoice.seller),
        "buyer": {**_party(invoice.buyer), "reference": str(invoice.buyer.get("reference") or "")},
        "tax": {"name": invoice.tax_name, "rate_bp": invoice.tax_rate_bp, "note": invoice.tax_note},
        **amounts_json(sums_of(invoice), invoice.currency),
        "paid_at": rfc3339(invoice.paid_at) if invoice.paid_at else None,
    }


def whole_json(found: WholeInvoice) -> dict[str, Any]:
    currency = found.invoice.currency
    return {
        **invoice_json(found.invoice),
        "lines": [{"position": line.position, **line_json(line, currency)} for line in found.lines],
        "credit_notes": [
            {**_named(note), "total_micros": note.total_micros, "total": plain(note.total_micros, currency)}
            for note in found.credit_notes
        ],
    }


def plain(amount_micros: int, currency: str) -> str:
    """Return the amount for programs, without separators of thousands."""
    return amount(amount_micros, currency).replace(",", "")


def sums_of(invoice: Invoice) -> Mapping[str, int]:
    return {name: getattr(invoice, f"{name}_micros") for name in SUMS}


def amounts_json(sums: Mapping[str, int], currency: str) -> dict[str, Any]:
    told: dict[str, Any] = {}
    for name, micros in sums.items():
        told[f"{name}_micros"] = micros
        told[f"{name}_amount"] = plain(micros, currency)
    return told


def _named(invoice: Invoice) -> dict[str, Any]:
    return {"id": str(invoice.id), "number": invoice.number, "issued_on": f"{invoice.issued_on}"}


def _party(party: Mapping[str, object]) -> dict[str, Any]:
    return {name: str(party.get(name) or "") for name in PRINTED}


def line_json(line: InvoiceLine, currency: str) -> dict[str, Any]:
    return {
        "kind": line.kind,
        "month": f"{line.month:%Y-%m}",
        "late": line.late,
        "text": line.text,
        "model": line.model,
        "cached": line.cached,
        "price": line.price,
        "quantity": line.quantity,
        "included": line.included,
        "exact_micros": line.exact_micros,
        "amount_micros": line.amount_micros,
        "amount": plain(line.amount_micros, currency),
    }
