"""Reads that must work before a tenant is known, through functions that reveal one row and no more."""

import hmac
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db import connections

from tenants.context import APP
from tenants.errors import InvalidKey, TenantSuspended
from tenants.identity import Identity, all_scopes
from tenants.key_hashing import stored_digest
from tenants.keys import parse_key
from tenants.limits import EffectiveLimits
from tenants.models import Membership, Tenant


@dataclass(frozen=True)
class MembershipRow:
    tenant_id: UUID
    tenant_name: str
    tenant_state: str
    role: str


@dataclass(frozen=True)
class _KeyRow:
    id: UUID
    tenant_id: UUID
    secret_hash: str
    livemode: bool
    scopes: list[str]
    expired: bool
    revoked_at: datetime | None
    tenant_state: str


def effective_limits() -> EffectiveLimits:
    """The installation's own limits; plans and tenants will tighten them."""
    return EffectiveLimits(
        upload_bytes=settings.MAAS_MAX_UPLOAD_BYTES,
        document_pages=settings.MAAS_MAX_PAGES,
        page_pixels=settings.MAAS_MAX_PAGE_PIXELS,
        inline_bytes=settings.MAAS_MAX_INLINE_BYTES,
    )


def identify_key(text: str) -> Identity:
    """The caller behind an API key, or the reason why there is none."""
    parts = parse_key(text)
    if parts is None:
        raise InvalidKey("This is not an API key of this service: check that it was copied whole.")
    row = _key_row(parts.public_id)
    known = row.secret_hash if row else stored_digest("")
    matches = hmac.compare_digest(known, stored_digest(parts.secret))
    if row is None or not matches:
        raise InvalidKey("This API key is not known: it may have been deleted. Create a new one.")
    if row.revoked_at is not None:
        raise InvalidKey("This API key was revoked. Create a new one.", code="api_key_revoked")
    if row.expired:
        raise InvalidKey("This API key has expired. Create a new one.", code="api_key_expired")
    _require_active(row.tenant_state)
    return Identity(
        tenant_id=row.tenant_id,
        limits=effective_limits(),
        scopes=frozenset(row.scopes),
        livemode=row.livemode,
        key_id=row.id,
    )


def memberships_of(user_id: UUID) -> list[MembershipRow]:
    with connections[APP].cursor() as cursor:
        cursor.execute(
            "SELECT tenant_id, tenant_name, tenant_state, role FROM maas_memberships_of(%s)", [user_id]
        )
        return [MembershipRow(*row) for row in cursor.fetchall()]


def identify_member(user_id: UUID, tenant_id: UUID | None = None) -> Identity | None:
    """A signed-in person acting for one of their tenants (the first, unless one is named)."""
    rows = [row for row in memberships_of(user_id) if tenant_id in (None, row.tenant_id)]
    if not rows:
        return None
    row = rows[0]
    _require_active(row.tenant_state)
    scopes = all_scopes()
    if row.role in {Membership.Role.VIEWER, Membership.Role.BILLING}:
        scopes = frozenset(scope for scope in scopes if scope.endswith(":read"))
    return Identity(tenant_id=row.tenant_id, limits=effective_limits(), scopes=scopes, user_id=user_id)


def _key_row(public_id: str) -> _KeyRow | None:
    with connections[APP].cursor() as cursor:
        cursor.execute(
            "SELECT id, tenant_id, secret_hash, livemode, scopes, expired, revoked_at, tenant_state"
            " FROM maas_api_key(%s)",
            [public_id],
        )
        row = cursor.fetchone()
    return _KeyRow(*row) if row else None


def _require_active(tenant_state: str) -> None:
    if tenant_state != Tenant.State.ACTIVE:
        raise TenantSuspended("This account is suspended. Write to the operator of this service.")
