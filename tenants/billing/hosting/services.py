"""Charges each hour in which a version of an account's own model is in memory, once for all workers."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID, uuid5

from django.db import connections

from tenants.accounts.models import Tenant
from tenants.billing.ledger.included_units import Work
from tenants.billing.ledger.posting import Source
from tenants.billing.ledger.services import pay_at_once
from tenants.billing.usage.models import UsageRecord
from tenants.core.db.clock import database_now
from tenants.core.db.unit_of_work import current_alias, unit_of_work
from tenants.plans.prices import Price
from tenants.plans.selectors import terms_of

HOSTING = "hosting"
"""The kind of the source, in usage and in the ledger."""
_HOURS = UUID("5f1d6c1e-6f0a-4f0e-9a51-0c7b1f2d3e44")
_CLOSED = (Tenant.State.ERASING, Tenant.State.ERASED)


@dataclass(frozen=True, slots=True)
class HostedHour:
    """An hour that a version may be in memory now."""

    is_charged: bool
    """Whether it has a price. An hour without one is not recorded."""
    left_s: float
    """Seconds until the hour ends."""


@dataclass(frozen=True, slots=True)
class _Hour:
    tenant_id: UUID
    model: str
    version: int
    began: datetime

    @property
    def id(self) -> UUID:
        """Return the same id for the same hour in all workers. Numbers of versions are never used again."""
        return uuid5(_HOURS, f"{self.tenant_id} {self.model}@{self.version} {self.began:%Y-%m-%dT%H}")


def pay_hour(*, tenant_id: UUID, model: str, version: int) -> HostedHour:
    """Charge the present hour (UTC) of a version, unless it is charged already. Raises PaymentRequired.

    The record of the hour makes a second charge impossible. It is written in the transaction of the charge.
    """
    with unit_of_work(tenant_id):
        now = database_now()
        hour = now.replace(minute=0, second=0, microsecond=0)
        left_s = (hour + timedelta(hours=1) - now).total_seconds()
        agreed = None if _is_closed(tenant_id) else terms_of(tenant_id).prices.of_hosting(model)
        if agreed is None:
            return HostedHour(is_charged=False, left_s=left_s)
        _charge(_Hour(tenant_id, model, version, hour), agreed.price, now)
        return HostedHour(is_charged=True, left_s=left_s)


def _charge(hour: _Hour, price: Price, now: datetime) -> None:
    cost_micros = price.cost_micros(1)
    _, is_new = UsageRecord.objects.get_or_create(
        tenant_id=hour.tenant_id,
        source_kind=HOSTING,
        source_id=hour.id,
        meter=price.meter,
        defaults={
            "model": hour.model,
            "version": hour.version,
            "quantity": 1,
            "price": price.to_json(),
            "amount_micros": cost_micros,
            "currency": price.currency,
            "created_at": now,
        },
    )
    if is_new:
        day = hour.began.date()
        work = Work(hour.model, False, price, 1, cost_micros, day.replace(day=1))
        pay_at_once(Source(hour.tenant_id, HOSTING, hour.id, price.currency, day=day), cost_micros, lambda: [work])


def _is_closed(tenant_id: UUID) -> bool:
    """Return whether the account is being erased. Otherwise its erasure waits for the end of this transaction."""
    with connections[current_alias()].cursor() as cursor:
        cursor.execute("SELECT state FROM tenants_tenant WHERE id = %s FOR KEY SHARE", [tenant_id])
        found = cursor.fetchone()
    return found is None or found[0] in _CLOSED
