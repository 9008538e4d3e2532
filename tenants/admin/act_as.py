"""The page on which an operator chooses the member to act as in an account, and gives the reason."""

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils.translation import gettext_lazy as _
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget, UnfoldBooleanSwitchWidget

from tenants.accounts.models import Membership, Tenant
from tenants.authentication.impersonation import LASTS, begin
from tenants.core.db.unit_of_work import OPERATOR

SHORTEST_REASON = 10


class ActAsForm(forms.Form):
    member: "forms.ModelChoiceField[Membership]" = forms.ModelChoiceField(
        None, empty_label=None, widget=UnfoldAdminSelectWidget
    )
    reason = forms.CharField(
        min_length=SHORTEST_REASON,
        max_length=300,
        widget=UnfoldAdminTextInputWidget,
        help_text=_("Shown to the account in its audit log."),
    )
    may_write = forms.BooleanField(
        label=_("Allow changes"),
        required=False,
        widget=UnfoldBooleanSwitchWidget,
        help_text=_("Each change is recorded under your name. API keys cannot be created."),
    )

    def __init__(self, *args: Any, members: "QuerySet[Membership]", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        member = self.fields["member"]
        assert isinstance(member, forms.ModelChoiceField)
        member.queryset = members


def act_as(request: HttpRequest, tenant_id: UUID) -> HttpResponse:
    if not request.user.has_perm("tenants.change_tenant"):
        raise PermissionDenied
    tenant = Tenant.objects.filter(pk=tenant_id).first()
    if tenant is None:
        raise Http404(_("Tenant not found."))
    members = Membership.objects.filter(tenant=tenant, user__is_active=True).select_related("user", "tenant")
    form = ActAsForm(request.POST or None, members=members.order_by("id"))
    if request.method == "POST" and form.is_valid():
        if tenant.state == Tenant.State.ACTIVE:
            _begin(request, tenant, form)
            return redirect("home")
        messages.error(request, _("This tenant is not active, so it has no dashboard. Reactivate it first."))
    context = {
        **admin.site.each_context(request),
        "title": f"Act as a member of {tenant.name}",
        "opts": Tenant._meta,
        "tenant": tenant,
        "form": form,
        "minutes": int(LASTS.total_seconds() // 60),
    }
    return TemplateResponse(request, "admin/tenants/tenant/act_as.html", context)


def _begin(request: HttpRequest, tenant: Tenant, form: ActAsForm) -> None:
    """Begin to act as the member, and record it in the operators' log too."""
    member: Membership = form.cleaned_data["member"]
    reason: str = form.cleaned_data["reason"]
    assert request.user.pk is not None
    with transaction.atomic(using=OPERATOR):
        description = f"Acts as {member.user.email}: {reason}"
        LogEntry.objects.log_actions(request.user.pk, [tenant], CHANGE, description, single_object=True)
        begin(request, member, reason=reason, may_write=form.cleaned_data["may_write"])
