"""`/v1/invoices`: invoices and credit notes as JSON, as PDF and as CSV."""

from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tenants.api.callers import caller
from tenants.api.files import AsStored
from tenants.api.pagination import listing
from tenants.api.parameters import only
from tenants.api.schema import PAGED, REFUSALS, list_of, paged_list_of
from tenants.billing.invoices.formats import (
    CSV,
    SUMS,
    as_file,
    csv_file,
    invoice_json,
    list_as_csv,
    pdf_file,
    whole_json,
)
from tenants.billing.invoices.issued import (
    MAX_EXPORTED,
    STANDINGS,
    WholeInvoice,
    find_invoice,
    invoices,
    whole,
)
from tenants.billing.invoices.issuing import PRINTED
from tenants.billing.invoices.models import InvoiceLine
from tenants.billing.invoices.upcoming import upcoming_now
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import InvalidRequest, NotFound
from tenants.identity.identity import Identity

Fields = dict[str, serializers.Field[Any, Any, Any, Any]]
STATUS = OpenApiParameter(
    "status",
    str,
    enum=list(STANDINGS),
    description="`open` includes overdue invoices. `credit_note` lists credit notes.",
)
NAMED: Fields = {
    "id": serializers.UUIDField(),
    "number": serializers.CharField(),
    "issued_on": serializers.DateField(),
}
PARTY: Fields = {name: serializers.CharField() for name in PRINTED}
INVOICE: Fields = {
    "id": serializers.UUIDField(),
    "object": serializers.CharField(),
    "kind": serializers.CharField(help_text="`invoice` or `credit_note`."),
    "number": serializers.CharField(),
    "status": serializers.CharField(help_text="`open`, `paid` or `written_off`."),
    "overdue": serializers.BooleanField(help_text="Whether it is unpaid after its due date."),
    "currency": serializers.CharField(),
    "month": serializers.CharField(),
    "period": inline_serializer(
        "InvoicePeriod", {"first_day": serializers.DateField(), "last_day": serializers.DateField()}
    ),
    "issued_on": serializers.DateField(),
    "due_on": serializers.DateField(),
    "corrects": inline_serializer("CorrectedInvoice", NAMED, allow_null=True),
    "reason": serializers.CharField(help_text="Reason for a credit note."),
    "seller": inline_serializer("InvoiceSeller", PARTY),
    "buyer": inline_serializer("InvoiceBuyer", {**PARTY, "reference": serializers.CharField()}),
    "tax": inline_serializer(
        "InvoiceTax",
        {
            "name": serializers.CharField(),
            "rate_bp": serializers.IntegerField(help_text="Tax rate in hundredths of a percent: 1900 is 19 %."),
            "note": serializers.CharField(),
        },
    ),
    **{f"{name}_micros": serializers.IntegerField() for name in SUMS},
    **{f"{name}_amount": serializers.CharField() for name in SUMS},
    "paid_at": serializers.DateTimeField(allow_null=True),
}
LINE: Fields = {
    "position": serializers.IntegerField(),
    "kind": serializers.CharField(help_text=f"One of {', '.join(InvoiceLine.Kind.values)}."),
    "month": serializers.CharField(),
    "recorded_late": serializers.BooleanField(help_text="Whether it belongs to a month that was billed before."),
    "text": serializers.CharField(),
    "model": serializers.CharField(),
    "cached": serializers.BooleanField(),
    "price": serializers.DictField(allow_null=True),
    "quantity": serializers.IntegerField(),
    "included": serializers.IntegerField(),
    "exact_micros": serializers.IntegerField(),
    "amount_micros": serializers.IntegerField(),
    "amount": serializers.CharField(),
}
UPCOMING: Fields = {
    "object": serializers.CharField(),
    "month": serializers.CharField(),
    "currency": serializers.CharField(),
    **{f"{name}_micros": serializers.IntegerField() for name in ("net", "tax", "total")},
    **{f"{name}_amount": serializers.CharField() for name in ("net", "tax", "total")},
    "lines": inline_serializer(
        "UpcomingLine", {name: field for name, field in LINE.items() if name != "position"}, many=True
    ),
}
NOTE: Fields = {**NAMED, "total_micros": serializers.IntegerField(), "total": serializers.CharField()}


