"""Shows a page to signed-in people, or to members of a tenant, and explains to everybody else what is missing."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django_htmx.http import HttpResponseClientRefresh

from tenants.accounts.models import Tenant, User
from tenants.authentication.chosen_tenant import (
    FIELD,
    HEADER,
    READING,
    is_of_other_tenant,
    refuse_other_tenants,
)
from tenants.authentication.impersonation import (
    ImpersonationOver,
    audit_write,
    end,
    impersonation_of,
    memberships_and_identity,
    require_own_hands,
)
from tenants.authentication.selectors import MembershipRow, memberships_of
from tenants.core.errors import DomainError, NotAMember, NotPermitted, TenantSuspended
from tenants.dashboard_base.shell import Shell, shell_of
from tenants.identity.identity import Identity

P = ParamSpec("P")
Page = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def members_only(view: Callable[Concatenate[HttpRequest, Identity, P], HttpResponseBase]) -> Page[P]:
    """Restrict a view to members. The browser does not store it, so that going back shows nothing after sign-out."""

    @never_cache
    @wraps(view)
    def for_member(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        try:
            rows, identity = memberships_and_identity(request)
        except (TenantSuspended, NotAMember, ImpersonationOver) as refusal:
            return _without_account(request, refusal)
        if identity is None and getattr(request.user, "is_staff", False):
            return redirect("admin:index")
        if identity is None:
            return render(request, "tenants/no_tenant.html", status=403)
        request.shell = Shell(identity, rows, impersonation_of(request))  # type: ignore[attr-defined]  # for the context processor
        shown_for = request.headers.get(HEADER) or request.POST.get(FIELD)
        if request.htmx and is_of_other_tenant(shown_for, identity) and request.method in READING:  # type: ignore[attr-defined]
            return HttpResponseClientRefresh()
        refuse_other_tenants(shown_for, request, identity)
        try:
            audit_write(request)
            return view(request, identity, *args, **kwargs)
        except NotPermitted as refusal:
            raise PermissionDenied(refusal.detail) from refusal

    return for_member


def people_only(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Restrict a view to signed-in people, whether or not they belong to a tenant."""

    @never_cache
    @wraps(view)
    def for_person(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        require_own_hands(request)
        request.shell = shell_of(request)  # type: ignore[attr-defined]  # for the context processor
        return view(request, *args, **kwargs)

    return for_person


def person_of(request: HttpRequest) -> User:
    """Return the signed-in person. Call this on pages for signed-in people only."""
    assert isinstance(request.user, User)
    return request.user


def _without_account(request: HttpRequest, refusal: DomainError) -> HttpResponseBase:
    """Respond to a member without an account. An operator returns to the page where the acting began."""
    tenant_id = end(request, refusal.detail)
    if tenant_id is not None:
        messages.warning(request, refusal.detail)
        return redirect("admin:tenants_tenant_change", tenant_id)
    assert request.user.pk is not None
    return _other_accounts(request, refusal, memberships_of(request.user.pk))


def _other_accounts(request: HttpRequest, refusal: DomainError, rows: Sequence[MembershipRow]) -> HttpResponseBase:
    template = "tenants/left.html" if isinstance(refusal, NotAMember) else "tenants/suspended.html"
    others = [row for row in rows if row.tenant_state == Tenant.State.ACTIVE]
    return render(request, template, {"detail": refusal.detail, "others": others}, status=403)
