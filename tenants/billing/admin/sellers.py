"""Admin pages for the seller, as printed on invoices, and for the billing details of each tenant."""

from decimal import Decimal
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin
from django.db.models import Min, Model
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.contrib.filters.admin import AutocompleteSelectFilter, ChoicesDropdownFilter
from unfold.widgets import UnfoldAdminDecimalFieldWidget

from tenants.admin_base.columns import column
from tenants.admin_base.formatting import ago
from tenants.admin_base.records import OperatorAdmin
from tenants.billing.admin.fields import OfTenant, TenantIdField
from tenants.billing.invoices.details import OWN, set_billing_details
from tenants.billing.invoices.models import BillingDetails, ClosedMonth, Seller

PRINTED = (
    *("name", "address", "country", "tax_id", "email", "prefix"),
    *("tax_name", "tax_rate_bp", "payment_days", "bank_details", "footer", "bills_from"),
)
TERMS = (*OWN, "tax", "tax_rate_bp")


HUNDREDTHS = 100


@admin.register(Seller)
class SellerAdmin(OperatorAdmin):
    list_display = ("name", "country", "tax_id", "prefix", "payment_days", "bills_from")
    fields = PRINTED

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Allow adding a seller only if there is none. On other pages, which check this for their menu, the query is
        skipped.
        """
        match = request.resolver_match
        is_own = match is not None and str(match.url_name).startswith("tenants_seller_")
        return super().has_add_permission(request) and not (is_own and Seller.objects.exists())

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def get_form(self, request: HttpRequest, obj: Seller | None = None, **kwargs: Any) -> Any:
        return super().get_form(request, obj, **{**kwargs, "form": SellerForm})


class PercentField(forms.DecimalField):
    """A field that people fill in as a percentage. It is stored in hundredths of a percent, so 19 stands for 19 %."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(min_value=0, max_value=100, decimal_places=2, widget=UnfoldAdminDecimalFieldWidget, **kwargs)

    def prepare_value(self, value: Any) -> Any:
        return Decimal(value) / HUNDREDTHS if isinstance(value, int) else value

    def clean(self, value: Any) -> int | None:
        percent = super().clean(value)
        return None if percent is None else int(percent * HUNDREDTHS)

    def has_changed(self, initial: Any, data: Any) -> bool:
        return super().has_changed(self.prepare_value(initial), data)


class SellerForm(forms.ModelForm):  # type: ignore[type-arg]
    tax_rate_bp = PercentField(label=_("Tax rate, %"), initial=0)

    class Meta:
        model = Seller
        fields = PRINTED

    def clean_bills_from(self) -> Any:
        """Return the first day of the chosen month. Refuse to move the month back if months are already billed."""
        wanted = self.cleaned_data["bills_from"].replace(day=1)
        billed = ClosedMonth.objects.aggregate(first=Min("month"))["first"]
        moved_back = not self.instance._state.adding and wanted < self.instance.bills_from
        if moved_back and billed is not None:
            raise forms.ValidationError(
                f"Months from {billed:%Y-%m} are already billed. You cannot bill earlier months."
            )
        return wanted


class BillingDetailsForm(forms.ModelForm):  # type: ignore[type-arg]
    tax_rate_bp = PercentField(
        label=_("Tax rate, %"),
        required=False,
        help_text=_("Leave empty for the rate in the company details."),
    )

    class Meta:
        model = BillingDetails
        fields = TERMS


class BillingDetailsAddForm(BillingDetailsForm):
    tenant_id = TenantIdField()

    def clean_tenant_id(self) -> UUID:
        wanted: UUID = self.cleaned_data["tenant_id"]
        if BillingDetails.objects.filter(tenant_id=wanted).exists():
            raise forms.ValidationError(_("This tenant already has billing details. Change those."))
        return wanted


@admin.register(BillingDetails)
class BillingDetailsAdmin(OfTenant):
    list_display = ("made_out_to", "owner", "country", "tax_id", "tax", "since")
    list_filter = (("tenant", AutocompleteSelectFilter), ("tax", ChoicesDropdownFilter))
    ordering = ("-id",)
    readonly_fields = ("owner",)

    def get_form(self, request: HttpRequest, obj: BillingDetails | None = None, **kwargs: Any) -> Any:
        form = BillingDetailsForm if obj else BillingDetailsAddForm
        return super().get_form(request, obj, **{**kwargs, "form": form, "fields": TERMS})

    def get_fields(self, request: HttpRequest, obj: BillingDetails | None = None) -> tuple[str, ...]:
        return ("owner", *TERMS) if obj else ("tenant_id", *TERMS)

    def get_readonly_fields(self, request: HttpRequest, obj: BillingDetails | None = None) -> tuple[str, ...]:
        return self.readonly_fields if obj else ()

    def save_model(self, request: HttpRequest, obj: BillingDetails, form: Any, change: bool) -> None:
        if change:
            super().save_model(request, obj, form, change)
            return
        terms = {name: form.cleaned_data[name] for name in TERMS}
        made = set_billing_details(tenant_id=form.cleaned_data["tenant_id"], values=terms)
        obj.pk, obj.tenant_id = made.pk, made.tenant_id

    @column(_("buyer"), order_by="name")
    def made_out_to(self, details: BillingDetails) -> str:
        return details.name

    @column(_("changed"), order_by="changed_at")
    def since(self, details: BillingDetails) -> str:
        return ago(details.changed_at)
