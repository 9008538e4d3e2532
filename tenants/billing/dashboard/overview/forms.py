"""The form for the billing details of an account."""

from django import forms

from tenants.billing.invoices.models import COUNTRY


class CountryField(forms.CharField):
    def to_python(self, value: object) -> str:
        return str(super().to_python(value) or "").upper()


class DetailsForm(forms.Form):
    name = forms.CharField(
        max_length=200,
        help_text="Of the business or person that pays, as it must stand on invoices.",
        error_messages={"required": "Say in whose name invoices are made out."},
        widget=forms.TextInput(attrs={"autocomplete": "organization"}),
    )
    address = forms.CharField(
        max_length=500,
        required=False,
        help_text="As it is printed, line by line.",
        widget=forms.Textarea(attrs={"rows": 4, "autocomplete": "street-address"}),
    )
    country = CountryField(
        max_length=2,
        required=False,
        validators=[COUNTRY],
        help_text="Two capital letters, such as DE.",
        widget=forms.TextInput(attrs={"autocomplete": "country", "size": 2}),
    )
    tax_id = forms.CharField(
        label="Tax id", max_length=50, required=False, help_text="Such as a VAT number. Empty: none."
    )
    email = forms.EmailField(
        label="E-mail for invoices",
        max_length=254,
        required=False,
        help_text="Gets them beside owners and billing members.",
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
    reference = forms.CharField(
        label="Your reference",
        max_length=100,
        required=False,
        help_text="Printed on each invoice, such as the number of an order.",
    )
