"""The form with which a person signs in."""

from typing import Any

from allauth.account.forms import LoginForm
from django import forms
from django.utils.translation import gettext_lazy as _


class SignInForm(LoginForm):  # type: ignore[misc]
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"] = forms.EmailField(
            label=_("Email"),
            max_length=254,
            widget=forms.EmailInput(attrs={"autofocus": True, "autocomplete": "username"}),
        )
        self.fields["password"] = forms.CharField(
            label=_("Password"),
            strip=False,
            max_length=1000,
            widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
        )
        self.order_fields(["login", "password"])

    def add_prefix(self, field_name: str) -> str:
        """Return the earlier name of the field, which programs and password managers use."""
        return "username" if field_name == "login" else str(super().add_prefix(field_name))
