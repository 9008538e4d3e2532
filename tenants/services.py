"""Writes to tenants, members and keys."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Coalesce, Least, Now

from tenants.api_keys.format import new_key
from tenants.api_keys.hashing import stored_digest
from tenants.api_keys.restrictions import checked_models, checked_networks
from tenants.api_keys.selectors import working_keys
from tenants.audit.changes import changes_between
from tenants.audit.services import record
from tenants.core.db.clock import database_now
from tenants.core.db.unit_of_work import OPERATOR, current_alias, operator_work, unit_of_work
from tenants.core.errors import TooManyKeys
from tenants.core.ids import uuid7
from tenants.identity.identity import KEY_SCOPES, SCOPES, checked_scopes
from tenants.limits.rates.rates import NAMES
from tenants.models import ApiKey, Membership, Tenant, User
from tenants.plans.services import give_default_plan

MOST_WORKING_KEYS = 100
FENCES = ("for_models", "from_networks")


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
    created_by: UUID | None = None,
    replaces: ApiKey | None = None,
    for_models: Iterable[str] = (),
    from_networks: Iterable[str] = (),
) -> CreatedKey:
    """With the limits, the fences and the budgets of the one that it replaces. Raises TooManyKeys and FenceRefused."""
    parts = new_key(livemode=livemode)
    with transaction.atomic(using=current_alias()):
        _make_room_for_key(tenant_id)
        key = ApiKey.objects.create(
            tenant_id=tenant_id,
            public_id=parts.public_id,
            secret_hash=stored_digest(parts.secret),
            name=name,
            livemode=livemode,
            scopes=checked_scopes(scopes),
            expires_at=expires_at,
            created_by_id=created_by,
            replaces=replaces,
            budgets_of=(replaces.budgets_of or replaces.id) if replaces else None,
            **(
                {name: getattr(replaces, name) for name in (*FENCES, *NAMES)}
                if replaces
                else {
                    "for_models": checked_models(for_models),
                    "from_networks": checked_networks(from_networks),
                }
            ),
        )
        _told_of_key("key.rotated" if replaces else "key.created", key)
    return CreatedKey(key, parts.text)


_TOLD_OF_KEYS = ("name", "livemode", "scopes", "expires_at", *FENCES, *NAMES)


def _told_of_key(deed: str, key: ApiKey) -> None:
    made = {name: getattr(key, name) for name in _TOLD_OF_KEYS if getattr(key, name) not in (None, [])}
    made |= {"replaces": key.replaces.prefix} if key.replaces else {}
    record(
        tenant_id=key.tenant_id, deed=deed, subject_id=key.id, subject=key, changes=changes_between({}, made)
    )


def _make_room_for_key(tenant_id: UUID) -> None:
    """Whoever makes a key waits for who is making one: else two at once would both find the last place free."""
    Tenant.objects.select_for_update(no_key=True).filter(id=tenant_id).first()
    if working_keys().filter(tenant_id=tenant_id).count() >= MOST_WORKING_KEYS:
        raise TooManyKeys(
            f"This account has {MOST_WORKING_KEYS} working keys, which is the most. Revoke one first."
        )


def rotate_key(*, key_id: UUID, overlap: timedelta, created_by: UUID | None = None) -> CreatedKey | None:
    """A new key that may do the same; the old one works on for `overlap`, and never longer than it would have.

    None when there is no such key, or it works no more: there is nothing to take the place of. Raises TooManyKeys: for
    the time of the overlap both work.
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
    """Two people who rotate one key at once make one new key: the second sees the first one's once it has the lock."""
    key = working_keys().filter(id=key_id).select_for_update().first()
    return None if key is None or ApiKey.objects.filter(replaces=key).exists() else key


def _same_lifetime(old: ApiKey) -> datetime | None:
    """As long from now as the old key was given when it was made."""
    return database_now() + (old.expires_at - old.created_at) if old.expires_at else None


def revoke_key(*, key_id: UUID) -> bool:
    with transaction.atomic(using=current_alias()):
        revoked = bool(ApiKey.objects.filter(id=key_id, revoked_at=None).update(revoked_at=Now()))
        if revoked:
            key = ApiKey.objects.get(id=key_id)
            record(tenant_id=key.tenant_id, deed="key.revoked", subject_id=key.id, subject=key)
    return revoked


