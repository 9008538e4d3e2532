"""The authorizer of sockets and streams. It admits them, and closes them when their credential is no longer valid."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from urllib.parse import parse_qs, urlsplit

from django.conf import settings
from django.db.models import Q
from django.db.models.functions import Now
from django.http.request import split_domain_port, validate_host

from jobs.streaming.credentials import Credential, Sessions, identify_session, session_key_of
from jobs.streaming.tickets import redeem_ticket
from tenants.accounts.models import Tenant
from tenants.api.authentication import IDENTITY
from tenants.api_keys.models import ApiKey
from tenants.authentication.selectors import identify_member
from tenants.core.asgi.client_ip_limit import ClientIpLimit, address_of_scope, place_of_scope
from tenants.core.asgi.credentials import UnknownCallers
from tenants.core.asgi.protocol import Scope, header
from tenants.core.asgi.remembered import Remembered
from tenants.core.asgi.threads import DatabaseThreads
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import DomainError, NotPermitted, NotSignedIn
from tenants.identity.identity import Identity
from tenants.identity.identity import Scope as KeyScope
from tenants.identity.networks import may_come_from
from tenants.request_log.caller import describe_to_caller

HOW = (
    "Sign in, send your key as Authorization: Bearer <key>, or open the WebSocket with ?ticket= and a new ticket "
    "from POST /v1/tickets."
)

HANDSHAKES_A_MINUTE = 3_000
"""The handshakes per minute of a client IP without a key: enough for a large office after a restart."""
_TOO_MANY = "Too many WebSockets were opened from your IP address. Connect again in {pause_s} s."


def good_still(held: Credential) -> bool:
    """Return whether the same caller would be admitted now. This is synchronous and queries the database."""
    try:
        if held.session_key is not None:
            now = identify_session(held.session_key)
        elif held.identity.user_id is not None:
            now = identify_member(held.identity.user_id, held.identity.tenant_id)
        else:
            return _key_good(held.identity, held.needs, held.address)
    except DomainError:
        return False
    return now is not None and now.tenant_id == held.identity.tenant_id and held.needs in now.scopes


def _key_good(identity: Identity, needs: KeyScope, address: str) -> bool:
    if identity.key_id is None:
        return False
    with unit_of_work(identity):
        active = Tenant.objects.filter(id=identity.tenant_id, state=Tenant.State.ACTIVE).exists()
        keys = ApiKey.objects.filter(id=identity.key_id, revoked_at=None, scopes__contains=[needs])
        # The clock of the database decides, as with everything that expires, because the clock of this machine may be
        # wrong.
        working = keys.filter(Q(expires_at=None) | Q(expires_at__gt=Now()))
        networks = working.values_list("allowed_networks", flat=True).first()
        return active and networks is not None and may_come_from(networks, address)


class Authorizer:
    def __init__(
        self,
        threads: DatabaseThreads,
        sessions: Sessions,
        unknown_callers: UnknownCallers,
        *,
        recheck_s: float = 2.0,
    ) -> None:
        self._threads = threads
        self._sessions = sessions
        self._unknown_callers = unknown_callers
        self._handshakes = ClientIpLimit(HANDSHAKES_A_MINUTE, _TOO_MANY)
        # Sockets of a tenant mostly share one key, so they are checked together.
        self._checked: Remembered[Credential, bool] = Remembered(lifetime_s=recheck_s, capacity=10_000)

    async def admit(self, scope: Scope) -> Credential:
        origin = header(scope, b"origin")
        if origin is not None and not self._welcome(origin, header(scope, b"host") or ""):
            raise NotPermitted(
                f"The origin {origin[:100]!r} is not allowed to open WebSockets here.",
                code="origin_not_allowed",
            )
        held = await self._identified(scope)
        describe_to_caller(scope, held.identity)
        held.identity.require("events:read")
        return held

    async def admit_request(self, scope: Scope, needs: KeyScope) -> Credential:
        """Authorize a request for a stream over HTTP, by key or, as browsers do, by session."""
        held = await self._of_request(scope, needs)
        describe_to_caller(scope, held.identity)
        held.identity.require(needs)
        return held

    async def _of_request(self, scope: Scope, needs: KeyScope) -> Credential:
        by_key = scope.get(IDENTITY)
        if isinstance(by_key, Identity):
            return Credential(by_key, needs=needs, address=address_of_scope(scope, settings.MAAS_PROXIES))
        identity = await self._sessions.identify(scope)
        if identity is None:
            raise NotSignedIn("Send your key as: Authorization: Bearer <key>.")
        return Credential(identity, session_key_of(scope), needs)

    def forget(self, held: Credential) -> None:
        """Forget the last check of this credential, so that the next call checks it again."""
        self._checked.forget(held)

    async def still_good(self, held: Credential) -> bool:
        return await self._checked.get(held, lambda: self._threads.run(good_still, held))

    def _welcome(self, origin: str, host: str) -> bool:
        return origin_allowed(origin, host, allowed_hosts=settings.ALLOWED_HOSTS, trusted=settings.CSRF_TRUSTED_ORIGINS)

    async def _identified(self, scope: Scope) -> Credential:
        by_key = scope.get(IDENTITY)
        if isinstance(by_key, Identity):
            # The limits of the key have counted it.
            return Credential(by_key, address=address_of_scope(scope, settings.MAAS_PROXIES))
        client_ip = place_of_scope(scope, settings.MAAS_PROXIES)
        self._handshakes.take(client_ip)
        tickets = parse_qs(scope["query_string"].decode("latin-1")).get("ticket")
        if tickets:
            return await self._by_ticket(tickets[0], client_ip, address_of_scope(scope, settings.MAAS_PROXIES))
        if header(scope, b"origin") is not None:
            identity = await self._sessions.identify(scope)
            if identity is not None:
                return Credential(identity, session_key_of(scope))
        raise NotSignedIn(HOW)

    async def _by_ticket(self, ticket: str, client_ip: str, address: str) -> Credential:
        held = await self._unknown_callers.redeem(
            client_ip, partial(redeem_ticket, ticket), lambda found: found is None
        )
        held = held and replace(held, address=address)
        # The key may have been revoked, or the session may have ended, since the ticket was issued.
        if held is None or not await self._threads.run(good_still, held):
            raise NotSignedIn(f"This ticket is invalid, used or older than a minute. {HOW}")
        return held


_DEFAULT_PORTS = {"http": 80, "https": 443}


def origin_allowed(origin: str, host: str, *, allowed_hosts: Sequence[str], trusted: Sequence[str]) -> bool:
    """Return True for trusted origins, and our own host under one of our names: an attacker's name may point here."""
    if origin in trusted:
        return True
    parts = urlsplit(origin)
    if parts.scheme not in _DEFAULT_PORTS or not parts.netloc:
        return False
    domain, _ = split_domain_port(host)
    if not domain or not validate_host(domain, list(allowed_hosts)):
        return False
    return _host_and_port(parts.netloc, parts.scheme) == _host_and_port(host, parts.scheme)


def _host_and_port(netloc: str, scheme: str) -> tuple[str, int]:
    domain, port = split_domain_port(netloc.lower())
    return domain, int(port) if port else _DEFAULT_PORTS[scheme]
