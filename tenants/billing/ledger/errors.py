"""Errors for refusals because of money. They state exact amounts and say what to do."""

from tenants.core.errors import DomainError
from tenants.plans.wording import money


class InvalidTerms(ValueError):
    """The error for invalid terms of an account or a grant. It is for operators and never shown to callers."""


class PaymentRequired(DomainError):
    """The error for a tenant that cannot pay. No other refusal is kept as the response to its Idempotency-Key."""


class InsufficientFunds(PaymentRequired):
    code = "insufficient_funds"
    gate = "wallet"


class BudgetExhausted(PaymentRequired):
    code = "budget_exhausted"
    gate = "budget"


def insufficient_funds(*, currency: str, needed_micros: int, spendable_micros: int) -> InsufficientFunds:
    return InsufficientFunds(
        f"This needs {money(needed_micros, currency)}, and the account can spend {money(spendable_micros, currency)}. "
        "Ask the operator of this service for credit, or wait until running work has ended and its unused reservation "
        "is released. Then send the request with a new Idempotency-Key.",
        extra={
            "currency": currency,
            "needed_micros": needed_micros,
            "available_micros": spendable_micros,
        },
    )


def budget_exhausted(
    *, scope: str, currency: str, needed_micros: int, monthly_micros: int, left_micros: int
) -> BudgetExhausted:
    whose = "This key" if scope == "key" else "This account"
    return BudgetExhausted(
        f"This needs {money(needed_micros, currency)}. {whose} may spend {money(monthly_micros, currency)} per month, "
        f"of which {money(left_micros, currency)} is left. Raise the budget, or wait for the first of the month (UTC). "
        "Then send the request with a new Idempotency-Key.",
        extra={
            "currency": currency,
            "needed_micros": needed_micros,
            "available_micros": left_micros,
            "budget": {"scope": scope, "monthly_micros": monthly_micros},
        },
    )