def keep_key_to(*, key_id: UUID, for_models: Iterable[str], from_networks: Iterable[str]) -> ApiKey | None:
    """Known everywhere within a second. None where no such key works. Raises FenceRefused."""
    wanted = {"for_models": checked_models(for_models), "from_networks": checked_networks(from_networks)}
    with transaction.atomic(using=current_alias()):
        key = working_keys().filter(id=key_id).select_for_update(no_key=True).first()
        if key is None:
            return None
        changes = changes_between({name: getattr(key, name) for name in FENCES}, wanted)
        if changes:
            key.for_models, key.from_networks = wanted["for_models"], wanted["from_networks"]
            key.save(update_fields=FENCES)
            record(
                tenant_id=key.tenant_id, deed="key.changed", subject_id=key.id, subject=key, changes=changes
            )
    return key


def set_tenant_state(*, tenant_id: UUID, state: Tenant.State) -> bool:
    """Whether that is news. Operators' work; known everywhere within a second."""
    with transaction.atomic(using=current_alias()):
        tenant = Tenant.objects.select_for_update(no_key=True).get(id=tenant_id)
        if tenant.state == Tenant.State.CLOSING:
            return _suspend_closing(tenant, state == Tenant.State.SUSPENDED)
        if tenant.state == state or tenant.state not in (Tenant.State.ACTIVE, Tenant.State.SUSPENDED):
            # Whose deletion was asked for is kept or erased, and nothing else.
            return False
        changes = changes_between({"state": tenant.state}, {"state": state})
        Tenant.objects.filter(id=tenant_id).update(state=state)
        deed = "tenant.activated" if state == Tenant.State.ACTIVE else "tenant.suspended"
        record(tenant_id=tenant_id, deed=deed, subject_id=tenant_id, subject=tenant.name, changes=changes)
    return True


def _suspend_closing(tenant: Tenant, suspended: bool) -> bool:
    """Its deletion goes on; whether anybody may look at it or keep it meanwhile is the operator's."""
    if tenant.suspended_closing == suspended:
        return False
    changes = changes_between({"suspended": tenant.suspended_closing}, {"suspended": suspended})
    Tenant.objects.filter(id=tenant.id).update(suspended_closing=suspended)
    deed = "tenant.suspended" if suspended else "tenant.activated"
    record(tenant_id=tenant.id, deed=deed, subject_id=tenant.id, subject=tenant.name, changes=changes)
    return True


def note_key_use(*, tenant_id: UUID, used_from: Mapping[UUID, str]) -> None:
    """Of this moment, by the database's clock, and by key from where. Whoever calls this does so at most once a minute
    for a key."""
    with unit_of_work(tenant_id):
        for key_id in sorted(used_from):
            ApiKey.objects.filter(id=key_id).update(last_used_at=Now(), last_used_from=used_from[key_id])


def create_tenant(
    *, name: str, email: str, password: str | None = None, tenant_id: UUID | None = None
) -> CreatedTenant:
    """A tenant with the plan for new ones, its owner (an existing person keeps their password) and a first key, which
    may do all that a key can."""
    with operator_work(), transaction.atomic(using=OPERATOR):
        tenant = Tenant.objects.create(id=tenant_id or uuid7(), name=name)
        owner = User.objects.filter(email=email.lower()).first()
        if owner is None:
            owner = User.objects.create_user(email, password)
        member = Membership.objects.create(tenant=tenant, user=owner, role=Membership.Role.OWNER)
        record(tenant_id=tenant.id, deed="tenant.created", subject_id=tenant.id, subject=name)
        told_of_member("member.added", member)
        give_default_plan(tenant_id=tenant.id)
        key = create_key(tenant_id=tenant.id, name="First key", scopes=KEY_SCOPES)
    return CreatedTenant(tenant, owner, key)


def told_of_member(deed: str, member: Membership) -> None:
    changes = changes_between({}, {"role": member.role})
    record(
        tenant_id=member.tenant_id,
        deed=deed,
        subject_id=member.id,
        subject=member.user.email,
        changes=changes,
    )


def create_operator(*, email: str, password: str) -> User:
    with operator_work():
        return User.objects.create_superuser(email, password)


def outdate_results(*, tenant_id: UUID) -> int:
    """No result that was kept for it until now is found any more, by anybody, a second later: only those of the
    generation that is given back, and of later ones.

    In the transaction of whoever calls: the tenant's own or an operator's.
    """
    found = Tenant.objects.filter(id=tenant_id)
    found.update(results_generation=F("results_generation") + 1)
    generation: int = found.values_list("results_generation", flat=True).get()
    return generation
