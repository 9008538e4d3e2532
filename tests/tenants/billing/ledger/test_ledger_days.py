"""Tests the sums of a wallet's entries by day, and that the nightly check, which reads them, misses no entry."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from uuid import UUID

import pytest
from django.db import connections, transaction

from jobs.charges.reconciling import reconcile, reconcile_tonight
from tenants.billing.ledger import postings
from tenants.billing.ledger.check_scope import PARTS, CheckScope, Open, tonight
from tenants.billing.ledger.checks import Compared
from tenants.billing.ledger.models import LedgerDay, LedgerDifference
from tenants.billing.ledger.posting import Source, open_wallet, post
from tenants.billing.ledger.reconciling import compare_ledger, scope_of_tonight
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.core.ids import uuid7
from tenants.onboarding.create_tenant import CreatedTenant

TODAY = datetime.now(UTC).date()
LONG_AGO = TODAY - timedelta(days=100)


def spend(tenant_id: UUID, day: date, micros: int = 500) -> UUID:
    """Charge an amount on a day, and return the id of its source."""
    source = Source(tenant_id, "job", uuid7(), "EUR", day=day)
    with unit_of_work(tenant_id):
        open_wallet(tenant_id, "EUR")
        assert post(source, postings.settlement(held_micros=0, cost_micros=micros, collected_micros=micros))
    return source.id


@contextmanager
def _past_all_guards() -> Iterator[None]:
    """Let the operator change entries, which the product lets nobody do."""
    with connections["owner"].cursor() as cursor:
        cursor.execute("ALTER TABLE tenants_ledgerentry DISABLE TRIGGER keep_entries")
        cursor.execute("GRANT UPDATE, DELETE ON tenants_ledgerentry TO maas_operator")
        yield
        cursor.execute("REVOKE UPDATE, DELETE ON tenants_ledgerentry FROM maas_operator")
        cursor.execute("ALTER TABLE tenants_ledgerentry ENABLE TRIGGER keep_entries")


def tamper(source_id: UUID, sql: str) -> None:
    with _past_all_guards(), operator_work(), connections["operator"].cursor() as cursor:
        entries = "(SELECT id FROM tenants_ledgertransaction WHERE source_id = %s)"
        cursor.execute(sql.format(entries=f"transaction_id IN {entries} AND account = 'credit'"), [source_id])


TAMPERED = {
    "changed": "UPDATE tenants_ledgerentry SET amount_micros = amount_micros + 7 WHERE {entries}",
    "moved": "UPDATE tenants_ledgerentry SET account = 'uncollected' WHERE {entries}",
    "deleted": "DELETE FROM tenants_ledgerentry WHERE {entries}",
}


def of(tenant: CreatedTenant, scope: CheckScope) -> list[Compared]:
    return [found for found in compare_ledger(scope) if found.tenant_id == tenant.tenant.id]


def test_the_sums_of_a_day_are_those_of_its_entries(tenant: CreatedTenant) -> None:
    for day, micros in ((LONG_AGO, 500), (LONG_AGO, 250), (TODAY, 100)):
        spend(tenant.tenant.id, day, micros)
    with operator_work():
        rows = LedgerDay.objects.filter(tenant_id=tenant.tenant.id).order_by("day", "account")
        found = [(row.day, row.kind, row.account, row.amount_micros, row.entries) for row in rows]
    assert found == [
        (LONG_AGO, "charge", "credit", -750, 2),
        (LONG_AGO, "charge", "revenue", 750, 2),
        (TODAY, "charge", "credit", -100, 1),
        (TODAY, "charge", "revenue", 100, 1),
    ]
    assert of(tenant, scope_of_tonight()) == []


def test_a_rolled_back_posting_leaves_no_sum(tenant: CreatedTenant) -> None:
    with unit_of_work(tenant.tenant.id):
        open_wallet(tenant.tenant.id, "EUR")
        post(Source(tenant.tenant.id, "job", uuid7(), "EUR"), postings.hold(5))
        transaction.set_rollback(True)
    with operator_work():
        assert not LedgerDay.objects.filter(tenant_id=tenant.tenant.id).exists()


@pytest.mark.parametrize("sql", TAMPERED.values(), ids=TAMPERED)
def test_a_tampered_entry_of_an_old_day_is_found_in_one_of_all_nights(tenant: CreatedTenant, sql: str) -> None:
    tamper(spend(tenant.tenant.id, LONG_AGO), sql)
    nights = [tonight(TODAY + timedelta(days=night), LONG_AGO, (), Open()) for night in range(PARTS)]
    found = [bool(of(tenant, scope)) for scope in nights]
    assert found.count(True) == 1


@pytest.mark.parametrize("sql", TAMPERED.values(), ids=TAMPERED)
def test_a_tampered_entry_of_these_days_is_found_the_same_night(tenant: CreatedTenant, sql: str) -> None:
    tamper(spend(tenant.tenant.id, TODAY - timedelta(days=1)), sql)
    assert of(tenant, scope_of_tonight())


def test_a_tampered_sum_is_found_the_same_night_however_old_it_is(tenant: CreatedTenant) -> None:
    spend(tenant.tenant.id, LONG_AGO)
    with operator_work():
        LedgerDay.objects.filter(tenant_id=tenant.tenant.id, account="credit").update(amount_micros=-1)
    scope = tonight(LONG_AGO + timedelta(days=PARTS // 2), LONG_AGO, (), Open())
    assert {found.compared for found in of(tenant, scope)} == {"available", "balanced"}


def test_a_difference_of_an_old_day_stays_until_it_is_resolved(tenant: CreatedTenant) -> None:
    source_id = spend(tenant.tenant.id, TODAY - timedelta(days=PARTS * 2 + 3))
    assert TODAY - timedelta(days=PARTS * 2 + 3) not in (scope_of_tonight().days or ())
    tamper(source_id, TAMPERED["changed"])

    def still_open() -> set[str]:
        with operator_work():
            found = LedgerDifference.objects.filter(tenant_id=tenant.tenant.id, resolved_at=None)
            return set(found.values_list("compared", flat=True))

    reconcile_tonight()
    assert still_open() == set()
    reconcile()
    assert still_open() == {"day_amount"}
    reconcile_tonight()
    assert still_open() == {"day_amount"}
    tamper(source_id, TAMPERED["changed"].replace("+ 7", "- 7"))
    reconcile_tonight()
    assert still_open() == set()
