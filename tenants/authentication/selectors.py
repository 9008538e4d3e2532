"""Reads that must work before a tenant is known. They use functions that reveal one row and no more."""

import hmac
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from math import inf
from uuid import UUID

from django.conf import settings
from django.db import connections

from tenants.accounts.models import Tenant
from tenants.api_keys.format import parse_key
from tenants.api_keys.models import ApiKey
from tenants.api_keys.services import stored_digest
from tenants.core.db.unit_of_work import APP, unit_of_work
from tenants.core.errors import InvalidKey, KeyEnded, NotAMember, TenantClosing, TenantSuspended
from tenants.identity.identity import Identity, Scope, closing_extra, closing_words
from tenants.identity.roles import scopes_of
from tenants.limits.effective import EffectiveLimits
from tenants.limits.models import ModelLimit
from tenants.limits.quota.wording import MB
from tenants.limits.rates.limits import CallerLimits, caller_limits
from tenants.limits.rates.rates import NAMES, Rates
from tenants.plans.agreed import AgreedPrices
from tenants.plans.selectors import terms_of


@dataclass(frozen=True)
class OwnLimits:
    """The limits that were set for a tenant, its plan, a key and its use of models; empty if nothing was set."""

    tenant: Mapping[str, int | None]
    plan: Mapping[str, int | None]
    key: Mapping[str, int | None]
    models: Mapping[str, Mapping[str, int | None]]
    prices: AgreedPrices

    @classmethod
    def read(cls, text: str) -> "OwnLimits":
        found = json.loads(text)
        plan, key, models = (found.get(of) or {} for of in ("plan", "key", "models"))
        return cls(found["tenant"], plan, key, models, AgreedPrices.read(found.get("prices") or ()))

    def effective(self) -> EffectiveLimits:
        limits = effective_limits()
        jobs, model_mb = self._nearest("unfinished_jobs"), self._nearest("own_model_mb")
        if jobs is not None:
            limits = replace(limits, unfinished_jobs=jobs or None)
        return limits if model_mb is None else replace(limits, own_model_bytes=model_mb * MB)

    def _nearest(self, name: str) -> int | None:
        own = self.tenant.get(name)
        return self.plan.get(name) if own is None else own

    def rates(self, tenant_id: UUID, key_id: UUID | None = None) -> CallerLimits:
        return caller_limits(
            tenant_id,
            Rates.chosen(self.tenant, Rates.chosen(self.plan, installation_rates())),
            key_id=key_id,
            key=Rates.read(self.key),
            models={name: Rates.read(written) for name, written in self.models.items()},
        )


@dataclass(frozen=True)
class MembershipRow:
    tenant_id: UUID
    tenant_name: str
    tenant_state: str
    role: str
    limits: str
    """The `OwnLimits` as JSON."""


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
    limits: str
    allowed_models: list[str]
    allowed_networks: list[str]
    bounded: bool
    budgets_of: UUID
    lasts_s: float | None


def effective_limits() -> EffectiveLimits:
    """Return the limits of the installation."""
    return EffectiveLimits(
        upload_bytes=settings.MAAS_MAX_UPLOAD_BYTES,
        document_pages=settings.MAAS_MAX_PAGES,
        page_pixels=settings.MAAS_MAX_PAGE_PIXELS,
        inline_bytes=settings.MAAS_MAX_INLINE_BYTES,
        own_model_bytes=settings.MAAS_OWN_MODEL_MB * MB,
        unfinished_jobs=settings.MAAS_UNFINISHED_JOBS or None,
    )


def installation_rates() -> Rates:
    return Rates(
        requests_per_minute=settings.MAAS_REQUESTS_PER_MINUTE or None,
        tokens_per_minute=settings.MAAS_TOKENS_PER_MINUTE or None,
        pages_per_minute=settings.MAAS_PAGES_PER_MINUTE or None,
        calls_at_once=settings.MAAS_CALLS_AT_ONCE or None,
    )


def identify_key(text: str) -> Identity:
    """Return the caller with an API key. Raises an error that says why there is none."""
    parts = parse_key(text)
    if parts is None:
        raise InvalidKey("This is not an API key of this service. Check that you copied all of it.")
    row = _key_row(parts.public_id)
    expected = row.secret_hash if row else stored_digest("")
    matches = hmac.compare_digest(expected, stored_digest(parts.secret))
    if row is None or not matches:
        raise InvalidKey("Unknown API key. It may have been deleted. Create a new key.")
    _require_working(row)
    _require_active(row.tenant_id, row.tenant_state)
    own = OwnLimits.read(row.limits)
    return Identity(
        tenant_id=row.tenant_id,
        limits=own.effective(),
        scopes=frozenset(row.scopes),
        livemode=row.livemode,
        key_id=row.id,
        budgets_of=row.budgets_of,
        rates=own.rates(row.tenant_id, row.id),
        prices=own.prices,
        models=tuple(row.allowed_models),
        networks=tuple(row.allowed_networks),
        bounded=row.bounded,
        lasts_s=inf if row.lasts_s is None else row.lasts_s,
    )


