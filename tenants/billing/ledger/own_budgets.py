"""Budgets that an account sets for itself and its keys. They apply in addition to the operator's budgets."""

from uuid import UUID

from django.db import transaction

from tenants.api_keys.models import ApiKey
from tenants.audit.changes import changes_between
from tenants.audit.services import record
from tenants.billing.ledger.models import Budget
from tenants.billing.ledger.terms import set_budget
from tenants.core.db.unit_of_work import OPERATOR, operator_work
from tenants.plans.wording import money

MOST = 200
"""The most budgets of one account, over all keys and currencies."""


class BudgetRefused(ValueError):
    """The error for a refused budget. Its text is for the person who sent the request."""


def set_own_budget(
    *, tenant_id: UUID, currency: str, monthly_micros: int, key_id: UUID | None = None
) -> Budget | None:
    """Set the budget and replace an existing one. Raises BudgetRefused, InvalidTerms."""
    return _change(tenant_id, currency, monthly_micros, key_id)


def remove_own_budget(*, tenant_id: UUID, budget_id: UUID) -> bool:
    with operator_work():
        budget = Budget.objects.filter(tenant_id=tenant_id, id=budget_id, set_by=Budget.By.TENANT).first()
    if budget is None:
        return False
    _change(tenant_id, budget.currency, None, budget.api_key_id)
    return True


def _change(tenant_id: UUID, currency: str, monthly_micros: int | None, key_id: UUID | None) -> Budget | None:
    with operator_work(), transaction.atomic(using=OPERATOR):
        key = ApiKey.objects.filter(tenant_id=tenant_id, id=key_id).first() if key_id else None
        if key_id and key is None:
            raise BudgetRefused("API key not found.")
        key_id = (key.budgets_of or key.id) if key else None
        mine = Budget.objects.filter(tenant_id=tenant_id, set_by=Budget.By.TENANT)
        before = mine.filter(currency=currency, api_key_id=key_id).first()
        if before is None and monthly_micros is not None and mine.count() >= MOST:
            raise BudgetRefused(f"This account has {MOST} budgets, the maximum. Remove one first.")
        made = set_budget(
            tenant_id=tenant_id,
            currency=currency,
            monthly_micros=monthly_micros,
            key_id=key_id,
            set_by=Budget.By.TENANT,
        )
        record(
            tenant_id=tenant_id,
            action="budget.set" if made else "budget.removed",
            subject_id=key_id or "",
            subject=key or "the account",
            changes=changes_between({"monthly": _told(before)}, {"monthly": _told(made)}),
        )
    return made


def _told(budget: Budget | None) -> str | None:
    return money(budget.monthly_micros, budget.currency) if budget else None
