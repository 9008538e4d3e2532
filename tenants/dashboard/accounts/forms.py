"""Forms for people's own accounts."""

from typing import Any

from allauth.account import forms as allauth_forms
from django import forms
from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.db import IntegrityError, transaction
from django.http import HttpRequest

from tenants.accounts.addresses import await_confirmation, belongs_to_somebody
from tenants.accounts.models import User
from tenants.authentication.sign_on.reclaiming import drop_unproven_ways_in
from tenants.dashboard.accounts.new_people import new_name, new_tenant
from tenants.onboarding.create_tenant import make_first_tenant

_LONGEST_PASSWORD = 1000
"""The most characters of a password. Each password is hashed, at a cost that grows with its length."""


def _new_password(label: str) -> forms.CharField:
    return forms.CharField(
        label=label,
        strip=False,
        max_length=_LONGEST_PASSWORD,
        help_text="At least 10 characters, not a common password.",
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )


def _own_password(label: str) -> forms.CharField:
    return forms.CharField(
        label=label,
        strip=False,
        max_length=_LONGEST_PASSWORD,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )


def _address(label: str, **attrs: Any) -> forms.EmailField:
    return forms.EmailField(
        label=label, max_length=254, widget=forms.EmailInput(attrs={"autocomplete": "email", **attrs})
    )


class SignUpForm(allauth_forms.SignupForm):  # type: ignore[misc]
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["tenant"] = new_tenant()
        self.fields["name"] = new_name()
        self.fields["email"] = _address("Email", autocomplete="username")
        self.fields["password1"] = _new_password("Password")
        self.order_fields(["tenant", "name", "email", "password1"])

    def validate_unique_email(self, value: str) -> str:
        """Check the address. It is not taken if a person only asked to change theirs to it and never confirmed that."""
        email = str(allauth_forms.get_adapter().validate_unique_email(value.lower()))
        self.account_already_exists = belongs_to_somebody(email)
        return email

    def try_save(self, request: HttpRequest) -> Any:
        """Save a person and the account that they asked for in one transaction.

        A known address takes the same time: its password is hashed too, and discarded.
        """
        if not self.account_already_exists:
            try:
                with transaction.atomic():
                    user, answer = super().try_save(request)
                    await_confirmation(user)
                return user, answer
            except IntegrityError:
                # Another person was faster by a moment.
                if not belongs_to_somebody(self.cleaned_data["email"]):
                    raise
                self.account_already_exists = True
        make_password(self.cleaned_data["password1"])
        return super().try_save(request)

    def signup(self, request: HttpRequest, user: User) -> None:
        user.name = self.cleaned_data["name"]
        user.save(update_fields=["name"])
        make_first_tenant(owner=user, name=self.cleaned_data["tenant"])


class ForgottenPasswordForm(allauth_forms.ResetPasswordForm):  # type: ignore[misc]
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["email"] = _address("Email", autofocus=True, autocomplete="username")


class _OnePassword:
    """A form that asks for the password only once, since it can be shown. The framework's forms ask for it twice."""

    fields: dict[str, forms.Field]

    def ask_once(self, label: str) -> None:
        user = getattr(self, "user", None)
        self.fields.pop("password2", None)
        self.fields["password1"] = _new_password(label)
        self.fields["password1"].user = user  # type: ignore[attr-defined]

    def clean_password1(self) -> str:
        password: str = self.cleaned_data["password1"]  # type: ignore[attr-defined]
        allauth_forms.get_adapter().clean_password(password, user=getattr(self, "user", None))
        return password


class NewPasswordForm(_OnePassword, allauth_forms.ResetPasswordKeyForm):  # type: ignore[misc]
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.ask_once("New password")

    def save(self) -> None:
        with transaction.atomic():
            drop_unproven_ways_in(person=self.user)
            super().save()


class ChangePasswordForm(_OnePassword, allauth_forms.ChangePasswordForm):  # type: ignore[misc]
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["oldpassword"] = _own_password("Current password")
        self.ask_once("New password")


class FirstPasswordForm(_OnePassword, allauth_forms.SetPasswordForm):  # type: ignore[misc]
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.ask_once("Password")


class NewAddressForm(allauth_forms.AddEmailForm):  # type: ignore[misc]
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["email"] = _address("New email address")


class NameForm(forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = User
        fields = ("name",)
        labels = {"name": "Your name"}
        widgets = {"name": forms.TextInput(attrs={"autocomplete": "name"})}


def signing_up_is_open() -> bool:
    return bool(settings.MAAS_SIGN_UP == "open")
