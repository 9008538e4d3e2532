"""The operator's view of payments: received payments, transfers to record, refunds, and reports of providers."""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.html import format_html_join
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import AutocompleteSelectFilter, ChoicesDropdownFilter
from unfold.widgets import (
    UnfoldAdminSelectWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanWidget,
)

from tenants.accounts.models import Tenant
from tenants.admin_base.columns import column
from tenants.admin_base.confirmation import at_once
from tenants.admin_base.formatting import NOTHING, ago
from tenants.admin_base.records import RecordAdmin
from tenants.billing.admin.fields import MICROS, OfTenant, amount_field, micros_of
from tenants.billing.dashboard.money import shown_money
from tenants.billing.invoices.models import Invoice
from tenants.billing.ledger.errors import InvalidTerms
from tenants.billing.payments.bookkeeping import (
    book_sent_back,
    book_told,
    cancel_announced,
    clear_told,
    record_announced,
    record_transfer,
)
from tenants.billing.payments.models import Payment, ProviderEvent
from tenants.billing.payments.protocol import NotBookable, NotRefundable
from tenants.billing.payments.providers import OFFLINE
from tenants.billing.payments.refunds import LONGEST_REASON, ask_refund, decide_refund
from tenants.billing.payments.services import MAX_MICROS
from tenants.core.db.unit_of_work import OPERATOR
from tenants.core.ids import uuid7
from tenants.plans.wording import money

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

