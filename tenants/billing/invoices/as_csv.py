"""Invoices as CSV files for spreadsheets. No cell can be read as a formula."""

import csv
import io
from collections.abc import Iterable, Sequence

from tenants.billing.invoices.invoice_json import SUMS, plain, sums_of
from tenants.billing.invoices.issued import WholeInvoice, standing
from tenants.billing.invoices.models import Invoice, InvoiceLine
from tenants.billing.invoices.paper import period_of
from tenants.billing.usage.csv_rows import safe

LIST_COLUMNS = (
    *("number", "kind", "status", "corrects", "issued_on", "due_on", "first_day", "last_day"),
    *("buyer", "buyer_country", "buyer_tax_id", "currency", "tax_name", "tax_rate_bp"),
    *SUMS,
    "id",
)
LINE_COLUMNS = (
    *("invoice", "position", "kind", "month", "late", "text", "model", "cached"),
    *("meter", "price_micros", "price_per", "quantity", "included"),
    *("currency", "exact_micros", "amount_micros", "amount"),
)


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
        "true" if line.late else "false",
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