def acting_for(tenant_id: UUID, *, key_id: UUID | None, livemode: bool, scopes: Iterable[Scope]) -> Identity:
    """Return an identity, with the current limits, for accepted work that continues without its caller."""
    with unit_of_work(tenant_id):
        tenant = Tenant.objects.values(*NAMES, "unfinished_jobs", "own_model_mb").get(id=tenant_id)
        key = (
            ApiKey.objects.filter(id=key_id).values(*NAMES, "allowed_models", "budgets_of").first() if key_id else None
        )
        models = {row["model"]: row for row in ModelLimit.objects.values("model", *NAMES)}
        terms = terms_of(tenant_id)
    own = OwnLimits(tenant, terms.plan, {name: key[name] for name in NAMES} if key else {}, models, terms.prices)
    return Identity(
        tenant_id=tenant_id,
        limits=own.effective(),
        scopes=frozenset(scopes),
        livemode=livemode,
        key_id=key_id,
        budgets_of=key["budgets_of"] if key else None,
        rates=own.rates(tenant_id, key_id),
        prices=own.prices,
        models=tuple(key["allowed_models"]) if key else (),
    )


def results_generation(tenant_id: UUID) -> int:
    """Return the current generation of results. Stored results of an earlier generation are erased."""
    with unit_of_work(tenant_id):
        found: int = Tenant.objects.values_list("results_generation", flat=True).get(id=tenant_id)
        return found


def memberships_of(user_id: UUID) -> list[MembershipRow]:
    with connections[APP].cursor() as cursor:
        cursor.execute(
            "SELECT tenant_id, tenant_name, tenant_state, role, limits::text FROM maas_memberships_of(%s)",
            [user_id],
        )
        return [MembershipRow(*row) for row in cursor.fetchall()]


def identify_member(user_id: UUID, tenant_id: UUID | None = None) -> Identity | None:
    """Return a person's identity for the tenant they chose, or their first. Raises NotAMember if they left it."""
    return member_of(memberships_of(user_id), user_id, tenant_id)


def member_of(rows: Sequence[MembershipRow], user_id: UUID, tenant_id: UUID | None = None) -> Identity | None:
    if not rows:
        return None
    row = next((row for row in rows if tenant_id in (row.tenant_id, None)), None)
    if row is None:
        raise NotAMember("You were removed from this account. Choose another account.")
    closes_at = closing_of(row.tenant_id) if row.tenant_state == Tenant.State.CLOSING else None
    if closes_at is None:
        _require_active(row.tenant_id, row.tenant_state)
    scopes = scopes_of(row.role)
    own = OwnLimits.read(row.limits)
    return Identity(
        tenant_id=row.tenant_id,
        limits=own.effective(),
        scopes=scopes if closes_at is None else frozenset(scope for scope in scopes if scope.endswith(":read")),
        closes_at=closes_at,
        user_id=user_id,
        tenant_name=row.tenant_name,
        rates=own.rates(row.tenant_id),
        prices=own.prices,
    )


def _key_row(public_id: str) -> _KeyRow | None:
    with connections[APP].cursor() as cursor:
        cursor.execute(
            "SELECT id, tenant_id, secret_hash, livemode, scopes, expired, revoked_at, tenant_state, limits::text,"
            " (maas_key_restrictions(id)).*, maas_money_is_bounded(tenant_id, id), maas_budget_key(id),"
            " maas_key_lasts_s(tenant_id, id)"
            " FROM maas_api_key(%s)",
            [public_id],
        )
        row = cursor.fetchone()
    return _KeyRow(*row) if row else None


def _require_working(row: _KeyRow) -> None:
    """Require that the key works, after its secret matched: the refusal names the owner. Raises KeyEnded."""
    if row.revoked_at is not None:
        code, detail = "api_key_revoked", "This API key was revoked. Create a new key."
    elif row.expired:
        code, detail = "api_key_expired", "This API key has expired. Create a new key."
    else:
        return
    raise KeyEnded(detail, code=code, tenant_id=row.tenant_id, key_id=row.id)


def _require_active(tenant_id: UUID, tenant_state: str) -> None:
    match tenant_state:
        case Tenant.State.ACTIVE:
            return
        case Tenant.State.CLOSING if closes_at := closing_of(tenant_id):
            raise TenantClosing(closing_words(closes_at), extra=closing_extra(closes_at))
        case Tenant.State.ERASING | Tenant.State.ERASED:
            raise TenantClosing("This account is deleted. Its data is deleted or will be deleted soon.")
    raise TenantSuspended("This account is suspended. Contact the operator of this service.")


def closing_of(tenant_id: UUID) -> datetime | None:
    """Return the time at which the tenant is erased, or None if no deletion was requested or it was canceled."""
    with connections[APP].cursor() as cursor:
        cursor.execute("SELECT maas_closes_at(%s)", [tenant_id])
        found: datetime | None = cursor.fetchone()[0]
    return found
