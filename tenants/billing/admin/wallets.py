"""The operator's view of the tenants' money: payment terms, balances, and the transactions that changed them."""

from decimal import Decimal
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django import forms
from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import AutocompleteSelectFilter, ChoicesDropdownFilter
from unfold.widgets import UnfoldAdminDecimalFieldWidget, UnfoldAdminTextInputWidget

from tenants.accounts.models import Tenant
from tenants.admin_base.columns import column
from tenants.admin_base.formatting import NOTHING, ago, link_to, list_link, short
from tenants.admin_base.records import FoundById, RecordAdmin
from tenants.audit.changes import changes_between
from tenants.audit.services import record
from tenants.billing.dashboard.money import shown_money
from tenants.billing.ledger.models import Budget, LedgerDifference, LedgerTransaction, Wallet
from tenants.billing.ledger.terms import LONGEST_REASON, MAX_MICROS, grant_credit, set_budget, set_terms
from tenants.core.ids import uuid7
from tenants.plans.wording import money

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

LAST = 20
MICROS = 1_000_000
_MOST = MAX_MICROS // MICROS


def _amount(label: "StrOrPromise", help_text: "StrOrPromise", *, least: int = 0) -> forms.DecimalField:
    """Return a field for an amount in the currency itself, with six decimals."""
    return forms.DecimalField(
        label=label,
        required=False,
        min_value=least,
        max_value=_MOST,
        decimal_places=6,
        help_text=help_text,
        widget=UnfoldAdminDecimalFieldWidget,
    )


def _micros(amount: Decimal | None) -> int | None:
    return None if amount is None else int(amount * MICROS)


class WalletForm(forms.ModelForm):  # type: ignore[type-arg]
    credit_line = _amount(_("Credit line"), _("How far below 0 a prepaid balance may go."))
    budget = _amount(_("Monthly budget"), _("For the whole account. Leave empty for no budget."))
    grant = _amount(_("Grant credit"), _("A negative amount takes credit back."), least=-_MOST)
    reason = forms.CharField(
        label=_("Reason"), required=False, max_length=LONGEST_REASON, widget=UnfoldAdminTextInputWidget
    )
    grant_id = forms.UUIDField(widget=forms.HiddenInput, initial=uuid7)
    """An id of this form. A form that is sent again, for example by a reload of the response, grants nothing a second
    time.
    """

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
    tenant_id = forms.UUIDField(label=_("Tenant ID"), widget=UnfoldAdminTextInputWidget)
    currency = forms.RegexField(
        "^[A-Z]{3}$",
        label=_("Currency"),
        widget=UnfoldAdminTextInputWidget,
        error_messages={"invalid": "Enter three capital letters, such as EUR."},
    )

    def clean_tenant_id(self) -> UUID:
        wanted: UUID = self.cleaned_data["tenant_id"]
        if not Tenant.objects.filter(pk=wanted).exists():
            raise forms.ValidationError(_("Tenant not found."))
        return wanted

    def clean(self) -> dict[str, Any]:
        fields = super().clean()
        if self.errors:
            return fields
        theirs = Wallet.objects.filter(tenant_id=fields["tenant_id"], currency=fields["currency"])
        if theirs.exists():
            raise forms.ValidationError(
                _("This tenant already has a wallet in this currency. Change that wallet.")
            )
        return fields


_FORM = ("kind", "credit_line", "budget", "grant", "reason", "grant_id")


