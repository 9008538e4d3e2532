"""Form fields and a column that several admin pages about money share."""

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from django import forms
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminDecimalFieldWidget, UnfoldAdminTextInputWidget

from tenants.accounts.models import Tenant
from tenants.admin_base.columns import column
from tenants.admin_base.formatting import link_to
from tenants.admin_base.records import FoundById

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

MICROS = 1_000_000


class OfTenant(FoundById):
    """A list of rows about the money of tenants, which nobody deletes."""

    list_select_related: tuple[str, ...] = ("tenant",)

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Any]":
        found: QuerySet[Any] = super().get_queryset(request)
        return found.select_related(*self.list_select_related)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    @column(_("tenant"))
    def owner(self, row: Any) -> str:
        return link_to(row.tenant)


class TenantIdField(forms.UUIDField):
    widget = UnfoldAdminTextInputWidget

    def __init__(self) -> None:
        super().__init__(label=_("Tenant ID"))

    def clean(self, value: Any) -> Any:
        wanted = super().clean(value)
        if not Tenant.objects.filter(pk=wanted).exists():
            raise forms.ValidationError(_("Tenant not found."))
        return wanted


def amount_field(label: "StrOrPromise", help_text: "StrOrPromise", **more: Any) -> forms.DecimalField:
    """Return a field for an amount in the currency itself, with six decimals. `max_value` is the largest one."""
    named = {"label": label, "help_text": help_text, "required": False, "min_value": 0}
    return forms.DecimalField(decimal_places=6, widget=UnfoldAdminDecimalFieldWidget, **{**named, **more})


def micros_of(amount: Decimal | None) -> int | None:
    return None if amount is None else int(amount * MICROS)
