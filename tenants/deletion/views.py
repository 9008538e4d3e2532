"""The page on which an owner requests an account's deletion, or cancels it."""

from allauth.account.decorators import reauthentication_required
from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_POST

from tenants.authentication.impersonation import require_own_hands
from tenants.dashboard_base.members import members_only
from tenants.deletion.services import ConfirmationMismatch, NotClosing, ask_to_close, keep
from tenants.identity.identity import Identity
from tenants.identity.roles import OWNER


class NameForm(forms.Form):
    name = forms.CharField(
        label=_("Account name"),
        max_length=200,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )


@require_http_methods(["GET", "HEAD", "POST"])
@members_only
def delete_tenant(request: HttpRequest, identity: Identity) -> HttpResponseBase:
    require_own_hands(request)
    if identity.closes_at is not None:
        return render(request, "tenants/deletion/closing.html", {"owner": _is_owner(request)})
    identity.require("account:write")
    answer: HttpResponseBase = _deleting(request, identity)
    return answer


@reauthentication_required  # type: ignore[untyped-decorator]
def _deleting(request: HttpRequest, identity: Identity) -> HttpResponse:
    form = NameForm(request.POST or None, label_suffix="")
    if request.method == "POST" and form.is_valid():
        try:
            ask_to_close(identity=identity, typed=form.cleaned_data["name"])
        except ConfirmationMismatch as refusal:
            form.add_error("name", refusal.detail)
        except NotClosing as refusal:
            messages.error(request, f"{refusal.detail} Nothing was changed.")
            return redirect("delete-tenant")
        else:
            return redirect("delete-tenant")
    context = {"form": form, "days": settings.MAAS_DELETION_GRACE_DAYS}
    return render(request, "tenants/deletion/delete.html", context, status=422 if form.errors else 200)


@require_POST
@members_only
def keep_tenant(request: HttpRequest, identity: Identity) -> HttpResponse:
    """Cancel the deletion without a confirmation, because this removes nothing."""
    require_own_hands(request)
    if not _is_owner(request):
        raise PermissionDenied("Only an owner can cancel the deletion of this account.")
    try:
        keep(identity=identity)
    except NotClosing as refusal:
        messages.error(request, f"{refusal.detail} Nothing was changed.")
    else:
        messages.success(request, f"The deletion of {identity.tenant_name} was canceled. Its keys work again.")
    return redirect("account")


def _is_owner(request: HttpRequest) -> bool:
    role: str = request.shell.role  # type: ignore[attr-defined]  # set by members_only
    return role == OWNER
