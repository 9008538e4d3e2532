"""Lets sockets in, and puts them out when what let them in is no longer good."""

from urllib.parse import parse_qs

from django.conf import settings
from django.db.models import Q
from django.db.models.functions import Now

from jobs.live.origins import origin_allowed
from jobs.live.passes import Pass
from jobs.live.sessions import identify_session
from jobs.live.tickets import redeem_ticket
from tenants.api.authentication import IDENTITY
from tenants.asgi.protocol import Scope, cookie, header
from tenants.asgi.remembered import Remembered
from tenants.asgi.threads import DatabaseThreads
from tenants.context import unit_of_work
from tenants.errors import DomainError, NotPermitted, NotSignedIn
from tenants.identity import Identity
from tenants.identity import Scope as KeyScope
from tenants.journal.caller import tell_caller
from tenants.models import ApiKey, Tenant
from tenants.selectors import identify_member

HOW = (
    "Sign in, send your key as Authorization: Bearer <key>, or open the socket with ?ticket= and a fresh ticket "
    "from POST /v1/tickets."
)


def good_still(held: Pass) -> bool:
    """Synchronous; queries the database. Whether the same caller would be let in now."""
    try:
        if held.session_key is not None:
            now = identify_session(held.session_key)
        elif held.identity.user_id is not None:
            now = identify_member(held.identity.user_id, held.identity.tenant_id)
        else:
            return _key_good(held.identity, held.needs)
    except DomainError:
        return False
    return now is not None and now.tenant_id == held.identity.tenant_id and held.needs in now.scopes


def _key_good(identity: Identity, needs: KeyScope) -> bool:
    if identity.key_id is None:
        return False
    with unit_of_work(identity.tenant_id):
        active = Tenant.objects.filter(id=identity.tenant_id, state=Tenant.State.ACTIVE).exists()
        keys = ApiKey.objects.filter(id=identity.key_id, revoked_at=None, scopes__contains=[needs])
        # By the database's clock, like everything that expires: this machine's may be wrong.
        return active and keys.filter(Q(expires_at=None) | Q(expires_at__gt=Now())).exists()


class Doorman:
    def __init__(self, threads: DatabaseThreads, *, recheck_s: float = 2.0) -> None:
        self._threads = threads
        # A tenant's sockets mostly share one key: they are checked together.
        self._checked: Remembered[Pass, bool] = Remembered(lifetime_s=recheck_s, capacity=10_000)

    async def admit(self, scope: Scope) -> Pass:
        origin = header(scope, b"origin")
        if origin is not None and not self._welcome(origin, header(scope, b"host") or ""):
            raise NotPermitted(
                f"Pages of {origin[:100]!r} may not open sockets here.", code="origin_not_allowed"
            )
        held = await self._identified(scope)
        tell_caller(scope, held.identity)
        held.identity.require("events:read")
        return held

    async def admit_request(self, scope: Scope, needs: KeyScope) -> Pass:
        """Who asks for a stream over HTTP, by key or, as a browser does, by session."""
        held = await self._of_request(scope, needs)
        tell_caller(scope, held.identity)
        held.identity.require(needs)
        return held

    async def _of_request(self, scope: Scope, needs: KeyScope) -> Pass:
        by_key = scope.get(IDENTITY)
        if isinstance(by_key, Identity):
            return Pass(by_key, needs=needs)
        session_key = cookie(scope, settings.SESSION_COOKIE_NAME)
        identity = await self._threads.run(identify_session, session_key) if session_key else None
        if identity is None:
            raise NotSignedIn("Send your key as: Authorization: Bearer <key>.")
        return Pass(identity, session_key, needs)

    async def still_good(self, held: Pass) -> bool:
        return await self._checked.get(held, lambda: self._threads.run(good_still, held))

    def _welcome(self, origin: str, host: str) -> bool:
        return origin_allowed(
            origin, host, allowed_hosts=settings.ALLOWED_HOSTS, trusted=settings.CSRF_TRUSTED_ORIGINS
        )

    async def _identified(self, scope: Scope) -> Pass:
        by_key = scope.get(IDENTITY)
        if isinstance(by_key, Identity):
            return Pass(by_key)
        tickets = parse_qs(scope["query_string"].decode("latin-1")).get("ticket")
        if tickets:
            return await self._by_ticket(tickets[0])
        session_key = cookie(scope, settings.SESSION_COOKIE_NAME)
        if session_key is not None and header(scope, b"origin") is not None:
            identity = await self._threads.run(identify_session, session_key)
            if identity is not None:
                return Pass(identity, session_key)
        raise NotSignedIn(HOW)

    async def _by_ticket(self, ticket: str) -> Pass:
        held = await self._threads.run(redeem_ticket, ticket)
        # The key may have been revoked, or the session ended, since the ticket was issued.
        if held is None or not await self._threads.run(good_still, held):
            raise NotSignedIn(f"This ticket was used, is older than a minute or never was. {HOW}")
        return held
