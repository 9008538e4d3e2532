"""The view that ends an operator's acting as a member."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from tenants.authentication.impersonation import end


@require_POST
@login_required
def stop_acting(request: HttpRequest) -> HttpResponse:
    tenant_id = end(request, "Stopped.")
    return redirect("home") if tenant_id is None else redirect("admin:tenants_tenant_change", tenant_id)
