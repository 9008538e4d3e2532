"""The operator as the caller of the API: a program with the operator's token, or an operator who is signed in."""

from dataclasses import dataclass
from secrets import compare_digest

from django.conf import settings
from django.contrib import admin
from rest_framework import authentication, permissions
from rest_framework.request import Request

from tenants.core.errors import InvalidKey, NotPermitted, NotSignedIn

PATHS = "/v1/operator/"
"""The beginning of the addresses that only operators may use. Keys of accounts are not looked up there."""


@dataclass(frozen=True, slots=True)
class Operator:
    """Somebody who may read what concerns all accounts."""

    is_authenticated: bool = True


class OperatorAuthentication(authentication.BaseAuthentication):
    def authenticate(self, request: Request) -> tuple[Operator, None] | None:
        scheme, _, sent = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            token = settings.MAAS_OPERATOR_TOKEN
            if token and compare_digest(sent.strip().encode(), token.encode()):
                return Operator(), None
            raise InvalidKey("This is not the operator's token, which is MAAS_OPERATOR_TOKEN. Keys do not work here.")
        if admin.site.has_permission(request._request):
            return Operator(), None
        if request._request.user.is_authenticated:
            raise NotPermitted("Only operators may read this.")
        return None

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="maas"'


class IsOperator(permissions.BasePermission):
    def has_permission(self, request: Request, view: object) -> bool:
        if not isinstance(request.user, Operator):
            raise NotSignedIn("Send the operator's token as: Authorization: Bearer <token>, or sign in as an operator.")
        return True
