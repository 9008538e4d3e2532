"""Forms about the members of an account."""

from django import forms
from django.contrib.auth.password_validation import validate_password

from tenants.accounts.models import Membership
from tenants.identity.roles import OWNER

MEANINGS = {
    "owner": "all, and naming owners",
    "admin": "all but naming owners",
    "developer": "documents, models, keys and webhooks",
    "billing": "usage and money, no documents",
    "viewer": "looks at documents and jobs",
}


def role_choices(*, with_owner: bool) -> list[tuple[str, str]]:
    return [
        (value, f"{label} — {MEANINGS[value]}")
        for value, label in Membership.Role.choices
        if with_owner or value != OWNER
    ]


class RoleForm(forms.Form):
    role = forms.ChoiceField(label="Role", choices=Membership.Role.choices)


class InviteForm(forms.Form):
    email = forms.EmailField(
        label="E-mail", max_length=254, widget=forms.EmailInput(attrs={"autocomplete": "off"})
    )
    role = forms.ChoiceField(label="Role", initial=Membership.Role.DEVELOPER)

    def __init__(self, *args: object, with_owner: bool, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.fields["role"].choices = role_choices(with_owner=with_owner)  # type: ignore[attr-defined]


class JoinForm(forms.Form):
    name = forms.CharField(
        label="Your name",
        max_length=200,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "name", "autofocus": True}),
    )
    password1 = forms.CharField(
        label="Password",
        strip=False,
        max_length=1000,
        help_text="10 characters or more, and not one that many people use.",
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def clean_password1(self) -> str:
        password: str = self.cleaned_data["password1"]
        validate_password(password)
        return password
