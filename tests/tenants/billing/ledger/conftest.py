"""A tenant's money as the tables have it, helpers that move it, and a caller who spends it."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from typing import Any, TypeVar
from uuid import UUID

import pytest
from django.conf import settings
from django.db import transaction
from django.db.models import Sum

from tenants.authentication.selectors import identify_key
from tenants.billing.ledger.call_holds import CallHolds
from tenants.billing.ledger.models import Budget, LedgerEntry, LedgerTransaction, Wallet
from tenants.billing.ledger.posting import Source
from tenants.billing.ledger.terms import grant_credit, set_budget, set_terms
from tenants.core.asgi.threads import DatabaseThreads
from tenants.core.db.unit_of_work import OPERATOR, operator_work, unit_of_work
from tenants.core.ids import uuid7
from tenants.identity.identity import Identity
from tenants.onboarding.create_tenant import CreatedTenant

T = TypeVar("T")


@dataclass(frozen=True)
class Purse:
    tenant_id: UUID

    def prepaid(self, micros: int = 0, *, line: int = 0) -> None:
        with operator_work(), transaction.atomic(using=OPERATOR):
            set_terms(tenant_id=self.tenant_id, currency="EUR", kind="prepaid", credit_line_micros=line)
            if micros:
                self.grant(micros)

    def grant(self, micros: int, grant_id: UUID | None = None) -> None:
        with operator_work(), transaction.atomic(using=OPERATOR):
            grant_credit(
                tenant_id=self.tenant_id,
                currency="EUR",
                amount_micros=micros,
                reason="a test",
                made_by="operator@example.com",
                grant_id=grant_id,
            )

    def budget(self, micros: int | None, key_id: UUID | None = None) -> None:
        with operator_work(), transaction.atomic(using=OPERATOR):
            set_budget(tenant_id=self.tenant_id, currency="EUR", monthly_micros=micros, key_id=key_id)

    def source(self, key_id: UUID | None = None) -> Source:
        return Source(self.tenant_id, "job", uuid7(), "EUR", key_id)

    def stands(self) -> tuple[int, int]:
        """Return what the wallet says is available and held."""
        with unit_of_work(self.tenant_id):
            wallet = Wallet.objects.get(currency="EUR")
        return wallet.available_micros, wallet.held_micros

    def account(self, name: str) -> int:
        with unit_of_work(self.tenant_id):
            entries = LedgerEntry.objects.filter(account=name, currency="EUR")
            return int(entries.aggregate(sum=Sum("amount_micros"))["sum"] or 0)

    def kinds(self) -> list[str]:
        with unit_of_work(self.tenant_id):
            return list(LedgerTransaction.objects.order_by("id").values_list("kind", flat=True))

    def of_budget(self) -> tuple[int, int]:
        """Return what is used and held of the budget."""
        with unit_of_work(self.tenant_id):
            budget = Budget.objects.get()
        return budget.used_micros, budget.held_micros


@pytest.fixture
def purse(tenant: CreatedTenant) -> Purse:
    return Purse(tenant.tenant.id)


@pytest.fixture
def identity(tenant: CreatedTenant) -> Identity:
    """Return the identity as it is known a moment after there are terms."""
    return replace(identify_key(tenant.key.text), bounded=True)


def at_tills(
    work: Callable[[CallHolds, CallHolds], Coroutine[Any, Any, T]],
    url: str = "",
    threads: DatabaseThreads | None = None,
) -> T:
    """Do the work with the tills of two processes."""
    own = threads or DatabaseThreads("till", 2)

    async def do() -> T:
        one, other = (CallHolds(own, url or settings.MAAS_REDIS_URL) for _ in range(2))
        done = await work(one, other)
        await one.close()
        await other.close()
        return done

    try:
        return asyncio.run(do())
    finally:
        own.close()
