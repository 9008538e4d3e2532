"""Pages on which an operator bills a month, issues a credit note for an invoice, or writes an invoice off."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeVar
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from unfold.widgets import (
    UnfoldAdminDecimalFieldWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanSwitchWidget,
)

from tenants.accounts.models import Tenant
from tenants.billing.admin.fields import TenantIdField, micros_of
from tenants.billing.invoices.amounts import amount, amount_of
from tenants.billing.invoices.calculation import CalculatedLine, Draft
from tenants.billing.invoices.errors import NotBillable
from tenants.billing.invoices.issued import find_invoice
from tenants.billing.invoices.issuing import text_of
from tenants.billing.invoices.models import Invoice
from tenants.billing.invoices.services import LONGEST_REASON, credit, draw_month, preview_month, write_off
from tenants.core.db.unit_of_work import OPERATOR
from tenants.core.months import Month
from tenants.plans.models import Plan
from tenants.plans.wording import number_of


class MonthField(forms.CharField):
    widget = UnfoldAdminTextInputWidget

    def clean(self, value: Any) -> Month:
        found = Month.parse(super().clean(value))
        if found is None:
            raise forms.ValidationError(_("Enter year and month, such as 2026-11."))
        return found


class DrawForm(forms.Form):
    tenant = TenantIdField()
    month = MonthField(label=_("Month"), help_text=_("For example 2026-11."))
    closes = forms.BooleanField(
        label=_("Close the month"),
        required=False,
        initial=True,
        widget=UnfoldBooleanSwitchWidget,
        help_text=_("On: later usage of this month goes on the next invoice. Off: only the usage so far is billed."),
    )


Form = TypeVar("Form", bound="ReasonForm")


class ReasonForm(forms.Form):
    reason = forms.CharField(
        max_length=LONGEST_REASON,
        widget=UnfoldAdminTextInputWidget,
        help_text=_("Recorded in the ledger and shown to the account."),
    )


class CreditForm(ReasonForm):
    net = forms.DecimalField(
        label=_("Amount before tax"),
        required=False,
        min_value=Decimal("0.001"),
        decimal_places=3,
        max_digits=18,
        widget=UnfoldAdminDecimalFieldWidget,
        help_text=_("Leave empty to credit the full remaining amount. The tax is credited too."),
    )
    taken_back = forms.IntegerField(widget=forms.HiddenInput)
    """The amount taken back when the form was shown, in millionths. A form sent twice takes nothing back twice."""
    field_order = ("net", "reason", "taken_back")

    @property
    def net_micros(self) -> int | None:
        net: Decimal | None = self.cleaned_data["net"]
        return micros_of(net)


@dataclass(frozen=True)
class DraftView:
    title: str
    lines: Sequence[tuple[str, str, str, str]]
    sums: Sequence[tuple[str, str]]


def draw_page(request: HttpRequest) -> HttpResponse:
    """Show what would be billed. Bill the month if the form is sent with `draw`."""
    _require(request, "tenants.add_invoice")
    sent = request.POST or request.GET
    form = DrawForm(
        sent if "tenant" in sent and "month" in sent else None, initial={"closes": True, **request.GET.dict()}
    )
    drafts: list[DraftView] | None = None
    if form.is_bound and form.is_valid():
        values = form.cleaned_data
        tenant = Tenant.objects.get(pk=values["tenant"])
        try:
            if request.method == "POST" and "draw" in request.POST:
                return _drawn(request, tenant, values["month"], closes=values["closes"])
            drafts = _previewed(tenant, values["month"])
        except NotBillable as refusal:
            form.add_error(None, refusal.detail)
    context = {"form": form, "drafts": drafts, "back": reverse("admin:tenants_invoice_changelist")}
    return _page(request, "Bill a month", "draw", context)


def _drawn(request: HttpRequest, tenant: Tenant, month: Month, *, closes: bool) -> HttpResponse:
    with transaction.atomic(using=OPERATOR):
        issued = draw_month(tenant.pk, month, closes=closes, made_by=str(request.user))
        numbers = ", ".join(invoice.number for invoice in issued)
        _log(request, tenant, f"Billed {month}: {numbers or 'nothing to bill'}.")
    messages.success(request, f"Issued: {numbers}." if issued else f"Nothing to bill for {month}.")
    if len(issued) == 1:
        return redirect("admin:tenants_invoice_change", issued[0].pk)
    return redirect("admin:tenants_invoice_changelist")


def _previewed(tenant: Tenant, month: Month) -> list[DraftView]:
    plans = dict(Plan.objects.values_list("pk", "name"))
    return [_view(draft, plans) for draft in preview_month(tenant.pk, month)]


def _view(draft: Draft, plans: dict[UUID, str]) -> DraftView:
    currency = draft.currency
    lines = [
        (
            text_of(line, plans),
            _number(line.amount.quantity, line),
            _number(line.amount.included, line),
            amount(line.amount_micros, currency),
        )
        for line in draft.lines
    ]
    sums = [
        ("Net", amount_of(draft.net_micros, currency)),
        (draft.tax.name or "Tax", amount_of(draft.tax_micros, currency)),
        ("Total", amount_of(draft.total_micros, currency)),
    ]
    return DraftView(f"In {currency}", lines, sums)


def _number(quantity: int, line: CalculatedLine) -> str:
    """Return the quantity in the unit of the line's price. Return an empty string for a quantity of zero."""
    price = line.item.price
    return number_of(quantity, price.meter if price else "") if quantity else ""


