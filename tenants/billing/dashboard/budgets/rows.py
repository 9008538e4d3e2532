"""A budget as a row of the list. It makes no queries."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from tenants.billing.dashboard.money import shown_money
from tenants.billing.ledger.models import Budget

WHOLE = 100


@dataclass(frozen=True)
class BudgetRow:
    id: UUID
    of: str
    is_own: bool
    monthly: str
    used: str
    held: str
    percent: int
    """The percentage of the budget that is used or held, at most 100, for a bar."""

    @property
    def is_used_up(self) -> bool:
        return self.percent >= WHOLE


def budget_rows(budgets: Iterable[Budget], names: Mapping[UUID, str], month: date) -> list[BudgetRow]:
    """Return the rows: the account's budgets first, then those of keys by name."""
    rows = [_row(one, names, month) for one in budgets]
    return sorted(rows, key=lambda row: (row.of != _ACCOUNT, row.of.casefold(), row.is_own))


_ACCOUNT = "The whole account"


def _row(budget: Budget, names: Mapping[UUID, str], month: date) -> BudgetRow:
    used = budget.used_micros if budget.month == month else 0
    together = used + budget.held_micros
    return BudgetRow(
        id=budget.pk,
        of=names.get(budget.api_key_id, "Deleted key") if budget.api_key_id else _ACCOUNT,
        is_own=budget.set_by == Budget.By.TENANT,
        monthly=shown_money(budget.monthly_micros, budget.currency),
        used=shown_money(used, budget.currency),
        held=shown_money(budget.held_micros, budget.currency) if budget.held_micros else "",
        percent=min(WHOLE, together * WHOLE // budget.monthly_micros) if budget.monthly_micros else WHOLE,
    )
