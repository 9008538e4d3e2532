"""The rows of a tenant's limits for single models on the tenant's page."""

from typing import Any

from django import forms
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.admin import TabularInline

from tenants.limits.models import ModelLimit
from tenants.limits.rates.rates import NAMES


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
