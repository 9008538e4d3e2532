"""Changes the tenant for which a person acts, and ends an operator's acting as a member."""

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from tenants.authentication.chosen_tenant import choose_tenant
from tenants.authentication.impersonation import end, impersonation_of
from tenants.authentication.selectors import memberships_of


@require_POST
@login_required
def switch_tenant(request: HttpRequest) -> HttpResponse:
    if impersonation_of(request) is not None:
        raise PermissionDenied("You are acting as a member of one account. Stop acting before you switch accounts.")
    assert request.user.pk is not None
    wanted = request.POST.get("tenant", "")
    row = next((row for row in memberships_of(request.user.pk) if str(row.tenant_id) == wanted), None)
    if row is None:
        raise Http404("You are not a member of this account.")
    choose_tenant(request, row.tenant_id)
    return redirect("home")


@require_POST
@login_required
def stop_acting(request: HttpRequest) -> HttpResponse:
    tenant_id = end(request, "Stopped.")
    return redirect("home") if tenant_id is None else redirect("admin:tenants_tenant_change", tenant_id)
