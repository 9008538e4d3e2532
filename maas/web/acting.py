"""Records who acts in a request: the caller that the guard authenticated, a signed-in person, or an operator."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from tenants.api.authentication import IDENTITY
from tenants.api_keys.selectors import name_of_key
from tenants.audit.acting import KEY, OPERATOR, PERSON, Acting, acting_as
from tenants.authentication.impersonation import impersonation_of
from tenants.core.asgi.client_ip import address_of, client_address
from tenants.identity.identity import Identity

ADMIN = "/admin/"


class ActingMiddleware:
    """Middleware that must come after the middleware that finds the signed-in person."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        # The REST framework later replaces `request.user` by an identity, so the person is captured now.
        with acting_as(partial(_acting, request, request.user)):
            return self.get_response(request)


def _acting(request: HttpRequest, user: Any) -> Acting:
    where = Acting(
        address=address_of(client_address(request.META, settings.MAAS_PROXIES)),
        user_agent=request.headers.get("User-Agent", ""),
        request_id=request.META.get("maas.request_id", ""),
    )
    identity = request.META.get(IDENTITY)
    if isinstance(identity, Identity) and identity.key_id is not None:
        name = name_of_key(identity.tenant_id, identity.key_id)
        return replace(where, kind=KEY, actor_id=identity.key_id, name=name)
    if not user.is_authenticated:
        return where
    person_id: UUID = user.pk
    if request.path.startswith(ADMIN):
        return replace(where, kind=OPERATOR, actor_id=person_id)
    as_whom = impersonation_of(request, user)
    if as_whom is not None:
        return replace(where, kind=OPERATOR, actor_id=person_id, behalf_of=as_whom.email)
    return replace(where, kind=PERSON, actor_id=person_id, name=user.email)
