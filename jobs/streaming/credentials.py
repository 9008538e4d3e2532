"""The credential that authorized a socket or a stream, and the caller behind a session cookie."""

from dataclasses import dataclass
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
from tenants.identity.identity import Scope as KeyScope


@dataclass(frozen=True)
class Credential:
    identity: Identity
    session_key: str | None = None
    """The session, which is kept so that signing out closes the sockets that it has opened, by cookie or by ticket."""
    needs: KeyScope = "events:read"
    """The scope that the credential must keep."""

    address: str = ""
    """The client IP where the credential was used. Known for keys only, which may be restricted to networks."""

    def __hash__(self) -> int:
        """Hash by the identity of the caller. Its limits may contain values without a hash."""
        who = self.identity
        return hash((who.tenant_id, who.key_id, who.user_id, self.session_key, self.needs))


def identify_session(session_key: str) -> Identity | None:
    """Return the session's identity, or None if it is over or without a tenant. This queries the database."""
    request = HttpRequest()
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(session_key)
    request.user = auth.get_user(request)
    return signed_in_identity(request)


def is_operators_session(session_key: str) -> bool:
    """Return whether the session is that of an operator. This queries the database."""
    request = HttpRequest()
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(session_key)
    user = auth.get_user(request)
    return bool(user.is_active and getattr(user, "is_staff", False))


class Sessions:
    """The lookup of sessions. Sessions of recent users are found, however many invalid cookies are sent."""

    def __init__(self, threads: DatabaseThreads, unknown_callers: UnknownCallers) -> None:
        self._familiar: Familiar[Identity | None] = Familiar(
            threads,
            unknown_callers,
            identify_session,
            is_good=lambda found: found is not None,
            is_nobodys=lambda found: found is None,
        )

        self._operators: Familiar[bool] = Familiar(
            threads, unknown_callers, is_operators_session, is_good=bool, is_nobodys=lambda found: not found
        )

    async def is_operator(self, scope: Scope) -> bool:
        """Return whether the cookie of the request is an operator's. Raises TooManyTries."""
        session_key = session_key_of(scope)
        if session_key is None:
            return False
        return await self._operators.look_up(session_key, place_of_scope(scope, settings.MAAS_PROXIES))

    async def identify(self, scope: Scope) -> Identity | None:
        """Identify the caller by the cookie of the request. Raises TooManyTries."""
        session_key = session_key_of(scope)
        if session_key is None:
            return None
        return await self._familiar.look_up(session_key, place_of_scope(scope, settings.MAAS_PROXIES))


def session_key_of(scope: Scope) -> str | None:
    return cookie(scope, settings.SESSION_COOKIE_NAME)
