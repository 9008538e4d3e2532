"""The operator's view of the tenants' money: payment terms, balances, and the transactions that changed them."""

from decimal import Decimal
from functools import partial
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import AutocompleteSelectFilter, ChoicesDropdownFilter
from unfold.widgets import UnfoldAdminTextInputWidget

from tenants.admin_base.columns import column
from tenants.admin_base.formatting import NOTHING, ago, link_to, list_link, short
from tenants.admin_base.records import RecordAdmin
from tenants.audit.changes import changes_between
from tenants.audit.services import record
from tenants.billing.admin.fields import MICROS, OfTenant, TenantIdField, amount_field, micros_of
from tenants.billing.dashboard.money import shown_money
from tenants.billing.ledger.models import Budget, LedgerDifference, LedgerTransaction, Wallet
from tenants.billing.ledger.terms import LONGEST_REASON, MAX_MICROS, grant_credit, set_budget, set_terms
from tenants.core.ids import uuid7
from tenants.plans.wording import money

LAST = 20
_MOST = MAX_MICROS // MICROS
_amount = partial(amount_field, max_value=_MOST)


class WalletForm(forms.ModelForm):  # type: ignore[type-arg]
    credit_line = _amount(_("Credit line"), _("How far below 0 a prepaid balance may go."))
    budget = _amount(_("Monthly budget"), _("For the whole account. Leave empty for no budget."))
    grant = _amount(_("Grant credit"), _("A negative amount takes credit back."), min_value=-_MOST)
    reason = forms.CharField(
        label=_("Reason"), required=False, max_length=LONGEST_REASON, widget=UnfoldAdminTextInputWidget
    )
    grant_id = forms.UUIDField(widget=forms.HiddenInput, initial=uuid7)
    """An id of this form. A form that is sent again, as by a reload of the response, grants nothing twice."""

    class Meta:
        model = Wallet
        fields = ("kind",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.tenant_id:
            budget = Budget.objects.filter(
                tenant_id=self.instance.tenant_id,
                currency=self.instance.currency,
                api_key_id=None,
                set_by=Budget.By.OPERATOR,
            ).first()
            self.initial["credit_line"] = Decimal(self.instance.credit_line_micros) / MICROS
            self.initial["budget"] = Decimal(budget.monthly_micros) / MICROS if budget else None

    def clean(self) -> dict[str, Any]:
        fields = super().clean() or {}
        if fields.get("grant") and not str(fields.get("reason", "")).strip():
            self.add_error("reason", _("Enter a reason for the credit. It is recorded in the ledger."))
        return fields


class WalletAddForm(WalletForm):
    tenant_id = TenantIdField()
    currency = forms.RegexField(
        "^[A-Z]{3}$",
        label=_("Currency"),
        widget=UnfoldAdminTextInputWidget,
        error_messages={"invalid": "Enter three capital letters, such as EUR."},
    )

    def clean(self) -> dict[str, Any]:
        fields = super().clean()
        if self.errors:
            return fields
        theirs = Wallet.objects.filter(tenant_id=fields["tenant_id"], currency=fields["currency"])
        if theirs.exists():
            raise forms.ValidationError(_("This tenant already has a wallet in this currency. Change that wallet."))
        return fields


_FORM = ("kind", "credit_line", "budget", "grant", "reason", "grant_id")


@admin.register(Wallet)
class WalletAdmin(OfTenant):
    form = WalletForm
    list_display = ("owner", "currency", "kind", "available", "held", "since")
    list_filter = (("tenant", AutocompleteSelectFilter), ("kind", ChoicesDropdownFilter))
    ordering = ("-id",)
    fields = ("owner", "currency", "available", "held", *_FORM, "transactions")
    readonly_fields = ("owner", "currency", "available", "held", "transactions")

    def get_form(self, request: HttpRequest, obj: Wallet | None = None, **kwargs: Any) -> Any:
        form = WalletForm if obj else WalletAddForm
        return super().get_form(request, obj, **{**kwargs, "form": form, "fields": ("kind",)})

    def get_fields(self, request: HttpRequest, obj: Wallet | None = None) -> tuple[str, ...]:
        return self.fields if obj else ("tenant_id", "currency", *_FORM)

    def get_readonly_fields(self, request: HttpRequest, obj: Wallet | None = None) -> tuple[str, ...]:
        return self.readonly_fields if obj else ()

    def save_model(self, request: HttpRequest, obj: Wallet, form: Any, change: bool) -> None:
        """Save through the services only. The values in the row were read earlier and may have changed since."""
        values = form.cleaned_data
        tenant_id = obj.tenant_id if change else values["tenant_id"]
        currency = obj.currency if change else values["currency"]
        wallet = set_terms(
            tenant_id=tenant_id,
            currency=currency,
            kind=values["kind"],
            credit_line_micros=micros_of(values["credit_line"]) or 0,
        )
        if "budget" in form.changed_data:
            _set_budget(wallet, form.initial.get("budget"), values["budget"])
        if values["grant"]:
            grant_credit(
                tenant_id=tenant_id,
                currency=currency,
                amount_micros=micros_of(values["grant"]) or 0,
                reason=values["reason"],
                made_by=str(request.user),
                grant_id=values["grant_id"],
            )
        obj.pk, obj.tenant_id, obj.currency = wallet.pk, tenant_id, currency

    @column(_("available"), order_by="available_micros")
    def available(self, wallet: Wallet) -> str:
        return shown_money(wallet.available_micros, wallet.currency)

    @column(_("reserved"), order_by="held_micros")
    def held(self, wallet: Wallet) -> str:
        return shown_money(wallet.held_micros, wallet.currency)

    @column(_("opened"), order_by="id")
    def since(self, wallet: Wallet) -> str:
        return ago(wallet.opened_at)

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Wallet | None:
        wallet: Wallet | None = super().get_object(request, object_id, from_field)
        if wallet is not None:
            wallet.__dict__["transactions_shown"] = _shown(wallet)
        return wallet

    @column(_("Last transactions"))
    def transactions(self, wallet: Wallet) -> SafeString | str:
        """Return the list that `get_object` made once, because the theme asks for it several times per page."""
        shown: SafeString | str = wallet.__dict__["transactions_shown"]
        return shown


def _set_budget(wallet: Wallet, before: Decimal | None, after: Decimal | None) -> None:
    monthly_micros = micros_of(after)
    set_budget(tenant_id=wallet.tenant_id, currency=wallet.currency, monthly_micros=monthly_micros)
    old, new = (
        {"monthly": None if micros is None else money(micros, wallet.currency)}
        for micros in (micros_of(before), monthly_micros)
    )
    action, subject = f"budget.{'removed' if after is None else 'set'}", "the account, by the operator"
    record(tenant_id=wallet.tenant_id, action=action, subject=subject, changes=changes_between(old, new))


def _shown(wallet: Wallet) -> SafeString | str:
    theirs = LedgerTransaction.objects.filter(tenant_id=wallet.tenant_id, currency=wallet.currency)
    last = theirs.prefetch_related("entries").order_by("-id")[:LAST]
    rows = (
        (
            ago(transaction.created_at),
            link_to(transaction, transaction.kind),
            moved(transaction),
            transaction.reason,
        )
        for transaction in last
    )
    every = list_link("tenants_ledgertransaction", "All transactions", tenant__id__exact=wallet.tenant_id)
    shown = format_html_join("", "<div>{} · {} · {} {}</div>", rows)
    return shown + every if shown else NOTHING


@admin.register(LedgerTransaction)
class LedgerTransactionAdmin(OfTenant, RecordAdmin):
    id_fields = ("id", "tenant_id", "source_id")
    list_display = ("when", "owner", "kind", "moves", "source", "reason")
    list_filter = (("tenant", AutocompleteSelectFilter), ("kind", ChoicesDropdownFilter))
    ordering = ("-id",)
    fields = ("owner", "kind", "moves", "source", "day", "reason", "made_by", "created_at", "id", "source_id")

    def get_queryset(self, request: HttpRequest) -> "QuerySet[LedgerTransaction]":
        return super().get_queryset(request).prefetch_related("entries")

    @column(_("time"), order_by="id")
    def when(self, transaction: LedgerTransaction) -> str:
        return ago(transaction.created_at)

    @column(_("entries"))
    def moves(self, transaction: LedgerTransaction) -> str:
        return moved(transaction)

    @column(_("source"))
    def source(self, transaction: LedgerTransaction) -> str:
        return f"{transaction.source_kind} {short(transaction.source_id)}"


@admin.register(LedgerDifference)
class LedgerDifferenceAdmin(OfTenant, RecordAdmin):
    list_display = ("found", "owner", "compared", "subject", "expected", "instead", "gone")
    list_filter = (("tenant", AutocompleteSelectFilter),)
    ordering = ("-id",)
    fields = list_display

    @column(_("found at"), order_by="id")
    def found(self, row: LedgerDifference) -> str:
        return ago(row.found_at)

    @column(_("expected"))
    def expected(self, row: LedgerDifference) -> str:
        return _counted(row.expected_micros, row)

    @column(_("found"))
    def instead(self, row: LedgerDifference) -> str:
        return _counted(row.found_micros, row)

    @column(_("resolved"))
    def gone(self, row: LedgerDifference) -> str:
        return ago(row.resolved_at) if row.resolved_at else NOTHING


def _counted(amount: int, row: LedgerDifference) -> str:
    """Return the amount as text. Included units and stored bytes are compared as numbers and have no currency."""
    if row.currency:
        return money(amount, row.currency)
    return f"{amount:,} {'bytes' if row.compared == 'stored_bytes' else 'units'}"


def moved(transaction: LedgerTransaction) -> str:
    entries = sorted(transaction.entries.all(), key=lambda entry: entry.amount_micros)
    return ", ".join(f"{entry.account} {money(entry.amount_micros, entry.currency)}" for entry in entries)
