"""The form for setting a budget."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django import forms
from django.utils.translation import gettext_lazy as _

from tenants.billing.ledger.terms import MAX_MICROS

MICROS = 1_000_000
WHOLE_ACCOUNT = ""


class BudgetForm(forms.Form):
    of = forms.ChoiceField(label=_("For"), required=False)
    currency = forms.ChoiceField()
    monthly = forms.DecimalField(
        label=_("Per month"),
        min_value=0,
        max_value=MAX_MICROS // MICROS,
        decimal_places=6,
        help_text=_("The limit for each calendar month (UTC). 0 stops all paid work."),
        widget=forms.NumberInput(attrs={"step": "0.01", "min": "0", "inputmode": "decimal"}),
    )

    def __init__(
        self, *args: Any, keys: Sequence[tuple[str, str]], currencies: Sequence[str], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.fields["of"].choices = [(WHOLE_ACCOUNT, "The whole account"), *keys]  # type: ignore[attr-defined]
        self.fields["currency"].choices = [(one, one) for one in currencies]  # type: ignore[attr-defined]

    @property
    def key_id(self) -> UUID | None:
        chosen = self.cleaned_data["of"]
        return UUID(chosen) if chosen else None

    @property
    def monthly_micros(self) -> int:
        return int(self.cleaned_data["monthly"] * MICROS)
