"""The form for buying credit: the amount and the way to pay."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from tenants.billing.payments.selectors import ways_to_pay
from tenants.billing.payments.services import MAX_MICROS, TopUp
from tenants.core.ids import uuid7
from tenants.core.shares import unit_micros
from tenants.plans.wording import rounded_money

MICROS = 1_000_000


class TopUpForm(forms.Form):
    amount = forms.DecimalField(
        label=_("Amount"),
        min_value=0,
        max_value=MAX_MICROS // MICROS,
        decimal_places=6,
        widget=forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"}),
    )
    currency = forms.ChoiceField(label=_("Currency"))
    provider = forms.ChoiceField(label=_("Payment method"), widget=forms.RadioSelect)
    once = forms.UUIDField(widget=forms.HiddenInput, initial=uuid7)
    """An id of this form. If the form is sent again, for example by a second click, there is still one payment."""

    def __init__(self, *args: Any, currencies: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._choose("currency", [(one, one) for one in currencies])
        self._choose("provider", [(way.name, way.words.capitalize()) for way in ways_to_pay()])

    def _choose(self, name: str, choices: list[tuple[str, str]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = choices
        self.initial.setdefault(name, choices[0][0])

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        amount, currency = said.get("amount"), said.get("currency")
        if isinstance(amount, Decimal) and currency:
            unit = unit_micros(currency)
            if amount <= 0 or int(amount * MICROS) % unit:
                self.add_error(
                    "amount", f"Enter an amount above zero, in steps of {rounded_money(unit, currency)}."
                )
        return said

    @property
    def wanted(self) -> TopUp:
        return TopUp(self.cleaned_data["currency"], int(self.cleaned_data["amount"] * MICROS))
