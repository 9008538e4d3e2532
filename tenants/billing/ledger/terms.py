"""Payment terms, monthly budgets and credit of a tenant. Operators write them, and owners write budgets."""

from collections.abc import Mapping
from uuid import UUID

from django.db import connections, transaction
from django.db.models import Sum

from tenants.api_keys.models import ApiKey
from tenants.audit.changes import changes_between
from tenants.audit.services import record
from tenants.billing.ledger import postings
from tenants.billing.ledger.errors import InvalidTerms
from tenants.billing.ledger.models import Budget, LedgerEntry, Wallet
from tenants.billing.ledger.posting import Source, first_of_this_month, locked_wallet, post
from tenants.billing.ledger.selectors import budget_key
from tenants.core.db.unit_of_work import OPERATOR, current_alias, operator_work
from tenants.core.ids import uuid7
from tenants.core.messages import one_of
from tenants.plans.wording import money

MAX_MICROS = 10**15
"""The largest amount: a thousand million in any currency. A larger one is taken for a typing error."""
GRANTED = "grant"
_TERMS = ("kind", "credit_line_micros")
LONGEST_REASON = 200

# This sums up holds that are not settled yet.
_HELD = """
SELECT coalesce(sum(e.amount_micros), 0)::bigint
FROM tenants_ledgertransaction t JOIN tenants_ledgerentry e ON e.transaction_id = t.id AND e.account = 'held'
WHERE t.tenant_id = %(tenant)s AND t.kind = 'hold' AND t.currency = %(currency)s
  AND (%(keys)s::uuid[] IS NULL OR t.api_key_id = ANY (%(keys)s::uuid[]))
  AND NOT EXISTS (
    SELECT FROM tenants_ledgertransaction s
    WHERE s.tenant_id = t.tenant_id AND s.source_kind = t.source_kind AND s.source_id = t.source_id
      AND s.kind IN ('charge', 'release')
  )
"""


def set_terms(*, tenant_id: UUID, currency: str, kind: str, credit_line_micros: int = 0) -> Wallet:
    """Set the terms from now on. Work in progress without a hold is charged at its end as far as there is money for it.

    A tenant that becomes prepaid in one currency becomes prepaid in all currencies used before, so that it cannot run
    up a debt beside a balance.
    """
    _check_currency(currency)
    if kind not in Wallet.Kind.values:
        raise InvalidTerms(f"Unknown payment terms {kind!r}. Use {one_of(Wallet.Kind.values)}.")
    if not 0 <= credit_line_micros <= MAX_MICROS:
        raise InvalidTerms(f"A credit line of {credit_line_micros} micros is not between 0 and {MAX_MICROS}.")
    wallet = locked_wallet(tenant_id, currency)
    before = {name: getattr(wallet, name) for name in _TERMS}
    wallet.kind, wallet.credit_line_micros = kind, credit_line_micros
    wallet.save(update_fields=_TERMS)
    _tell("wallet.terms_set", wallet, before, {name: getattr(wallet, name) for name in _TERMS})
    if kind == Wallet.Kind.PREPAID != before["kind"]:
        for other in Wallet.objects.filter(tenant_id=tenant_id, kind=Wallet.Kind.INVOICED).order_by("currency"):
            set_terms(tenant_id=tenant_id, currency=other.currency, kind=kind)
    return wallet


def _tell(
    action: str, wallet: Wallet, before: Mapping[str, object], after: Mapping[str, object], note: str = ""
) -> None:
    """Record the differences in the account's own log."""
    changes = changes_between(before, after)
    if changes:
        record(
            tenant_id=wallet.tenant_id,
            action=action,
            subject_id=wallet.pk,
            subject=wallet.currency,
            changes=changes,
            note=note,
        )


def grant_credit(
    *,
    tenant_id: UUID,
    currency: str,
    amount_micros: int,
    reason: str,
    made_by: str,
    grant_id: UUID | None = None,
) -> None:
    """Grant credit, or take it back if the amount is negative. With an id it is granted once."""
    _check_currency(currency)
    if not amount_micros or abs(amount_micros) > MAX_MICROS:
        raise InvalidTerms(
            f"{amount_micros} micros cannot be granted. Use a number other than 0, at most {MAX_MICROS}."
        )
    if not 1 <= len(reason.strip()) <= LONGEST_REASON:
        raise InvalidTerms(f"Enter a reason of 1 to {LONGEST_REASON} characters for the credit.")
    source = Source(tenant_id, GRANTED, grant_id or uuid7(), currency, reason=reason.strip(), made_by=made_by)
    wallet = locked_wallet(tenant_id, currency)
    given = LedgerEntry.objects.filter(
        tenant_id=tenant_id,
        transaction__source_kind=GRANTED,
        transaction__source_id=source.id,
        account=postings.CREDIT,
    ).first()
    if given is None:
        post(source, postings.grant(amount_micros))
        _tell("wallet.credited", wallet, {}, {"amount_micros": amount_micros}, note=source.reason)
    elif (given.currency, given.amount_micros) != (currency, amount_micros):
        raise InvalidTerms(
            f"{given.amount_micros} micros of {given.currency} were already granted with this form. Reload the page to "
            "grant another amount."
        )


