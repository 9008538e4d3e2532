"""The fields for a person who signs up, with a password or through another service."""

from django import forms
from django.utils.translation import gettext_lazy as _

_LONGEST = 200


def new_tenant() -> forms.CharField:
    return forms.CharField(
        label=_("Company or team"),
        max_length=_LONGEST,
        help_text=_("The name of your account. You can invite others to it."),
        widget=forms.TextInput(attrs={"autocomplete": "organization", "autofocus": True}),
    )


def new_name(known: str = "") -> forms.CharField:
    return forms.CharField(
        label=_("Your name"),
        max_length=_LONGEST,
        required=False,
        initial=known[:_LONGEST],
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
