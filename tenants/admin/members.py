"""The rows of a tenant's members on the tenant's page."""

from typing import Any

from django import forms
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.admin import TabularInline

from tenants.accounts.models import Membership, User


class MembershipForm(forms.ModelForm):  # type: ignore[type-arg]
    """A form that reports a repeated membership. Django does not, as the tenant is not a field of the form."""

    class Meta:
        model = Membership
        fields = ("user", "role")

    def clean_user(self) -> User:
        user: User = self.cleaned_data["user"]
        theirs = Membership.objects.filter(tenant_id=self.instance.tenant_id, user=user)
        if already := theirs.exclude(pk=self.instance.pk).first():
            raise forms.ValidationError(
                f"{user.email} is already a member with the role {already.role}. Change the role of this membership."
            )
        return user


class MembershipInline(TabularInline):  # type: ignore[misc]
    """A table in which members are added. A role is changed on the membership's own page."""

    model = Membership
    form = MembershipForm
    extra = 0
    autocomplete_fields = ("user",)
    fields = ("user", "role")
    show_change_link = True
    can_delete = False
    hide_title = True
    per_page = 20

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Membership]":
        found: QuerySet[Membership] = super().get_queryset(request).select_related("user", "tenant")
        return found.order_by("id")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