def set_budget(
    *,
    tenant_id: UUID,
    currency: str,
    monthly_micros: int | None,
    key_id: UUID | None = None,
    set_by: str = Budget.By.OPERATOR,
) -> Budget | None:
    """Set the budget, or remove it if the amount is None. Usage of the month from before it was set counts."""
    _check_currency(currency)
    if monthly_micros is not None and not 0 <= monthly_micros <= MAX_MICROS:
        raise InvalidTerms(f"A budget of {monthly_micros} micros is not between 0 and {MAX_MICROS}.")
    locked_wallet(tenant_id, currency)
    key_id = budget_key(key_id)
    found = Budget.objects.filter(tenant_id=tenant_id, currency=currency, api_key_id=key_id, set_by=set_by)
    if monthly_micros is None:
        found.delete()
        return None
    budget = found.first() or Budget(
        tenant_id=tenant_id,
        currency=currency,
        api_key_id=key_id,
        set_by=set_by,
        month=first_of_this_month(),
        used_micros=_used(tenant_id, currency, key_id),
        held_micros=_held(tenant_id, currency, key_id),
    )
    budget.monthly_micros = monthly_micros
    budget.save()
    return budget


def _used(tenant_id: UUID, currency: str, key_id: UUID | None) -> int:
    """Return the amount charged this month."""
    charges = LedgerEntry.objects.filter(
        tenant_id=tenant_id,
        currency=currency,
        account__in=(postings.REVENUE, postings.UNCOLLECTED),
        transaction__kind=postings.CHARGE,
        transaction__day__gte=first_of_this_month(),
    )
    if key_id is not None:
        charges = charges.filter(transaction__api_key_id__in=_sharing(tenant_id, key_id))
    return int(charges.aggregate(sum=Sum("amount_micros"))["sum"] or 0)


def _held(tenant_id: UUID, currency: str, key_id: UUID | None) -> int:
    with connections[current_alias()].cursor() as cursor:
        keys = None if key_id is None else _sharing(tenant_id, key_id)
        cursor.execute(_HELD, {"tenant": tenant_id, "currency": currency, "keys": keys})
        return int(cursor.fetchone()[0])


def _sharing(tenant_id: UUID, key_id: UUID) -> list[UUID]:
    """Return the key and all keys that replaced it."""
    with connections[current_alias()].cursor() as cursor:
        cursor.execute("SELECT id FROM tenants_apikey WHERE tenant_id = %s AND budgets_of = %s", [tenant_id, key_id])
        return [key_id, *(found for (found,) in cursor.fetchall())]


def _check_currency(currency: str) -> None:
    if not (len(currency) == 3 and currency.isascii() and currency.isalpha() and currency.isupper()):
        raise InvalidTerms(f"{currency[:20]!r} is not a currency. Use three capital letters, such as EUR.")


MAX_OWN_BUDGETS = 200
"""The most budgets of one account, over all keys and currencies."""


class BudgetRefused(ValueError):
    """The error for a refused budget. Its text is for the person who sent the request."""


def remove_own_budget(*, tenant_id: UUID, budget_id: UUID) -> bool:
    with operator_work():
        budget = Budget.objects.filter(tenant_id=tenant_id, id=budget_id, set_by=Budget.By.TENANT).first()
    if budget is None:
        return False
    set_own_budget(tenant_id=tenant_id, currency=budget.currency, monthly_micros=None, key_id=budget.api_key_id)
    return True


def set_own_budget(
    *, tenant_id: UUID, currency: str, monthly_micros: int | None, key_id: UUID | None = None
) -> Budget | None:
    """Set or replace the budget, or remove it if the amount is None. Raises BudgetRefused, InvalidTerms."""
    with operator_work(), transaction.atomic(using=OPERATOR):
        key = ApiKey.objects.filter(tenant_id=tenant_id, id=key_id).first() if key_id else None
        if key_id and key is None:
            raise BudgetRefused("API key not found.")
        key_id = (key.budgets_of or key.id) if key else None
        mine = Budget.objects.filter(tenant_id=tenant_id, set_by=Budget.By.TENANT)
        before = mine.filter(currency=currency, api_key_id=key_id).first()
        if before is None and monthly_micros is not None and mine.count() >= MAX_OWN_BUDGETS:
            raise BudgetRefused(f"This account has {MAX_OWN_BUDGETS} budgets, the maximum. Remove one first.")
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