@admin.register(Wallet)
class WalletAdmin(FoundById):
    form = WalletForm
    list_display = ("owner", "currency", "kind", "available", "held", "since")
    list_filter = (("tenant", AutocompleteSelectFilter), ("kind", ChoicesDropdownFilter))
    list_select_related = ("tenant",)
    ordering = ("-id",)
    fields = ("owner", "currency", "available", "held", *_FORM, "transactions")
    readonly_fields = ("owner", "currency", "available", "held", "transactions")

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Wallet]":
        found: QuerySet[Wallet] = super().get_queryset(request)
        return found.select_related("tenant")

    def get_form(self, request: HttpRequest, obj: Wallet | None = None, **kwargs: Any) -> Any:
        form = WalletForm if obj else WalletAddForm
        return super().get_form(request, obj, **{**kwargs, "form": form, "fields": ("kind",)})

    def get_fields(self, request: HttpRequest, obj: Wallet | None = None) -> tuple[str, ...]:
        return self.fields if obj else ("tenant_id", "currency", *_FORM)

    def get_readonly_fields(self, request: HttpRequest, obj: Wallet | None = None) -> tuple[str, ...]:
        return self.readonly_fields if obj else ()

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Wallet, form: Any, change: bool) -> None:
        """Save through the services only. The values in the row were read earlier and may have changed since."""
        said = form.cleaned_data
        tenant_id = obj.tenant_id if change else said["tenant_id"]
        currency = obj.currency if change else said["currency"]
        wallet = set_terms(
            tenant_id=tenant_id,
            currency=currency,
            kind=said["kind"],
            credit_line_micros=_micros(said["credit_line"]) or 0,
        )
        if "budget" in form.changed_data:
            _set_budget(wallet, form.initial.get("budget"), said["budget"])
        if said["grant"]:
            grant_credit(
                tenant_id=tenant_id,
                currency=currency,
                amount_micros=_micros(said["grant"]) or 0,
                reason=said["reason"],
                made_by=str(request.user),
                grant_id=said["grant_id"],
            )
        obj.pk, obj.tenant_id, obj.currency = wallet.pk, tenant_id, currency

    @column(_("tenant"))
    def owner(self, wallet: Wallet) -> str:
        return link_to(wallet.tenant)

    @column(_("available"), order_by="available_micros")
    def available(self, wallet: Wallet) -> str:
        return shown_money(wallet.available_micros, wallet.currency)

    @column(_("reserved"), order_by="held_micros")
    def held(self, wallet: Wallet) -> str:
        return shown_money(wallet.held_micros, wallet.currency)

    @column(_("opened"), order_by="id")
    def since(self, wallet: Wallet) -> str:
        return ago(wallet.opened_at)

    def get_object(
        self, request: HttpRequest, object_id: str, from_field: str | None = None
    ) -> Wallet | None:
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
    monthly_micros = _micros(after)
    set_budget(tenant_id=wallet.tenant_id, currency=wallet.currency, monthly_micros=monthly_micros)
    told = [
        None if micros is None else money(micros, wallet.currency)
        for micros in (_micros(before), monthly_micros)
    ]
    record(
        tenant_id=wallet.tenant_id,
        action="budget.removed" if monthly_micros is None else "budget.set",
        subject="the account, by the operator",
        changes=changes_between({"monthly": told[0]}, {"monthly": told[1]}),
    )


def _shown(wallet: Wallet) -> SafeString | str:
    theirs = LedgerTransaction.objects.filter(tenant_id=wallet.tenant_id, currency=wallet.currency)
    last = theirs.prefetch_related("entries").order_by("-id")[:LAST]
    rows = ((ago(one.created_at), link_to(one, one.kind), moved(one), one.reason) for one in last)
    every = list_link("tenants_ledgertransaction", "All transactions", tenant__id__exact=wallet.tenant_id)
    shown = format_html_join("", "<div>{} · {} · {} {}</div>", rows)
    return shown + every if shown else NOTHING


@admin.register(LedgerTransaction)
class LedgerTransactionAdmin(RecordAdmin):
    id_fields = ("id", "tenant_id", "source_id")
    list_display = ("when", "owner", "kind", "moves", "source", "reason")
    list_filter = (("tenant", AutocompleteSelectFilter), ("kind", ChoicesDropdownFilter))
    list_select_related = ("tenant",)
    ordering = ("-id",)
    fields = ("owner", "kind", "moves", "source", "day", "reason", "made_by", "created_at", "id", "source_id")

    def get_queryset(self, request: HttpRequest) -> "QuerySet[LedgerTransaction]":
        found: QuerySet[LedgerTransaction] = super().get_queryset(request)
        return found.select_related("tenant").prefetch_related("entries")

    @column(_("time"), order_by="id")
    def when(self, transaction: LedgerTransaction) -> str:
        return ago(transaction.created_at)

    @column(_("tenant"))
    def owner(self, transaction: LedgerTransaction) -> str:
        return link_to(transaction.tenant)

    @column(_("entries"))
    def moves(self, transaction: LedgerTransaction) -> str:
        return moved(transaction)

    @column(_("source"))
    def source(self, transaction: LedgerTransaction) -> str:
        return f"{transaction.source_kind} {short(transaction.source_id)}"


@admin.register(LedgerDifference)
class LedgerDifferenceAdmin(RecordAdmin):
    list_display = ("found", "owner", "compared", "subject", "expected", "instead", "gone")
    list_filter = (("tenant", AutocompleteSelectFilter),)
    list_select_related = ("tenant",)
    ordering = ("-id",)
    fields = list_display

    @column(_("found at"), order_by="id")
    def found(self, row: LedgerDifference) -> str:
        return ago(row.found_at)

    @column(_("tenant"))
    def owner(self, row: LedgerDifference) -> str:
        return link_to(row.tenant)

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
