"""The caller of a view, once it is known that they may do this."""

from typing import cast

from rest_framework.request import Request

from tenants.identity.identity import Identity, Scope


def caller(request: Request, scope: Scope) -> Identity:
    identity = cast(Identity, request.user)
    identity.require(scope)
    return identity