def credit_page(request: HttpRequest, invoice_id: UUID) -> HttpResponse:
    invoice = _invoice(request, invoice_id)
    before = _taken_back(invoice)
    form = CreditForm(request.POST or None, initial={"taken_back": before})
    left, net = (amount_of(some, invoice.currency) for some in (invoice.net_micros - before, invoice.net_micros))
    explanation = (
        f"Up to {left} of {net} before tax can be credited. The credit note reduces the open amount; paid amounts "
        "become account credit. You cannot undo a credit note."
    )
    return _acted(request, invoice, form, _credited, ("Credit", explanation, "Issue credit note"))


def _acted(
    request: HttpRequest,
    invoice: Invoice,
    form: Form,
    act: Callable[[HttpRequest, Invoice, Form], HttpResponse],
    texts: tuple[str, str, str],
) -> HttpResponse:
    """Show the form, or do its action if it was submitted. The texts are the title, the explanation and the button."""
    if form.is_bound and form.is_valid():
        try:
            return act(request, invoice, form)
        except NotBillable as refusal:
            form.add_error(None, refusal.detail)
    title, explanation, button = texts
    back = reverse("admin:tenants_invoice_change", args=[invoice.pk])
    context = {"form": form, "words": explanation, "button": button, "back": back}
    return _page(request, f"{title} {invoice.number}", "act", context)


def _credited(request: HttpRequest, invoice: Invoice, form: CreditForm) -> HttpResponse:
    with transaction.atomic(using=OPERATOR):
        Tenant.objects.select_for_update(no_key=True).get(pk=invoice.tenant_id)
        if _taken_back(invoice) != form.cleaned_data["taken_back"]:
            raise NotBillable(
                "Another credit note was issued since you opened this page. Reload it and check the remaining amount."
            )
        note = credit(
            tenant_id=invoice.tenant_id,
            invoice_id=invoice.pk,
            reason=form.cleaned_data["reason"],
            made_by=str(request.user),
            net_micros=form.net_micros,
        )
        _log(request, invoice, f"Credited {amount_of(note.total_micros, note.currency)} with {note.number}.")
    messages.success(request, f"Issued {note.number}.")
    return redirect("admin:tenants_invoice_change", note.pk)


def write_off_page(request: HttpRequest, invoice_id: UUID) -> HttpResponse:
    invoice = _invoice(request, invoice_id)
    left = amount_of(invoice.open_micros, invoice.currency)
    explanation = f"The open amount of {left} will no longer be collected. You cannot undo this."
    form = ReasonForm(request.POST or None)
    return _acted(request, invoice, form, _written_off, ("Write off", explanation, "Write off"))


def _written_off(request: HttpRequest, invoice: Invoice, form: ReasonForm) -> HttpResponse:
    reason = form.cleaned_data["reason"]
    with transaction.atomic(using=OPERATOR):
        write_off(tenant_id=invoice.tenant_id, invoice_id=invoice.pk, reason=reason, made_by=str(request.user))
        _log(request, invoice, f"Wrote off the open amount: {reason}")
    messages.success(request, f"{invoice.number} written off.")
    return redirect("admin:tenants_invoice_change", invoice.pk)


def _require(request: HttpRequest, permission: str) -> None:
    if not request.user.has_perm(permission):
        raise PermissionDenied


def _invoice(request: HttpRequest, invoice_id: UUID) -> Invoice:
    _require(request, "tenants.change_invoice")
    found = find_invoice(invoice_id)
    if found is None or found.kind != Invoice.Kind.INVOICE:
        raise Http404(_("Invoice not found."))
    return found


def _taken_back(invoice: Invoice) -> int:
    notes = Invoice.objects.filter(tenant_id=invoice.tenant_id, corrects=invoice)
    return sum(notes.values_list("net_micros", flat=True))


def _log(request: HttpRequest, row: Tenant | Invoice, description: str) -> None:
    """Write an entry to the operators' log. The service writes the entry for the tenant's log."""
    assert request.user.pk is not None
    LogEntry.objects.log_actions(request.user.pk, [row], CHANGE, description, single_object=True)


def _page(request: HttpRequest, title: str, name: str, context: dict[str, Any]) -> HttpResponse:
    whole = {**admin.site.each_context(request), "title": title, "opts": Invoice._meta, **context}
    return TemplateResponse(request, f"admin/tenants/invoice/{name}.html", whole)