class InvoiceList(APIView):
    @extend_schema(
        operation_id="list_invoices",
        summary="List invoices and credit notes, newest first",
        parameters=[STATUS, *PAGED],
        responses={
            200: paged_list_of("InvoiceList", inline_serializer("Invoice", INVOICE, many=True)),
            **REFUSALS,
        },
    )
    def get(self, request: Request) -> Response:
        identity = caller(request, "billing:read")
        only(request, "status", "limit", "cursor")
        with unit_of_work(identity):
            return Response(listing(request, _asked(request), invoice_json))


class InvoiceExport(APIView):
    content_negotiation_class = AsStored

    @extend_schema(
        operation_id="export_invoices",
        summary="Export invoices and credit notes as CSV",
        parameters=[STATUS],
        responses={(200, "text/csv"): str, **REFUSALS},
    )
    def get(self, request: Request) -> HttpResponse:
        """Return at most the newest 10,000 invoices and credit notes as CSV."""
        identity = caller(request, "billing:read")
        only(request, "status")
        with unit_of_work(identity):
            written = list_as_csv(_asked(request)[:MAX_EXPORTED])
        return as_file(written.encode(), CSV, "invoices.csv")


class UpcomingInvoices(APIView):
    @extend_schema(
        operation_id="list_upcoming_invoices",
        summary="Preview the invoices of the current month",
        responses={
            200: list_of(
                "UpcomingInvoiceList",
                inline_serializer("UpcomingInvoice", UPCOMING, many=True),
                month=serializers.CharField(),
                calculated=serializers.BooleanField(
                    help_text="False if nothing is billed, or if there is too much usage to calculate the amounts."
                ),
            ),
            **REFUSALS,
        },
    )
    def get(self, request: Request) -> Response:
        """Return one upcoming invoice per currency. Nothing is stored, and the amounts are not binding."""
        identity = caller(request, "billing:read")
        only(request)
        identity.require_livemode()
        found = upcoming_now(identity.tenant_id)
        return Response(
            {
                "object": "list",
                "month": str(found.month),
                "calculated": found.calculated,
                "data": found.invoices,
            }
        )


class InvoiceDetail(APIView):
    @extend_schema(
        operation_id="show_invoice",
        summary="Show an invoice with its lines",
        responses={
            200: inline_serializer(
                "WholeInvoice",
                {
                    **INVOICE,
                    "lines": inline_serializer("InvoiceLine", LINE, many=True),
                    "credit_notes": inline_serializer("InvoiceCreditNote", NOTE, many=True),
                },
            ),
            **REFUSALS,
        },
    )
    def get(self, request: Request, invoice_id: str) -> Response:
        identity = caller(request, "billing:read")
        only(request)
        return Response(whole_json(_of(identity, invoice_id)))


class InvoicePdf(APIView):
    content_negotiation_class = AsStored

    @extend_schema(
        operation_id="show_invoice_pdf",
        summary="Download an invoice as PDF",
        responses={(200, "application/pdf"): bytes, **REFUSALS},
    )
    def get(self, request: Request, invoice_id: str) -> HttpResponse:
        """Return the PDF. The bytes are the same each time, because later payments are not printed on it."""
        identity = caller(request, "billing:read")
        only(request)
        return pdf_file(_of(identity, invoice_id))


class InvoiceCsv(APIView):
    content_negotiation_class = AsStored

    @extend_schema(
        operation_id="show_invoice_csv",
        summary="Download the lines of an invoice as CSV",
        responses={(200, "text/csv"): str, **REFUSALS},
    )
    def get(self, request: Request, invoice_id: str) -> HttpResponse:
        identity = caller(request, "billing:read")
        only(request)
        return csv_file(_of(identity, invoice_id))


def _asked(request: Request) -> Any:
    try:
        return invoices(request.query_params.get("status", ""))
    except ValueError as fault:
        raise InvalidRequest(str(fault)) from fault


def _of(identity: Identity, invoice_id: str) -> WholeInvoice:
    with unit_of_work(identity):
        found = find_invoice(invoice_id)
        if found is None:
            raise NotFound(f"There is no invoice {invoice_id[:60]!r}.")
        return whole(found)
