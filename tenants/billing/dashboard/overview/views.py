"""Views of an account's balance, debts and invoices, and of its billing details."""

from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from tenants.billing.dashboard.overview.rows import balance_row, invoice_row, invoice_view, units_row
from tenants.billing.invoices.details import OWN, set_billing_details
from tenants.billing.invoices.formats import (
    CSV,
    as_file,
    csv_file,
    file_name,
    list_as_csv,
    pdf_file,
    whole_json,
)
from tenants.billing.invoices.issued import (
    MAX_EXPORTED,
    STANDINGS,
    WORDS,
    WholeInvoice,
    billing_details,
    find_invoice,
    invoices,
    whole,
)
from tenants.billing.invoices.models import COUNTRY
from tenants.billing.invoices.upcoming import upcoming_rows
from tenants.billing.ledger.selectors import balances, standing_of
from tenants.billing.payments.models import Payment
from tenants.core.db.unit_of_work import unit_of_work
from tenants.dashboard_base.members import members_only
from tenants.identity.identity import Identity

NEWEST, AT_ONCE = 6, 50


class CountryField(forms.CharField):
    def to_python(self, value: object) -> str:
        return str(super().to_python(value) or "").upper()


class DetailsForm(forms.Form):
    name = forms.CharField(
        max_length=200,
        help_text=gettext_lazy("The company or person that pays, as it must appear on invoices."),
        error_messages={"required": gettext_lazy("Enter the name for invoices.")},
        widget=forms.TextInput(attrs={"autocomplete": "organization"}),
    )
    address = forms.CharField(
        max_length=500,
        required=False,
        help_text=gettext_lazy("As printed on invoices, line by line."),
        widget=forms.Textarea(attrs={"rows": 4, "autocomplete": "street-address"}),
    )
    country = CountryField(
        max_length=2,
        required=False,
        validators=[COUNTRY],
        help_text=gettext_lazy("Two capital letters, for example DE."),
        widget=forms.TextInput(attrs={"autocomplete": "country", "size": 2}),
    )
    tax_id = forms.CharField(
        label=gettext_lazy("Tax ID"),
        max_length=50,
        required=False,
        help_text=gettext_lazy("For example a VAT number. Leave empty if you have none."),
    )
    email = forms.EmailField(
        label=gettext_lazy("Email for invoices"),
        max_length=254,
        required=False,
        help_text=gettext_lazy("Gets invoices in addition to owners and billing members."),
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
    reference = forms.CharField(
        label=gettext_lazy("Your reference"),
        max_length=100,
        required=False,
        help_text=gettext_lazy("Printed on each invoice, for example an order number."),
    )


@require_safe
@members_only
def billing_page(request: HttpRequest, identity: Identity) -> HttpResponse:
    identity.require("billing:read")
    with unit_of_work(identity.tenant_id):
        found = list(invoices()[: NEWEST + 1])
        context = {
            "balances": [balance_row(balance) for balance in balances()],
            "included": [units_row(units) for units in standing_of(identity.tenant_id).rows],
            "invoices": [invoice_row(invoice) for invoice in found[:NEWEST]],
            "more": len(found) > NEWEST,
            "overdue": invoices("overdue").count(),
            "details": billing_details(),
            "may_write": "billing:write" in identity.scopes,
        }
    return render(request, "tenants/billing/billing.html", context)


@require_safe
@members_only
def upcoming_part(request: HttpRequest, identity: Identity) -> HttpResponse:
    """Show the upcoming invoice. The page requests it afterwards, because summing up a month can take a moment."""
    identity.require("billing:read")
    return render(request, "tenants/billing/upcoming.html", {"upcoming": upcoming_rows(identity.tenant_id)})


@require_safe
@members_only
def invoice_list(request: HttpRequest, identity: Identity) -> HttpResponse:
    identity.require("billing:read")
    status, before = _asked_status(request), _place(request.GET.get("before", ""))
    with unit_of_work(identity.tenant_id):
        rows = invoices(status)
        found = list((rows.filter(id__lt=before) if before else rows)[: AT_ONCE + 1])
    context = {
        "invoices": [invoice_row(invoice) for invoice in found[:AT_ONCE]],
        "older": str(found[AT_ONCE - 1].id) if len(found) > AT_ONCE else "",
        "before": before,
        "status": status,
        "statuses": WORDS.items(),
        "may_write": "billing:write" in identity.scopes,
    }
    return render(request, "tenants/billing/invoice_list.html", context)


@require_safe
@members_only
def invoice_list_csv(request: HttpRequest, identity: Identity) -> HttpResponse:
    identity.require("billing:read")
    status = _asked_status(request)
    with unit_of_work(identity.tenant_id):
        written = list_as_csv(invoices(status)[:MAX_EXPORTED])
    return as_file(written.encode(), CSV, "invoices.csv")


@require_safe
@members_only
def invoice_page(request: HttpRequest, identity: Identity, invoice_id: str) -> HttpResponse:
    found = _found(identity, invoice_id)
    with unit_of_work(identity.tenant_id):
        payments = list(Payment.objects.filter(invoice=found.invoice).order_by("-id"))
    context = {
        "view": invoice_view(found, payments),
        "paper": found.paper,
        "downloads": [
            (kind, reverse(f"invoice_{kind.lower()}", args=[found.invoice.id])) for kind in ("PDF", "CSV", "JSON")
        ],
        "may_write": "billing:write" in identity.scopes,
    }
    return render(request, "tenants/billing/invoice.html", context)


@require_safe
@members_only
def invoice_file(request: HttpRequest, identity: Identity, invoice_id: str, kind: str) -> HttpResponse:
    found = _found(identity, invoice_id)
    if kind != "json":
        return pdf_file(found) if kind == "pdf" else csv_file(found)
    response = JsonResponse(whole_json(found), json_dumps_params={"ensure_ascii": False, "indent": 2})
    response["Content-Disposition"] = f'attachment; filename="{file_name(found.invoice, kind)}"'
    return response


def _found(identity: Identity, invoice_id: str) -> WholeInvoice:
    """Find the invoice that the URL names. Another tenant's invoice is treated like one that does not exist."""
    identity.require("billing:read")
    with unit_of_work(identity.tenant_id):
        invoice = find_invoice(invoice_id)
        if invoice is None:
            raise Http404("This invoice does not exist.")
        return whole(invoice)


@require_http_methods(["GET", "HEAD", "POST"])
@members_only
def details_page(request: HttpRequest, identity: Identity) -> HttpResponse:
    identity.require("billing:write")
    with unit_of_work(identity.tenant_id):
        details = billing_details()
    initial = {name: getattr(details, name) for name in OWN} if details else {"name": identity.tenant_name}
    form = DetailsForm(request.POST or None, initial=initial, label_suffix="")
    if request.method == "POST" and form.is_valid():
        with unit_of_work(identity.tenant_id):
            set_billing_details(tenant_id=identity.tenant_id, values=dict(form.cleaned_data))
        messages.success(request, _("Saved. New invoices show these details."))
        return redirect("billing")
    status = 422 if request.method == "POST" else 200
    return render(request, "tenants/billing/details.html", {"form": form, "details": details}, status=status)


def _asked_status(request: HttpRequest) -> str:
    """Return the status filter. An unknown status is ignored, so an old URL shows all invoices."""
    status = request.GET.get("status", "")
    return status if status in STANDINGS else ""


def _place(text: str) -> UUID | None:
    try:
        return UUID(text) if text else None
    except ValueError:
        raise Http404(f"before={text[:60]!r} is not the ID of an invoice.") from None
