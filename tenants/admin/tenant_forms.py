"""The forms by which an operator makes a tenant with its owner and first key, and changes a tenant and its plan."""

import secrets
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from uuid import UUID

from django import forms
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminEmailInputWidget, UnfoldAdminSelectWidget

from tenants.accounts.models import Tenant
from tenants.billing.ledger.subscriptions import Start, subscribe
from tenants.core.db.clock import database_now
from tenants.core.ids import uuid7
from tenants.onboarding.create_tenant import CreatedTenant, create_tenant
from tenants.plans.models import Plan, Subscription
from tenants.plans.selectors import subscriptions_of
from tenants.tiers.models import Tier

STATES = (Tenant.State.ACTIVE, Tenant.State.SUSPENDED)
NO_PLAN = "No plan: prices of the models"


class TenantAddForm(forms.ModelForm):  # type: ignore[type-arg]
    owner_email = forms.EmailField(
        label=_("Owner's email"),
        max_length=254,
        widget=UnfoldAdminEmailInputWidget,
        help_text=_("A new user gets a password. It is shown once on the next page, together with the first API key."),
    )
    made_as = forms.UUIDField(widget=forms.HiddenInput, initial=uuid7)
    """The id of the new tenant, so that a form that is sent again creates no second one."""

    class Meta:
        model = Tenant
        fields = ("name",)

    def clean_made_as(self) -> UUID:
        wanted: UUID = self.cleaned_data["made_as"]
        if Tenant.objects.filter(pk=wanted).exists():
            raise forms.ValidationError(_("You already created this tenant with this form. Look for it in the list."))
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


class TenantChangeForm(forms.ModelForm):  # type: ignore[type-arg]
    plan = forms.ModelChoiceField(
        Plan.objects.none(), required=False, empty_label=NO_PLAN, widget=UnfoldAdminSelectWidget
    )
    plan_start = forms.ChoiceField(
        label=_("Plan change takes effect"),
        required=False,
        choices=[(Start.NOW.value, "immediately"), (Start.NEXT_MONTH.value, "next month")],
        widget=UnfoldAdminSelectWidget,
    )

    tier = forms.ModelChoiceField(
        Tier.objects.all(),
        required=False,
        to_field_name="name",
        empty_label=_("Tier of its plan"),
        widget=UnfoldAdminSelectWidget,
        help_text=_("Workers that serve it."),
    )

    class Meta:
        model = Tenant
        fields = ("name", "state", "tier")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.plan_json = ""
        """The text about the changed plan for the audit log."""
        last = self._last
        self._is_planned = last is not None and last.starts_at > database_now()
        self.initial["plan"] = last.plan_id if last else None
        # The audit log, which the tenant reads, names tiers as the tenant knows them.
        self.initial["tier"] = self.instance.tier.name if self.instance.tier else None
        self.initial["plan_start"] = (Start.NEXT_MONTH if self._is_planned else Start.NOW).value
        if state := self.fields.get("state"):
            # The other states are not chosen here, but reached through actions: see the actions.
            now = self.instance.state
            may = STATES if now in STATES else (now,)
            state.choices = [(choice, Tenant.State(choice).label) for choice in may]  # type: ignore[attr-defined]
        if plan := self.fields.get("plan"):
            assert isinstance(plan, forms.ModelChoiceField)
            plan.queryset = Plan.objects.filter(Q(archived=False) | Q(pk=last.plan_id if last else None))
            if last is not None and self._is_planned:
                begins = f"{last.starts_at:%Y-%m-%d}"
                plan.help_text = f"This plan starts on {begins}. Choose another plan to cancel the change."

    @cached_property
    def _last(self) -> Subscription | None:
        """Return the subscription that the tenant has, or the planned one if a change is planned."""
        return subscriptions_of(self.instance.pk).first()

    def change_plan(self) -> None:
        """Change the plan. Call this in the transaction that saves the rest."""
        watched = {"plan", "plan_start"} if self._is_planned else {"plan"}
        if not watched & set(self.changed_data):
            return
        before, plan = self._last, self.cleaned_data["plan"]
        start = Start(self.cleaned_data["plan_start"] or Start.NOW.value)
        subscribe(tenant_id=self.instance.pk, plan=plan, start=start)
        was = before.plan.name if before and before.plan else "none"
        when = "immediately" if start is Start.NOW else "next month"
        self.plan_json = f"Plan changed from {was} to {plan.name if plan else 'none'}, {when}."
