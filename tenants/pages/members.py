"""Lets a page be seen by signed-in members of a tenant, and tells everybody else what is missing."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache

from tenants.errors import TenantSuspended
from tenants.identity import Identity
from tenants.selectors import identify_member

P = ParamSpec("P")
Page = Callable[Concatenate[HttpRequest, P], HttpResponse]


def members_only(view: Callable[Concatenate[HttpRequest, Identity, P], HttpResponse]) -> Page[P]:
    """Nothing of such a page is kept by the browser, so that going back after signing out shows nothing."""

    @never_cache
    @wraps(view)
    def for_member(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        try:
            identity = identify_member(request.user.pk)
        except TenantSuspended as refusal:
            return render(request, "tenants/suspended.html", {"detail": refusal.detail}, status=403)
        if identity is None and getattr(request.user, "is_staff", False):
            return redirect("admin:index")
        if identity is None:
            return render(request, "tenants/no_tenant.html", status=403)
        return view(request, identity, *args, **kwargs)

    return for_member
