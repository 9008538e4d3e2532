"""The operator's terms for the number of a pool's workers."""

from typing import Any

from django import forms
from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from inference.registry.models import ModelPool, ScalingTerms
from inference.scaling.signal import DEFAULT_POOL
from tenants.admin_base.records import OperatorAdmin


class ScalingTermsForm(forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = ScalingTerms
        fields = (
            "pool",
            "mode",
            "held",
            "least",
            "most",
            "promised_percent",
            "promised_wait_s",
            "price_per_hour",
            "node_start_s",
            "up",
            "up_every_s",
            "down",
            "down_every_s",
            "spike_times",
        )

    def clean_pool(self) -> str:
        name = str(self.cleaned_data["pool"])
        if name != DEFAULT_POOL and not ModelPool.objects.filter(name=name).exists():
            raise forms.ValidationError(f"There is no pool {name}. Enter the name of a pool, or {DEFAULT_POOL}.")
        return name

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        least, most = cleaned.get("least"), cleaned.get("most")
        if least is not None and most is not None and least > most:
            self.add_error("most", "This must not be less than the fewest workers.")
        return cleaned


@admin.register(ScalingTerms)
class ScalingTermsAdmin(OperatorAdmin):
    """The admin of terms. The scheduler reads a change within two seconds."""

    form = ScalingTermsForm
    list_display = ("pool", "mode", "least", "most", "promised_wait_s", "promised_percent")
    fieldsets = (
        (None, {"fields": ("pool", "mode", "held")}),
        (_("Limits"), {"fields": (("least", "most"),)}),
        (
            _("Promise and price"),
            {"fields": (("promised_percent", "promised_wait_s"), "price_per_hour", "spike_times")},
        ),
        (_("Time"), {"fields": ("node_start_s", ("up", "up_every_s"), ("down", "down_every_s"))}),
    )
