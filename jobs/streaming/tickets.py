"""One-use tickets for programs that can open a socket but cannot send a header with it."""

import hashlib
import json
import secrets
from functools import cache
from uuid import UUID

import redis
from django.conf import settings

from inference.core.prompt_redis import single_try
from jobs.core.errors import StorageUnavailable
from jobs.streaming.credentials import Credential
from tenants.authentication.selectors import effective_limits
from tenants.cells.tickets import marked
from tenants.identity.identity import Identity

LIFETIME_S = 60


@cache
def _connection() -> "redis.Redis":
    return single_try(settings.MAAS_REDIS_URL)


def _key(ticket: str) -> str:
    # Only the digest is stored, so that read access to Redis is not enough to use a ticket.
    return f"maas:ticket:{hashlib.sha256(ticket.encode()).hexdigest()}"


def _masked(session_key: bytes, ticket: str) -> bytes:
    """Mask or unmask the session key by a pad for one use: read access to Redis must not suffice."""
    pad = hashlib.shake_256(b"session:" + ticket.encode()).digest(len(session_key))
    return bytes(byte ^ other for byte, other in zip(session_key, pad, strict=True))


def issue_ticket(held: Credential) -> str:
    """Issue a ticket for one use within a minute, with the rights and the expiry of its credential."""
    ticket, identity = marked(secrets.token_urlsafe(32), settings.MAAS_CELL), held.identity
    stored = {
        "tenant": str(identity.tenant_id),
        "scopes": sorted(identity.scopes),
        "livemode": identity.livemode,
        "bounded": identity.bounded,
        "key": str(identity.key_id) if identity.key_id else None,
        "budgets": str(identity.budgets_of) if identity.budgets_of else None,
        "user": str(identity.user_id) if identity.user_id else None,
        "session": _masked(held.session_key.encode(), ticket).hex() if held.session_key else None,
    }
    try:
        _connection().set(_key(ticket), json.dumps(stored), ex=LIFETIME_S)
    except redis.RedisError as error:
        raise _unavailable() from error
    return ticket


def redeem_ticket(ticket: str) -> Credential | None:
    """Return the credential of the ticket, or None if the ticket was used, is too old or never existed."""
    try:
        stored = _connection().getdel(_key(ticket))
    except redis.RedisError as error:
        raise _unavailable() from error
    if stored is None:
        return None
    values = json.loads(stored)
    identity = Identity(
        tenant_id=UUID(values["tenant"]),
        limits=effective_limits(),
        scopes=frozenset(values["scopes"]),
        livemode=values["livemode"],
        bounded=values.get("bounded", True),
        key_id=UUID(values["key"]) if values["key"] else None,
        budgets_of=UUID(values["budgets"]) if values.get("budgets") else None,
        user_id=UUID(values["user"]) if values["user"] else None,
    )
    masked = values["session"]
    return Credential(identity, _masked(bytes.fromhex(masked), ticket).decode() if masked else None)


def _unavailable() -> StorageUnavailable:
    return StorageUnavailable("Tickets are temporarily unavailable. Try again.", extra={"retry_after_s": 1})
