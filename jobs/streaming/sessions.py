"""Identifies the caller behind a session cookie, for the parts of the front that run before Django."""

from importlib import import_module

from django.conf import settings
from django.contrib import auth
from django.http import HttpRequest

from tenants.api.authentication import signed_in_identity
from tenants.core.asgi.client_ip_limit import place_of_scope
from tenants.core.asgi.credentials import Familiar, UnknownCallers
from tenants.core.asgi.protocol import Scope, cookie
from tenants.core.asgi.threads import DatabaseThreads
from tenants.identity.identity import Identity


def identify_session(session_key: str) -> Identity | None:
    """Return the session's identity, or None if it is over or without a tenant. This queries the database."""
    request = HttpRequest()
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(session_key)
    request.user = auth.get_user(request)
    return signed_in_identity(request)


class Sessions:
    """The lookup of sessions. Sessions of recent users are found, however many invalid cookies are sent."""

    def __init__(self, threads: DatabaseThreads, unknown_callers: UnknownCallers) -> None:
        self._familiar: Familiar[Identity | None] = Familiar(
            threads, unknown_callers, identify_session, is_good=_is_somebodys, is_nobodys=_is_nobodys
        )

    async def identify(self, scope: Scope) -> Identity | None:
        """Identify the caller by the cookie of the request. Raises TooManyTries."""
        session_key = session_key_of(scope)
        if session_key is None:
            return None
        return await self._familiar.look_up(session_key, place_of_scope(scope, settings.MAAS_PROXIES))


def session_key_of(scope: Scope) -> str | None:
    return cookie(scope, settings.SESSION_COOKIE_NAME)


def _is_somebodys(found: Identity | None) -> bool:
    return found is not None


def _is_nobodys(found: Identity | None) -> bool:
    return found is None
