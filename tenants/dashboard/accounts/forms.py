"""Forms with which people sign up, sign in, and change their own accounts."""

from typing import TYPE_CHECKING, Any

from allauth.account import forms as allauth_forms
from allauth.account.models import EmailAddress
from allauth.socialaccount.forms import SignupForm
from django import forms
from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from tenants.accounts.addresses import await_confirmation, belongs_to_somebody, vouch_for
from tenants.accounts.models import User
from tenants.accounts.unconfirmed import make_room_for
from tenants.authentication.sign_on.adapter import confirmed_address, invited_by
from tenants.authentication.sign_on.services import drop_unproven_ways_in, notify_accounts
from tenants.onboarding.create_tenant import make_first_tenant

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

_LONGEST_PASSWORD = 1000
"""The most characters of a password. Each password is hashed, at a cost that grows with its length."""
_LONGEST_NAME = 200


def _password(label: "StrOrPromise", autocomplete: str, help_text: "StrOrPromise" = "") -> forms.CharField:
    return forms.CharField(
        label=label,
        strip=False,
        max_length=_LONGEST_PASSWORD,
        help_text=help_text,
        widget=forms.PasswordInput(attrs={"autocomplete": autocomplete}),
    )


def new_password(label: "StrOrPromise") -> forms.CharField:
    return _password(label, "new-password", _("At least 10 characters, not a common password."))


def own_password(label: "StrOrPromise") -> forms.CharField:
    return _password(label, "current-password")


def new_name(current: str = "", **attrs: Any) -> forms.CharField:
    return forms.CharField(
        label=_("Your name"),
        max_length=_LONGEST_NAME,
        required=False,
        initial=current[:_LONGEST_NAME],
        widget=forms.TextInput(attrs={"autocomplete": "name", **attrs}),
    )


def _new_tenant() -> forms.CharField:
    return forms.CharField(
        label=_("Company or team"),
        max_length=_LONGEST_NAME,
        help_text=_("The name of your account. You can invite others to it."),
        widget=forms.TextInput(attrs={"autocomplete": "organization", "autofocus": True}),
    )


def _address(label: "StrOrPromise", *, help_text: str = "", disabled: bool = False, **attrs: Any) -> forms.EmailField:
    widget = forms.EmailInput(attrs={"autocomplete": "email", **attrs})
    return forms.EmailField(label=label, max_length=254, help_text=help_text, disabled=disabled, widget=widget)


class SignInForm(allauth_forms.LoginForm):  # type: ignore[misc]
    password = own_password(_("Password"))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"] = _address(_("Email"), autofocus=True, autocomplete="username")
        self.order_fields(["login", "password"])

    def add_prefix(self, field_name: str) -> str:
        """Return the field's usual HTML name, which programs and password managers rely on."""
        return "username" if field_name == "login" else str(super().add_prefix(field_name))


class SignUpForm(allauth_forms.SignupForm):  # type: ignore[misc]
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["tenant"] = _new_tenant()
        self.fields["name"] = new_name()
        self.fields["email"] = _address(_("Email"), autocomplete="username")
        self.fields["password1"] = new_password(_("Password"))
        self.order_fields(["tenant", "name", "email", "password1"])

    def validate_unique_email(self, value: str) -> str:
        """Check the address. It is not taken if a person only asked to change theirs to it and never confirmed that."""
        email = str(allauth_forms.get_adapter().validate_unique_email(value.lower()))
        self.account_already_exists = belongs_to_somebody(email)
        return email

    def try_save(self, request: HttpRequest) -> Any:
        """Save a person and their account in one transaction. If the address is already taken, a password is hashed
        too, so that the response time does not show it.
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


class SignUpThroughForm(SignupForm):  # type: ignore[misc]
    """The form after a first sign-in through another service. An invited person joins that account and creates none."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.invited = invited_by(self.sociallogin)
        self.confirmed = self.invited.email if self.invited else confirmed_address(self.sociallogin)
        if not self.invited:
            self.fields["tenant"] = _new_tenant()
        self.fields["name"] = new_name(str(self.sociallogin.account.extra_data.get("name", "")))
        help_text = "This address is confirmed. You can change it later." if self.confirmed else ""
        self.fields["email"] = _address(
            _("Email"), help_text=help_text, disabled=bool(self.confirmed), autocomplete="username"
        )
        if self.confirmed:
            self.initial["email"] = self.confirmed
        self.order_fields(["tenant", "name", "email"])

    def validate_unique_email(self, value: str) -> str:
        """Check the address. A person who has confirmed it replaces one who signed up with it and never did."""
        email = value.lower()
        if self.confirmed:
            make_room_for(email)
        self.account_already_exists = belongs_to_somebody(email)
        return email

    def try_save(self, request: HttpRequest) -> Any:
        """Save a person, the connection to the service, and their account in one transaction."""
        if self.account_already_exists:
            return super().try_save(request)
        self.sociallogin.email_addresses = (
            [EmailAddress(email=self.confirmed, verified=True, primary=True)] if self.confirmed else []
        )
        with transaction.atomic():
            user, answer = super().try_save(request)
            (vouch_for if self.confirmed else await_confirmation)(user)
        return user, answer

    def signup(self, request: HttpRequest, user: User) -> None:
        user.name = self.cleaned_data["name"]
        user.save(update_fields=["name"])
        if not self.invited:
            make_first_tenant(owner=user, name=self.cleaned_data["tenant"])
            notify_accounts("sign_on.connected", user, self.sociallogin.account.provider)


class ForgottenPasswordForm(allauth_forms.ResetPasswordForm):  # type: ignore[misc]
    email = _address(_("Email"), autofocus=True, autocomplete="username")


class _OnePassword:
    """A form that asks for the password only once, since it can be shown. The framework's forms ask for it twice."""

    password2 = None
    user: User
    cleaned_data: dict[str, Any]

    def clean_password1(self) -> str:
        password: str = self.cleaned_data["password1"]
        allauth_forms.get_adapter().clean_password(password, user=self.user)
        return password


class NewPasswordForm(_OnePassword, allauth_forms.ResetPasswordKeyForm):  # type: ignore[misc]
    password1 = new_password("New password")

    def save(self) -> None:
        with transaction.atomic():
            drop_unproven_ways_in(person=self.user)
            super().save()


class ChangePasswordForm(_OnePassword, allauth_forms.ChangePasswordForm):  # type: ignore[misc]
    oldpassword = own_password("Current password")
    password1 = new_password("New password")


class FirstPasswordForm(_OnePassword, allauth_forms.SetPasswordForm):  # type: ignore[misc]
    password1 = new_password(_("Password"))


class NewAddressForm(allauth_forms.AddEmailForm):  # type: ignore[misc]
    email = _address("New email address")


class NameForm(forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = User
        fields = ("name",)
        labels = {"name": _("Your name")}
        widgets = {"name": forms.TextInput(attrs={"autocomplete": "name"})}


def signing_up_is_open() -> bool:
    return bool(settings.MAAS_SIGN_UP == "open")
