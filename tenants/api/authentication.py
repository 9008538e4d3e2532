"""The caller of the API: the identity that the request guard found for a key, or that of a signed-in person."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import CsrfViewMiddleware
from rest_framework import authentication, exceptions, permissions
from rest_framework.request import Request

from tenants.authentication.chosen_tenant import HEADER, refuse_other_tenants
from tenants.authentication.impersonation import audit_write, memberships_and_identity
from tenants.core.errors import DomainError, NotSignedIn
from tenants.identity.identity import Identity
from tenants.request_log.caller import describe_to_caller

IDENTITY = "maas.identity"
"""The name under which the request guard sets an Identity, or the DomainError why there is none."""


class _Csrf(CsrfViewMiddleware):
    def _reject(self, request: HttpRequest, reason: str) -> str:
        return reason


def _never_called(request: HttpRequest) -> HttpResponse:
    return HttpResponse()


def enforce_csrf(request: HttpRequest) -> None:
    check = _Csrf(_never_called)
    check.process_request(request)
    reason = check.process_view(request, _never_called, (), {})
    if reason:
        raise exceptions.PermissionDenied(f"CSRF check failed: {reason}")


def signed_in_identity(request: HttpRequest) -> Identity | None:
    if not request.user.is_authenticated or request.user.pk is None:
        return None
    return memberships_and_identity(request)[1]


class EdgeAuthentication(authentication.BaseAuthentication):
    """The authentication of API requests. Keys need no CSRF token; cookies do."""

    def authenticate(self, request: Request) -> tuple[Identity, None] | None:
        found: Any = request.META.get(IDENTITY)
        if isinstance(found, DomainError):
            raise found
        if isinstance(found, Identity):
            return found, None
        identity = signed_in_identity(request._request)
        if identity is None:
            return None
        describe_to_caller(request.META, identity)
        enforce_csrf(request._request)
        refuse_other_tenants(request.headers.get(HEADER), request._request, identity)
        audit_write(request._request)
        return identity, None

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="maas"'


class IsIdentified(permissions.BasePermission):
    def has_permission(self, request: Request, view: object) -> bool:
        if not isinstance(request.user, Identity):
            raise NotSignedIn("Send your key as: Authorization: Bearer <key>.")
        return True
