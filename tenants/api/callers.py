"""The caller of a view, after the check that it has the needed scope."""

from typing import cast

from rest_framework.request import Request

from tenants.identity.identity import Identity, Scope


def caller(request: Request, scope: Scope) -> Identity:
    identity = cast(Identity, request.user)
    identity.require(scope)
    return identity
