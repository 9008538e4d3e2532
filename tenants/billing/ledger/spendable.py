"""Reads the amount that a caller may still spend in one currency."""

from collections.abc import Iterable
from uuid import UUID

from django.db import connections

from tenants.billing.ledger.headroom import BoundRow, Headrooms
from tenants.billing.ledger.posting import BUDGET_KEY, THIS_MONTH
from tenants.core.db.unit_of_work import current_alias

_BOUNDS = f"""
SELECT 'wallet', currency, CASE kind WHEN 'prepaid' THEN available_micros + credit_line_micros END
FROM tenants_wallet WHERE tenant_id = %(tenant)s
UNION ALL
SELECT CASE WHEN api_key_id IS NULL THEN 'tenant' ELSE 'key' END, currency,
       monthly_micros - held_micros - CASE WHEN month = {THIS_MONTH} THEN used_micros ELSE 0 END
FROM tenants_budget WHERE tenant_id = %(tenant)s AND (api_key_id IS NULL OR api_key_id = {BUDGET_KEY})
"""  # noqa: S608  # made of constants alone


def rooms_of(tenant_id: UUID, key_id: UUID | None, currency: str) -> Headrooms:
    """Return the headroom. Call it inside the tenant's unit of work."""
    with connections[current_alias()].cursor() as cursor:
        cursor.execute(_BOUNDS, {"tenant": tenant_id, "key": key_id})
        return Headrooms.of([BoundRow(*row) for row in cursor.fetchall()], currency)


def budget_keys(key_ids: Iterable[UUID]) -> dict[UUID, UUID]:
    """Return for each key the key whose budgets it uses. Call it inside the unit of work of their tenant or inside
    operator work.
    """
    wanted = sorted(set(key_ids))
    if not wanted:
        return {}
    with connections[current_alias()].cursor() as cursor:
        cursor.execute("SELECT key, maas_budget_key(key) FROM unnest(%s::uuid[]) key", [wanted])
        return dict(cursor.fetchall())


def budget_key(key_id: UUID | None) -> UUID | None:
    return None if key_id is None else budget_keys([key_id])[key_id]
