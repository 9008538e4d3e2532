"""Reads of a tenant's money, inside its unit of work."""

from collections import defaultdict
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q

from tenants.billing.ledger.models import Budget, Wallet
from tenants.billing.ledger.months import first_of_this_month
from tenants.billing.ledger.spendable import budget_key


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