_amount = partial(amount_field, max_value=MAX_MICROS // MICROS)


def _words(label: "StrOrPromise", help_text: "StrOrPromise" = "") -> forms.CharField:
    return forms.CharField(
        label=label,
        required=False,
        max_length=LONGEST_REASON,
        help_text=help_text,
        widget=UnfoldAdminTextInputWidget,
    )


class PaymentForm(forms.ModelForm):  # type: ignore[type-arg]
    came_in = _amount(_("Received transfer"), _("The amount on the bank statement. It may differ from the amount due."))
    bank_note = _words(_("Note"), _("For example the date and the bank reference."))
    give_back = _amount(_("Refund"), _("All or part of the received amount."))
    reason = _words(_("Reason"))
    owed_again = forms.BooleanField(
        label=_("Reopen the invoice"),
        required=False,
        help_text=_("Off: the refund is deducted from the account credit, for example after a credit note."),
        widget=UnfoldBooleanWidget,
    )
    finding = forms.ChoiceField(
        label=_("Resolve the mismatch"),
        required=False,
        widget=UnfoldAdminSelectWidget,
        choices=[("", "Not now")],
    )
    found = _words(_("Finding"), _("Recorded in the account's audit log."))
    reported_micros = forms.IntegerField(required=False, widget=forms.HiddenInput)
    once = forms.UUIDField(widget=forms.HiddenInput, initial=uuid7)
    """An id of this form. A form that is sent again refunds nothing a second time."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "finding" in self.fields:
            self.fields["finding"].choices = [("", "Not now"), *_findings(self.instance)]  # type: ignore[attr-defined]
            self.initial["reported_micros"] = self.instance.reported_micros

    class Meta:
        model = Payment
        fields: tuple[str, ...] = ()

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if values.get("give_back") and not str(values.get("reason", "")).strip():
            self.add_error("reason", _("Enter a reason. It is recorded in the ledger."))
        if values.get("finding") and not str(values.get("found", "")).strip():
            self.add_error("found", _("Enter what you found. It is recorded in the account's audit log."))
        left = self.instance.amount_micros - self.instance.refunded_micros
        if values.get("give_back") and (micros_of(values["give_back"]) or 0) > left:
            self.add_error("give_back", f"You can refund up to {money(left, self.instance.currency)}.")
        return values


class TransferForm(forms.ModelForm):  # type: ignore[type-arg]
    tenant_id = forms.UUIDField(label=_("Tenant ID"), widget=UnfoldAdminTextInputWidget)
    invoice_number = _words(_("Invoice number"), _("Leave empty to add the amount to the account credit."))
    currency = forms.RegexField("^[A-Z]{3}$", label=_("Currency"), widget=UnfoldAdminTextInputWidget)
    came_in = _amount(
        _("Received transfer"), _("An excess over the open amount becomes account credit."), required=True
    )
    bank_note = _words(_("Note"), _("For example the date and the bank reference."))
    once = forms.UUIDField(widget=forms.HiddenInput, initial=uuid7)

    class Meta:
        model = Payment
        fields: tuple[str, ...] = ()

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        tenant_id = values.get("tenant_id")
        if tenant_id is None or not Tenant.objects.filter(pk=tenant_id).exists():
            self.add_error("tenant_id", _("Tenant not found."))
        number = str(values.get("invoice_number", "")).strip()
        wanted = {"number": number, "tenant_id": values.get("tenant_id"), "currency": values.get("currency")}
        values["invoice"] = Invoice.objects.filter(**wanted).first() if number else None
        if number and values["invoice"] is None:
            self.add_error("invoice_number", _("This tenant has no invoice with this number in this currency."))
        return values


BOOK, CLEAR = "book", "clear"


def _findings(payment: Payment) -> list[tuple[str, str]]:
    """Return the actions that are possible if the provider's report differs from the payment."""
    found = []
    if payment.reported_micros is not None:
        amount_text = money(payment.reported_micros, payment.reported_currency)
        if payment.status != Payment.Status.SUCCEEDED:
            found.append((BOOK, f"Book {amount_text} as received"))
        found.append((CLEAR, f"Mark {amount_text} as checked without booking it"))
    if payment.status == Payment.Status.SUCCEEDED:
        for refund in payment.refunds.all():
            if refund.status == Payment.Status.SUCCEEDED and refund.failure:
                amount = money(refund.amount_micros, payment.currency)
                found.append((str(refund.id), f"Book the refund of {amount} as returned by the bank"))
    return found


_SHOWN = ("owner", "what", "amount", "how", "stands", "reference", "made_by", "note", "refunded", "differs")
_FINDING = ("finding", "found", "reported_micros")
_REFUND = ("give_back", "reason", "owed_again")


@admin.register(Payment)
class PaymentAdmin(OfTenant):
    form = PaymentForm
    services_tell = True
    id_fields = ("id", "tenant_id", "invoice_id")
    search_help_text = _("Reference, tenant, or whole ID of a payment, tenant or invoice")
    list_display = ("when", "owner", "what", "amount", "how", "stands", "reference")
    list_filter = (
        ("tenant", AutocompleteSelectFilter),
        ("status", ChoicesDropdownFilter),
        ("purpose", ChoicesDropdownFilter),
    )
    list_select_related = ("tenant", "invoice")
    ordering = ("-id",)
    actions = ("cancel",)

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Payment]":
        return super().get_queryset(request).prefetch_related("refunds")

    def begins_with(self, term: str) -> Iterator[Q]:
        yield Q(reference=term.upper())
        yield from super().begins_with(term)

    def row_actions(self, row: Payment) -> list[str]:
        waits = row.provider == OFFLINE and row.status == Payment.Status.PENDING
        return ["cancel"] if waits else []

    def get_form(self, request: HttpRequest, obj: Payment | None = None, **kwargs: Any) -> Any:
        form = PaymentForm if obj else TransferForm
        return super().get_form(request, obj, **{**kwargs, "form": form, "fields": ()})

    def get_fields(self, request: HttpRequest, obj: Payment | None = None) -> tuple[str, ...]:
        if obj is None:
            return ("tenant_id", "invoice_number", "currency", "came_in", "bank_note", "once")
        differs = _FINDING if _findings(obj) else ()
        if obj.status == Payment.Status.SUCCEEDED:
            return (*_SHOWN, *differs, *_REFUND, "once")
        waits = obj.provider == OFFLINE and obj.status == Payment.Status.PENDING
        return (*_SHOWN, *differs, "came_in", "bank_note", "once") if waits else (*_SHOWN, *differs)

    def get_readonly_fields(self, request: HttpRequest, obj: Payment | None = None) -> tuple[str, ...]:
        return _SHOWN if obj else ()

    def save_model(self, request: HttpRequest, obj: Payment, form: Any, change: bool) -> None:
        """Save through the services only. A request to a provider is sent after the row is durable."""
        values = form.cleaned_data
        try:
            if not change:
                self._record(request, obj, values)
            elif values.get("finding"):
                self._settle(request, obj, values)
            elif values.get("came_in"):
                record_announced(
                    payment_id=obj.pk,
                    amount_micros=micros_of(values["came_in"]) or 0,
                    note=values["bank_note"],
                    made_by=str(request.user),
                )
            elif values.get("give_back"):
                self._give_back(request, obj, values)
        except (InvalidTerms, NotBookable, NotRefundable) as refusal:
            self.message_user(request, f"Nothing was changed: {refusal}", messages.ERROR)

    def _record(self, request: HttpRequest, obj: Payment, values: dict[str, Any]) -> None:
        made = record_transfer(
            tenant_id=values["tenant_id"],
            currency=values["currency"],
            amount_micros=micros_of(values["came_in"]) or 0,
            note=values["bank_note"],
            made_by=str(request.user),
            invoice_id=values["invoice"].id if values["invoice"] else None,
            once=values["once"],
        )
        obj.pk, obj.tenant_id, obj.reference = made.pk, made.tenant_id, made.reference

    def _settle(self, request: HttpRequest, obj: Payment, values: dict[str, Any]) -> None:
        reported_micros, found = values.get("reported_micros") or 0, values["found"]
        if values["finding"] == BOOK:
            transaction.on_commit(lambda: self._book(request, obj.pk, reported_micros, found), using=OPERATOR)
        elif values["finding"] == CLEAR:
            clear_told(payment_id=obj.pk, reported_micros=reported_micros, reason=found)
        else:
            book_sent_back(refund_id=UUID(values["finding"]), reason=found)

    def _book(self, request: HttpRequest, payment_id: UUID, reported_micros: int, found: str) -> None:
        try:
            book_told(payment_id=payment_id, reported_micros=reported_micros, reason=found)
        except NotBookable as refusal:
            self.message_user(request, f"Nothing was booked: {refusal}", messages.ERROR)

    def _give_back(self, request: HttpRequest, obj: Payment, values: dict[str, Any]) -> None:
        refund = decide_refund(
            payment_id=obj.pk,
            amount_micros=micros_of(values["give_back"]) or 0,
            reason=values["reason"],
            made_by=str(request.user),
            owed_again=bool(values.get("owed_again")),
            once=values["once"],
        )
        transaction.on_commit(lambda: self._ask(request, refund.id), using=OPERATOR)

    def _ask(self, request: HttpRequest, refund_id: UUID) -> None:
        refund = ask_refund(refund_id)
        if refund.status == Payment.Status.PENDING:
            text = _("The provider has not confirmed the refund yet. The scheduler keeps checking.")
            self.message_user(request, text, messages.WARNING)
        elif refund.status != Payment.Status.SUCCEEDED:
            failure = f"The provider did not refund the payment: {refund.failure or refund.status}."
            self.message_user(request, failure, messages.ERROR)

    @admin.action(description=_("Cancel: no transfer received"))
    @at_once
    def cancel(self, request: HttpRequest, chosen: "QuerySet[Payment]") -> None:
        done = [payment for payment in chosen if cancel_announced(payment_id=payment.pk)]
        for payment in done:
            self.log_change(request, payment, "Canceled: no transfer received.")
        self.message_user(request, f"{len(done)} canceled. Only announced transfers can be canceled.")

    @column(_("time"), order_by="id")
    def when(self, payment: Payment) -> str:
        return ago(payment.created_at)

    @column(_("purpose"))
    def what(self, payment: Payment) -> str:
        return f"invoice {payment.invoice.number}" if payment.invoice else "credit"

    @column(_("amount"), order_by="amount_micros")
    def amount(self, payment: Payment) -> str:
        return shown_money(payment.amount_micros, payment.currency)

    @column(_("method"))
    def how(self, payment: Payment) -> str:
        return f"{payment.provider}, saved card" if payment.automatic else payment.provider

    @column(_("status"))
    def stands(self, payment: Payment) -> str:
        parts = [payment.status, payment.failure, payment.dispute and f"disputed: {payment.dispute}"]
        return ", ".join(part for part in parts if part)

    @column(_("refunds"))
    def refunded(self, payment: Payment) -> str:
        rows = (
            (
                ago(refund.created_at),
                money(refund.amount_micros, payment.currency),
                refund.status,
                refund.reason,
            )
            for refund in payment.refunds.all()
        )
        return format_html_join("", "<div>{} · {} · {} · {}</div>", rows) or NOTHING

    @column(_("amount reported by the provider"))
    def differs(self, payment: Payment) -> str:
        if payment.reported_micros is None:
            return NOTHING
        return money(payment.reported_micros, payment.reported_currency)


@admin.register(ProviderEvent)
class ProviderEventAdmin(RecordAdmin):
    id_fields = ("id",)
    search_fields = ("event_id",)
    search_help_text = _("Whole ID")
    list_display = ("received", "provider", "kind", "event", "outcome")
    ordering = ("-id",)
    fields = ("received_at", "provider", "kind", "event_id", "outcome", "handled_at", "id")

    @column(_("received"), order_by="id")
    def received(self, event: ProviderEvent) -> str:
        return ago(event.received_at)

    @column(_("event ID"), order_by="event_id")
    def event(self, event: ProviderEvent) -> str:
        return event.event_id
