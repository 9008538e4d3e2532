"""Forms about the members of an account."""

from django import forms
from django.contrib.auth.password_validation import validate_password
from django.utils.translation import gettext_lazy as _

from tenants.accounts.models import Membership
from tenants.identity.roles import OWNER

MEANINGS = {
    "owner": "full access, appoints owners",
    "admin": "full access, cannot appoint owners",
    "developer": "documents, models, keys and webhooks",
    "billing": "usage and billing, no documents",
    "viewer": "views documents and jobs",
}


def role_choices(*, with_owner: bool) -> list[tuple[str, str]]:
    return [
        (value, f"{label} — {MEANINGS[value]}")
        for value, label in Membership.Role.choices
        if with_owner or value != OWNER
    ]


class RoleForm(forms.Form):
    role = forms.ChoiceField(label=_("Role"), choices=Membership.Role.choices)


class InviteForm(forms.Form):
    email = forms.EmailField(
        label=_("Email"), max_length=254, widget=forms.EmailInput(attrs={"autocomplete": "off"})
    )
    role = forms.ChoiceField(label=_("Role"), initial=Membership.Role.DEVELOPER)

    def __init__(self, *args: object, with_owner: bool, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.fields["role"].choices = role_choices(with_owner=with_owner)  # type: ignore[attr-defined]


class JoinForm(forms.Form):
    name = forms.CharField(
        label=_("Your name"),
        max_length=200,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "name", "autofocus": True}),
    )
    password1 = forms.CharField(
        label=_("Password"),
        strip=False,
        max_length=1000,
        help_text=_("At least 10 characters, not a common password."),
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def clean_password1(self) -> str:
        password: str = self.cleaned_data["password1"]
        validate_password(password)
        return password
