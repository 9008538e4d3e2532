"""An invoice as a downloadable file: its bytes and its file name."""

import re

from django.http import HttpResponse

from tenants.billing.invoices.as_csv import invoice_as_csv
from tenants.billing.invoices.as_pdf import invoice_as_pdf
from tenants.billing.invoices.issued import WholeInvoice
from tenants.billing.invoices.models import Invoice

PDF, CSV, JSON = "application/pdf", "text/csv; charset=utf-8", "application/json"
_NOT_OF_A_NAME = re.compile(r"[^A-Za-z0-9-]+")


def file_name(invoice: Invoice, ending: str) -> str:
    return f"{_NOT_OF_A_NAME.sub('-', invoice.number)}.{ending}"


def pdf_file(found: WholeInvoice) -> HttpResponse:
    return as_file(invoice_as_pdf(found.paper), PDF, file_name(found.invoice, "pdf"))


def csv_file(found: WholeInvoice) -> HttpResponse:
    return as_file(invoice_as_csv(found).encode(), CSV, file_name(found.invoice, "csv"))


def as_file(content: bytes, content_type: str, name: str) -> HttpResponse:
    response = HttpResponse(content, content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["Cache-Control"] = "private, no-store"
    return response
