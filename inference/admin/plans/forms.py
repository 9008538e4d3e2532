"""Forms of plans and prices. Amounts use the usual notation, and versions that have begun cannot be changed."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django import forms
from django.forms.models import BaseInlineFormSet
from django.utils.translation import gettext_lazy as _
from unfold.widgets import (
    INPUT_CLASSES,
    UnfoldAdminDecimalFieldWidget,
    UnfoldAdminSelectWidget,
)

from inference.registry.models import ServedModel
from tenants.core.db.clock import database_now
from tenants.limits.fields import AccountLimits
from tenants.plans.models import Plan, PlanIncluded, PlanPrice, TenantPrice
from tenants.plans.prices import display

LIMITS = tuple(field.name for field in AccountLimits._meta.get_fields())
PRICED = ("model", "meter", "amount_micros", "per", "cached_micros", "review_micros", "valid_from")


MOST, MAX_OF_UNIT = 1_000_000_000, 1_000_000
"""The largest amounts, in any currency. A larger amount is a typing error, and sums of it would not fit."""


class MicrosField(forms.DecimalField):
    """A field that shows 0.0015 for 1500 micro-units. It is exact to six decimal places."""

    def __init__(self, **options: Any) -> None:
        widget = UnfoldAdminDecimalFieldWidget
        options = {"max_digits": 18, "decimal_places": 6, "min_value": 0, "max_value": MOST, **options}
        super().__init__(widget=widget, **options)

    def prepare_value(self, value: Any) -> Any:
        return display(value) if isinstance(value, int) else value

    def clean(self, value: Any) -> Any:
        """Return the value in micro-units. A disabled field gets its old value, which is already in micro-units."""
        if isinstance(value, int):
            return value
        found = super().clean(value)
        return None if found is None else int(found.scaleb(6))

    def has_changed(self, initial: Any, data: Any) -> bool:
        if self.disabled:
            return False
        try:
            return bool(self.clean(data) != initial)
        except forms.ValidationError:
            return True


class PlanForm(forms.ModelForm):  # type: ignore[type-arg]
    monthly_fee_micros = MicrosField(label=_("Monthly fee"), initial=0)
    trial_credit_micros = MicrosField(
        label=_("Trial credit"), initial=0, help_text=_("Credited once, with the first subscription.")
    )

    class Meta:
        model = Plan
        fields = (
            "name",
            "code",
            "currency",
            "monthly_fee_micros",
            "trial_days",
            "trial_credit_micros",
            "is_prepaid",
            "is_default",
            "archived",
            "tier",
            *LIMITS,
        )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in LIMITS:
            if field := self.fields.get(name):
                field.help_text = str(field.help_text).replace("the plan, or else ", "")
        if not self.instance._state.adding:
            self._keep("code", "Used by programs, so it cannot be changed.")
        if getattr(self.instance, "sold", False):
            for name in ("currency", "monthly_fee_micros"):
                self._keep(name, "A tenant has or had this plan. Duplicate the plan to change this.")

    def _keep(self, name: str, why: str) -> None:
        if field := self.fields.get(name):
            field.disabled, field.help_text = True, why


def meters_of_models() -> dict[str, str]:
    return dict(ServedModel.objects.order_by("name").values_list("name", "price_meter"))


class VersionForm(forms.ModelForm):  # type: ignore[type-arg]
    """The form of a version. One that has begun is shown but cannot be changed; the database refuses it too."""

    model = forms.ChoiceField(required=False, widget=UnfoldAdminSelectWidget)
    valid_from = forms.DateTimeField(
        required=False,
        label=_("Valid from"),
        help_text=_("UTC. Leave empty for now."),
        widget=forms.DateTimeInput(
            attrs={"type": "datetime-local", "class": " ".join(INPUT_CLASSES)}, format="%Y-%m-%dT%H:%M"
        ),
    )

    def __init__(
        self, *args: Any, meters: Mapping[str, str] | None = None, now: datetime | None = None, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self._meters = meters_of_models() if meters is None else meters
        there = not self.instance._state.adding
        self.begun = there and self.instance.valid_from <= (now or database_now())
        model = self.fields["model"]
        assert isinstance(model, forms.ChoiceField)
        names = dict.fromkeys((*self._meters, *filter(None, [self.instance.model])))
        model.choices = [("", "all models"), *((name, name) for name in names)]
        if self.begun:
            for field in self.fields.values():
                field.disabled = True

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if self.begun or self.errors:
            return given
        model, meter = given.get("model", ""), given.get("meter")
        charged = self._meters.get(model, meter)
        if charged != meter:
            self.add_error("meter", f"{model} is charged per {charged}. Choose {charged} instead of {meter}.")
        return given

    def clean_valid_from(self) -> Any:
        given = self.cleaned_data["valid_from"]
        if given is None:
            return database_now()
        if not self.begun and given < database_now():
            raise forms.ValidationError(
                _("This time is in the past. Enter a later time or leave the field empty for now.")
            )
        return given


class PriceForm(VersionForm):
    amount_micros = MicrosField(
        max_value=MAX_OF_UNIT,
        label=_("Amount"),
        required=False,
        help_text=_("Leave empty to end this price at that time."),
    )
    cached_micros = MicrosField(
        max_value=MAX_OF_UNIT,
        label=_("Amount per cache hit"),
        required=False,
        help_text=_("Leave empty for the same amount."),
    )
    review_micros = MicrosField(
        max_value=MAX_OF_UNIT,
        label=_("Amount per page to check"),
        required=False,
        help_text=_("For pages whose result says that a person must check them. Leave empty for the same amount."),
    )

    class Meta:
        model = PlanPrice
        fields = PRICED


class IncludedForm(VersionForm):
    class Meta:
        model = PlanIncluded
        fields = ("model", "meter", "quantity", "valid_from")


class TenantPriceForm(PriceForm):
    class Meta:
        model = TenantPrice
        fields = (*PRICED, "currency")


class VersionFormSet(BaseInlineFormSet):  # type: ignore[type-arg]
    def add_fields(self, form: Any, index: int | None) -> None:
        super().add_fields(form, index)
        if form.begun and "DELETE" in form.fields:
            form.fields["DELETE"].disabled = True
