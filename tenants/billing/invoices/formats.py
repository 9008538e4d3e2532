"""Invoices as JSON for programs, as PDF, and as CSV for spreadsheets, in which no cell can be read as a formula."""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any, cast

from django.http import HttpResponse

from tenants.billing.invoices.amounts import amount
from tenants.billing.invoices.issued import WholeInvoice, standing
from tenants.billing.invoices.issuing import PRINTED
from tenants.billing.invoices.models import Invoice, InvoiceLine
from tenants.billing.invoices.paper import Paper, period_of
from tenants.core.csv_cells import safe
from tenants.core.times import rfc3339

_OF_LINE = (
    *("kind", "month", "recorded_late", "text", "model", "cached", "price"),
    *("quantity", "included", "exact_micros", "amount_micros"),
)
SUMS = ("net", "tax", "total", "due", "paid", "credited", "written_off", "open")
PDF, CSV, JSON = "application/pdf", "text/csv; charset=utf-8", "application/json"
_NOT_OF_A_NAME = re.compile(r"[^A-Za-z0-9-]+")
LIST_COLUMNS = (
    *("number", "kind", "status", "corrects", "issued_on", "due_on", "first_day", "last_day"),
    *("buyer", "buyer_country", "buyer_tax_id", "currency", "tax_name", "tax_rate_bp"),
    *SUMS,
    "id",
)
LINE_COLUMNS = (
    *("invoice", "position", "kind", "month", "recorded_late", "text", "model", "cached"),
    *("meter", "price_micros", "price_per", "quantity", "included"),
    *("currency", "exact_micros", "amount_micros", "amount"),
)


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
    fields: dict[str, Any] = {}
    for name, micros in sums.items():
        fields[f"{name}_micros"] = micros
        fields[f"{name}_amount"] = plain(micros, currency)
    return fields


def _named(invoice: Invoice) -> dict[str, Any]:
    return {"id": str(invoice.id), "number": invoice.number, "issued_on": f"{invoice.issued_on}"}


def _party(party: Mapping[str, object]) -> dict[str, Any]:
    return {name: str(party.get(name) or "") for name in PRINTED}


def line_json(line: InvoiceLine, currency: str) -> dict[str, Any]:
    fields = {name: getattr(line, name) for name in _OF_LINE}
    return {**fields, "month": f"{line.month:%Y-%m}", "amount": plain(line.amount_micros, currency)}


def file_name(invoice: Invoice, ending: str) -> str:
    return f"{_NOT_OF_A_NAME.sub('-', invoice.number)}.{ending}"


def invoice_as_pdf(paper: Paper) -> bytes:
    """Draw the PDF. The import is late: it is about 200 modules, which other responses should not wait for."""
    return cast("bytes", import_module("tenants.billing.invoices.pdf.document").as_pdf(paper))


def pdf_file(found: WholeInvoice) -> HttpResponse:
    return as_file(invoice_as_pdf(found.paper), PDF, file_name(found.invoice, "pdf"))


def csv_file(found: WholeInvoice) -> HttpResponse:
    return as_file(invoice_as_csv(found).encode(), CSV, file_name(found.invoice, "csv"))


def as_file(content: bytes, content_type: str, name: str) -> HttpResponse:
    response = HttpResponse(content, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["Cache-Control"] = "private, no-store"
    return response


def list_as_csv(found: Iterable[Invoice]) -> str:
    """Return the list as CSV. Amounts of credit notes are positive too. The column `kind` distinguishes them."""
    return _written(LIST_COLUMNS, (_of_invoice(invoice) for invoice in found))


def invoice_as_csv(found: WholeInvoice) -> str:
    """Return the invoice's lines as CSV. They add up to the invoice's net amount."""
    return _written(LINE_COLUMNS, (_of_line(line, found.invoice) for line in found.lines))


def _of_invoice(invoice: Invoice) -> Sequence[object]:
    buyer = invoice.buyer
    sums = sums_of(invoice)
    return (
        safe(invoice.number),
        invoice.kind,
        standing(invoice),
        safe(invoice.corrects.number) if invoice.corrects else "",
        invoice.issued_on,
        invoice.due_on,
        *period_of(invoice),
        *(safe(str(buyer.get(name) or "")) for name in ("name", "country", "tax_id")),
        invoice.currency,
        safe(invoice.tax_name),
        invoice.tax_rate_bp,
        *(plain(sums[name], invoice.currency) for name in SUMS),
        invoice.id,
    )


def _of_line(line: InvoiceLine, invoice: Invoice) -> Sequence[object]:
    price = line.price or {}
    return (
        safe(invoice.number),
        line.position,
        line.kind,
        f"{line.month:%Y-%m}",
        "true" if line.recorded_late else "false",
        safe(line.text),
        safe(line.model),
        "true" if line.cached else "false",
        *(price.get(name, "") for name in ("meter", "amount_micros", "per")),
        line.quantity,
        line.included,
        invoice.currency,
        line.exact_micros,
        line.amount_micros,
        plain(line.amount_micros, invoice.currency),
    )


def _written(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    written = io.StringIO()
    writer = csv.writer(written)
    writer.writerow(columns)
    writer.writerows(rows)
    return written.getvalue()
