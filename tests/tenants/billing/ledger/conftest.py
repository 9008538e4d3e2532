"""A tenant's money as the tables have it, helpers that move it, and a caller who spends it."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
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
def threads() -> Iterator[DatabaseThreads]:
    threads = DatabaseThreads("till", 2)
    yield threads
    threads.close()


@pytest.fixture
def identity(tenant: CreatedTenant) -> Identity:
    """Return the identity as it is known a moment after there are terms."""
    return replace(identify_key(tenant.key.text), bounded=True)


@asynccontextmanager
async def tills(threads: DatabaseThreads, url: str = "") -> AsyncIterator[tuple[CallHolds, CallHolds]]:
    """Yield the tills of two processes."""
    url = url or settings.MAAS_REDIS_URL
    both = CallHolds(threads, url), CallHolds(threads, url)
    yield both
    for call_holds in both:
        await call_holds.close()
