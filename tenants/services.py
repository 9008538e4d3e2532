"""Writes to tenants, members and keys."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from tenants.context import OPERATOR, operator_work
from tenants.identity import SCOPES, checked_scopes
from tenants.key_hashing import stored_digest
from tenants.keys import new_key
from tenants.models import ApiKey, Membership, Tenant, User


@dataclass(frozen=True)
class CreatedKey:
    """The only moment at which the whole key exists outside the caller's hands."""

    key: ApiKey
    text: str


@dataclass(frozen=True)
class CreatedTenant:
    tenant: Tenant
    owner: User
    key: CreatedKey


def create_key(
    *,
    tenant_id: UUID,
    name: str,
    scopes: Iterable[str] = SCOPES,
    livemode: bool = True,
    expires_at: datetime | None = None,
) -> CreatedKey:
    parts = new_key(livemode=livemode)
    key = ApiKey.objects.create(
        tenant_id=tenant_id,
        public_id=parts.public_id,
        secret_hash=stored_digest(parts.secret),
        name=name,
        livemode=livemode,
        scopes=checked_scopes(scopes),
        expires_at=expires_at,
    )
    return CreatedKey(key, parts.text)


def revoke_key(*, key_id: UUID) -> bool:
    return bool(ApiKey.objects.filter(id=key_id, revoked_at=None).update(revoked_at=timezone.now()))


def create_tenant(*, name: str, email: str, password: str | None = None) -> CreatedTenant:
    """A tenant, its owner (an existing person keeps their password) and a first key."""
    with operator_work(), transaction.atomic(using=OPERATOR):
        tenant = Tenant.objects.create(name=name)
        owner = User.objects.filter(email=email.lower()).first()
        if owner is None:
            owner = User.objects.create_user(email, password)
        Membership.objects.create(tenant=tenant, user=owner, role=Membership.Role.OWNER)
        key = create_key(tenant_id=tenant.id, name="First key")
    return CreatedTenant(tenant, owner, key)


def create_operator(*, email: str, password: str) -> User:
    with operator_work():
        return User.objects.create_superuser(email, password)
