"""The form for the billing details of an account."""

from django import forms
from django.utils.translation import gettext_lazy as _

from tenants.billing.invoices.models import COUNTRY


class CountryField(forms.CharField):
    def to_python(self, value: object) -> str:
        return str(super().to_python(value) or "").upper()


class DetailsForm(forms.Form):
    name = forms.CharField(
        max_length=200,
        help_text=_("The company or person that pays, as it must appear on invoices."),
        error_messages={"required": _("Enter the name for invoices.")},
        widget=forms.TextInput(attrs={"autocomplete": "organization"}),
    )
    address = forms.CharField(
        max_length=500,
        required=False,
        help_text=_("As printed on invoices, line by line."),
        widget=forms.Textarea(attrs={"rows": 4, "autocomplete": "street-address"}),
    )
    country = CountryField(
        max_length=2,
        required=False,
        validators=[COUNTRY],
        help_text=_("Two capital letters, for example DE."),
        widget=forms.TextInput(attrs={"autocomplete": "country", "size": 2}),
    )
    tax_id = forms.CharField(
        label=_("Tax ID"),
        max_length=50,
        required=False,
        help_text=_("For example a VAT number. Leave empty if you have none."),
    )
    email = forms.EmailField(
        label=_("Email for invoices"),
        max_length=254,
        required=False,
        help_text=_("Gets invoices in addition to owners and billing members."),
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
    reference = forms.CharField(
        label=_("Your reference"),
        max_length=100,
        required=False,
        help_text=_("Printed on each invoice, for example an order number."),
    )
