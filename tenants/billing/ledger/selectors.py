"""Reads of a tenant's money, inside its unit of work."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from django.db import connections
from django.db.models import Q

from tenants.billing.ledger.headroom import BoundRow, Headrooms
from tenants.billing.ledger.models import Budget, Wallet
from tenants.billing.ledger.posting import BUDGET_KEY, THIS_MONTH, first_of_this_month
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
    """Return for each key the key whose budgets it uses. Call it in their tenant's unit of work or operator work."""
    wanted = sorted(set(key_ids))
    if not wanted:
        return {}
    with connections[current_alias()].cursor() as cursor:
        cursor.execute("SELECT key, maas_budget_key(key) FROM unnest(%s::uuid[]) key", [wanted])
        return dict(cursor.fetchall())


def budget_key(key_id: UUID | None) -> UUID | None:
    return None if key_id is None else budget_keys([key_id])[key_id]


@dataclass(frozen=True)
class BudgetNow:
    of: str
    set_by: str
    monthly_micros: int
    used_micros: int
    held_micros: int

    @property
    def left_micros(self) -> int:
        return max(0, self.monthly_micros - self.used_micros - self.held_micros)


@dataclass(frozen=True)
class Balance:
    wallet: Wallet
    budgets: list[BudgetNow]


def balances(key_id: UUID | None = None) -> list[Balance]:
    """Return the balance in each currency, with the account's budgets and those of this key, but of no other key."""
    budgets: dict[str, list[BudgetNow]] = defaultdict(list)
    month = first_of_this_month()
    for budget in Budget.objects.filter(Q(api_key_id=None) | Q(api_key_id=budget_key(key_id))).order_by(
        "set_at"
    ):
        used = budget.used_micros if budget.month == month else 0
        now = BudgetNow(budget.of, budget.set_by, budget.monthly_micros, used, budget.held_micros)
        budgets[budget.currency].append(now)
    return [Balance(wallet, budgets[wallet.currency]) for wallet in Wallet.objects.order_by("currency")]
