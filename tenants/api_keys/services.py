"""Writes to API keys: keys are created, rotated, revoked and restricted. Each write is recorded in the audit log."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import transaction
from django.db.models.functions import Coalesce, Least, Now

from tenants.api_keys.format import digest, new_key
from tenants.api_keys.models import ApiKey
from tenants.api_keys.restrictions import checked_models, checked_networks
from tenants.api_keys.selectors import working_keys
from tenants.audit.changes import changes_between
from tenants.audit.services import record
from tenants.core.db.clock import database_now
from tenants.core.db.tenant_owned import lock_tenant
from tenants.core.db.unit_of_work import current_alias, unit_of_work
from tenants.core.errors import TooManyKeys
from tenants.identity.identity import SCOPES, checked_scopes
from tenants.limits.rates.rates import NAMES

MAX_WORKING_KEYS = 100
RESTRICTIONS = ("allowed_models", "allowed_networks")


@dataclass(frozen=True)
class CreatedKey:
    """A new key with its full text. This is the only moment at which the full key exists outside the caller's hands."""

    key: ApiKey
    text: str


def stored_digest(secret: str) -> str:
    if not settings.MAAS_KEY_PEPPER:
        raise ImproperlyConfigured(
            "MAAS_KEY_PEPPER is not set: API keys would be hashed with nothing that is secret. "
            "Set it to a long random text, once and for ever; `make up` keeps one in MAAS_HOME/secrets.json."
        )
    return digest(secret, settings.MAAS_KEY_PEPPER)


def create_key(
    *,
    tenant_id: UUID,
    name: str,
    scopes: Iterable[str] = SCOPES,
    livemode: bool = True,
    expires_at: datetime | None = None,
    created_by: UUID | None = None,
    replaces: ApiKey | None = None,
    allowed_models: Iterable[str] = (),
    allowed_networks: Iterable[str] = (),
) -> CreatedKey:
    """Create a key, with limits, restrictions and budgets of the one it replaces.

    Raises TooManyKeys, InvalidRestriction.
    """
    parts = new_key(livemode=livemode, cell=settings.MAAS_CELL)
    with transaction.atomic(using=current_alias()):
        _make_room_for_key(tenant_id)
        key = ApiKey.objects.create(
            tenant_id=tenant_id,
            public_id=parts.public_id,
            cell=parts.cell,
            secret_hash=stored_digest(parts.secret),
            name=name,
            livemode=livemode,
            scopes=checked_scopes(scopes),
            expires_at=expires_at,
            created_by_id=created_by,
            replaces=replaces,
            budgets_of=(replaces.budgets_of or replaces.id) if replaces else None,
            **(
                {name: getattr(replaces, name) for name in (*RESTRICTIONS, *NAMES)}
                if replaces
                else {
                    "allowed_models": checked_models(allowed_models),
                    "allowed_networks": checked_networks(allowed_networks),
                }
            ),
        )
        _told_of_key("key.rotated" if replaces else "key.created", key)
    return CreatedKey(key, parts.text)


_TOLD_OF_KEYS = ("name", "livemode", "scopes", "expires_at", *RESTRICTIONS, *NAMES)


def _told_of_key(action: str, key: ApiKey) -> None:
    made = {name: getattr(key, name) for name in _TOLD_OF_KEYS if getattr(key, name) not in (None, [])}
    made |= {"replaces": key.replaces.prefix} if key.replaces else {}
    record(
        tenant_id=key.tenant_id,
        action=action,
        subject_id=key.id,
        subject=key,
        changes=changes_between({}, made),
    )


def _make_room_for_key(tenant_id: UUID) -> None:
    """Lock the tenant, so that two cannot both take the last slot, and require one more key. Raises TooManyKeys."""
    lock_tenant(tenant_id)
    if working_keys().filter(tenant_id=tenant_id).count() >= MAX_WORKING_KEYS:
        raise TooManyKeys(f"This account has {MAX_WORKING_KEYS} active keys, the maximum. Revoke one first.")


def rotate_key(*, key_id: UUID, overlap: timedelta, created_by: UUID | None = None) -> CreatedKey | None:
    """Create a new key with the same rights. The old one still works for `overlap`, but never longer than before.

    Return None if no such key works. Raises TooManyKeys, since both keys work during the overlap.
    """
    old = _working_key_locked(key_id)
    if old is None:
        return None
    _end_within(old, overlap)
    return create_key(
        tenant_id=old.tenant_id,
        name=old.name,
        scopes=old.scopes,
        livemode=old.livemode,
        expires_at=_same_lifetime(old),
        created_by=created_by,
        replaces=old,
    )


def _end_within(key: ApiKey, overlap: timedelta) -> None:
    if overlap <= timedelta(0):
        revoke_key(key_id=key.id)
    else:
        end = Least(Coalesce("expires_at", Now() + overlap), Now() + overlap)
        ApiKey.objects.filter(id=key.id).update(expires_at=end)


def _working_key_locked(key_id: UUID) -> ApiKey | None:
    """Lock and return a working key that was not replaced: of two rotations at once, the second finds none."""
    key = working_keys().filter(id=key_id).select_for_update().first()
    return None if key is None or ApiKey.objects.filter(replaces=key).exists() else key


def _same_lifetime(old: ApiKey) -> datetime | None:
    """Return an end that is as far from now as the old key's end was from its creation."""
    return database_now() + (old.expires_at - old.created_at) if old.expires_at else None


def revoke_key(*, key_id: UUID) -> bool:
    with transaction.atomic(using=current_alias()):
        revoked = bool(ApiKey.objects.filter(id=key_id, revoked_at=None).update(revoked_at=Now()))
        if revoked:
            key = ApiKey.objects.get(id=key_id)
            record(tenant_id=key.tenant_id, action="key.revoked", subject_id=key.id, subject=key)
    return revoked


def keep_key_to(*, key_id: UUID, allowed_models: Iterable[str], allowed_networks: Iterable[str]) -> ApiKey | None:
    """Restrict a key, everywhere within a second. Return None if no such key works. Raises InvalidRestriction."""
    wanted = {
        "allowed_models": checked_models(allowed_models),
        "allowed_networks": checked_networks(allowed_networks),
    }
    with transaction.atomic(using=current_alias()):
        key = working_keys().filter(id=key_id).select_for_update(no_key=True).first()
        if key is None:
            return None
        changes = changes_between({name: getattr(key, name) for name in RESTRICTIONS}, wanted)
        if changes:
            key.allowed_models, key.allowed_networks = wanted["allowed_models"], wanted["allowed_networks"]
            key.save(update_fields=RESTRICTIONS)
            record(tenant_id=key.tenant_id, action="key.changed", subject_id=key.id, subject=key, changes=changes)
    return key


def note_key_use(*, tenant_id: UUID, used_from: Mapping[UUID, str]) -> None:
    """Record the current time and client IP of each used key. Call this at most once a minute for a key."""
    with unit_of_work(tenant_id):
        for key_id in sorted(used_from):
            ApiKey.objects.filter(id=key_id).update(last_used_at=Now(), last_used_from=used_from[key_id])
