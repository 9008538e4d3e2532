"""The rows of a tenant's members, and of its limits for single models, on the tenant's page."""

from typing import Any

from django import forms
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.admin import TabularInline

from tenants.accounts.models import Membership, User
from tenants.limits.models import ModelLimit
from tenants.limits.rates.rates import NAMES


class MembershipForm(forms.ModelForm):  # type: ignore[type-arg]
    """A form that reports a repeated membership. Django does not, as the tenant is not a field of the form."""

    class Meta:
        model = Membership
        fields = ("user", "role")

    def clean_user(self) -> User:
        user: User = self.cleaned_data["user"]
        theirs = Membership.objects.filter(tenant_id=self.instance.tenant_id, user=user)
        if already := theirs.exclude(pk=self.instance.pk).first():
            raise forms.ValidationError(
                f"{user.email} is already a member with the role {already.role}. Change the role of this membership."
            )
        return user


class MembershipInline(TabularInline):  # type: ignore[misc]
    """A table in which members are added. A role is changed on the membership's own page."""

    model = Membership
    form = MembershipForm
    extra = 0
    autocomplete_fields = ("user",)
    fields = ("user", "role")
    show_change_link = True
    can_delete = False
    hide_title = True
    per_page = 20

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Membership]":
        found: QuerySet[Membership] = super().get_queryset(request).select_related("user", "tenant")
        return found.order_by("id")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ModelLimitForm(forms.ModelForm):  # type: ignore[type-arg]
    """A form that reports a repeated limit. Django does not, as the tenant is not a field of the form."""

    class Meta:
        model = ModelLimit
        fields = ("model", *NAMES)

    def clean_model(self) -> str:
        model = str(self.cleaned_data["model"]).strip()
        if "@" in model:
            raise forms.ValidationError(f"Enter the model name without a version: {model.partition('@')[0]}.")
        theirs = ModelLimit.objects.filter(tenant_id=self.instance.tenant_id, model=model)
        if theirs.exclude(pk=self.instance.pk).exists():
            raise forms.ValidationError(f"{model} already has limits. Change them in its row.")
        return model

    def clean(self) -> dict[str, Any]:
        fields = super().clean() or {}
        if not self.errors and all(fields.get(name) is None for name in NAMES):
            raise forms.ValidationError(_("Enter at least one limit or remove the row."))
        return fields


class ModelLimitInline(TabularInline):  # type: ignore[misc]
    model = ModelLimit
    form = ModelLimitForm
    extra = 0
    fields = ("model", *NAMES)
    verbose_name = _("model limit")
    verbose_name_plural = _("model limits")
    hide_title = True
    per_page = 20

    def get_queryset(self, request: HttpRequest) -> "QuerySet[ModelLimit]":
        found: QuerySet[ModelLimit] = super().get_queryset(request).select_related("tenant")
        return found.order_by("model")
