"""The form by which an operator makes a tenant with its owner and first key."""

import secrets
from dataclasses import dataclass
from uuid import UUID

from django import forms
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminEmailInputWidget

from tenants.accounts.models import Tenant
from tenants.core.ids import uuid7
from tenants.onboarding.create_tenant import CreatedTenant, create_tenant


class TenantAddForm(forms.ModelForm):  # type: ignore[type-arg]
    owner_email = forms.EmailField(
        label=_("Owner's email"),
        max_length=254,
        widget=UnfoldAdminEmailInputWidget,
        help_text=_(
            "A new user gets a password. It is shown once on the next page, together with the first API key."
        ),
    )
    made_as = forms.UUIDField(widget=forms.HiddenInput, initial=uuid7)
    """The id of the new tenant, so that a form that is sent again creates no second one."""

    class Meta:
        model = Tenant
        fields = ("name",)

    def clean_made_as(self) -> UUID:
        wanted: UUID = self.cleaned_data["made_as"]
        if Tenant.objects.filter(pk=wanted).exists():
            raise forms.ValidationError(
                _("You already created this tenant with this form. Look for it in the list.")
            )
        return wanted


@dataclass(frozen=True)
class MadeTenant:
    made: CreatedTenant
    password: str | None
    """The password of a new owner. It is None if the owner existed already and keeps the password."""


def make_tenant(form: TenantAddForm) -> MadeTenant:
    password = secrets.token_urlsafe(12)
    made = create_tenant(
        name=form.cleaned_data["name"],
        email=form.cleaned_data["owner_email"],
        password=password,
        tenant_id=form.cleaned_data["made_as"],
    )
    return MadeTenant(made, password if made.owner.check_password(password) else None)
