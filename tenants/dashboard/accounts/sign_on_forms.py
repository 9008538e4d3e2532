"""Forms for people who sign in through another service for the first time."""

from typing import Any

from allauth.account.models import EmailAddress
from allauth.socialaccount.forms import SignupForm
from django import forms
from django.db import transaction
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from tenants.accounts.addresses import await_confirmation, belongs_to_somebody, vouch_for
from tenants.accounts.models import User
from tenants.accounts.unconfirmed import make_room_for
from tenants.authentication.sign_on.adapter import confirmed_address, invited_by
from tenants.authentication.sign_on.services import notify_accounts
from tenants.dashboard.accounts.new_people import new_name, new_tenant
from tenants.onboarding.create_tenant import make_first_tenant


class SignUpThroughForm(SignupForm):  # type: ignore[misc]
    """The sign-up form. A person who was invited by email joins that account and creates none. A confirmed address
    cannot be changed in the form.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.invited = invited_by(self.sociallogin)
        self.confirmed = self.invited.email if self.invited else confirmed_address(self.sociallogin)
        if not self.invited:
            self.fields["tenant"] = new_tenant()
        self.fields["name"] = new_name(str(self.sociallogin.account.extra_data.get("name", "")))
        self.fields["email"] = forms.EmailField(
            label=_("Email"),
            max_length=254,
            help_text="This address is confirmed. You can change it later." if self.confirmed else "",
            disabled=bool(self.confirmed),
            widget=forms.EmailInput(attrs={"autocomplete": "username"}),
        )
        if self.confirmed:
            self.initial["email"] = self.confirmed
        self.order_fields(["tenant", "name", "email"])

    def validate_unique_email(self, value: str) -> str:
        """Check the address. A person who has confirmed it replaces a person who signed up with it and never confirmed
        it.
        """
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
            if self.confirmed:
                vouch_for(user)
            else:
                await_confirmation(user)
        return user, answer

    def signup(self, request: HttpRequest, user: User) -> None:
        user.name = self.cleaned_data["name"]
        user.save(update_fields=["name"])
        if not self.invited:
            make_first_tenant(owner=user, name=self.cleaned_data["tenant"])
            notify_accounts("sign_on.connected", user, self.sociallogin.account.provider)
