"""Tests of the comparison of the ledger: what agrees is left out, and what differs is kept for an operator."""

import pytest
from django.core.management import CommandError, call_command
from django.db import connections

from jobs.charges.reconciling import compare_jobs, reconcile, settle_stranded_jobs
from tenants.billing.ledger.models import LedgerDifference
from tenants.billing.ledger.reconciling import compare_ledger
from tenants.core.db.unit_of_work import OPERATOR, operator_work
from tests.jobs.conftest import Desk
from tests.tenants.billing.ledger.conftest import Purse


@pytest.fixture
def purse(desk: Desk) -> Purse:
    purse = Purse(desk.identity.tenant_id)
    purse.prepaid(10_000)
    return purse


def differing(purse: Purse) -> set[str]:
    found = [*compare_ledger(), *compare_jobs()]
    return {one.compared for one in found if one.tenant_id == purse.tenant_id}


def sql(statement: str, purse: Purse) -> None:
    with connections[OPERATOR].cursor() as cursor:
        cursor.execute(statement, [purse.tenant_id])


def test_work_under_way_and_done_is_in_order(desk: Desk, purse: Purse) -> None:
    job = desk.submit(pages=2)
    assert differing(purse) == set()
    for page in desk.pages(job):
        desk.finish(page)
    desk.submit()
    assert differing(purse) == set()


@pytest.mark.parametrize(
    ("compared", "statement"),
    [
        (
            "available",
            "UPDATE tenants_wallet SET available_micros = available_micros + 1 WHERE tenant_id = %s",
        ),
        ("held", "UPDATE tenants_wallet SET held_micros = held_micros + 1 WHERE tenant_id = %s"),
        ("job_hold", "UPDATE jobs_job SET held_micros = held_micros + 1 WHERE tenant_id = %s"),
        ("job_hold", "UPDATE jobs_job SET held_micros = NULL WHERE tenant_id = %s"),
    ],
)
def test_what_differs_is_found_and_stays_on_record(
    desk: Desk, purse: Purse, compared: str, statement: str
) -> None:
    desk.submit()
    sql(statement, purse)
    assert differing(purse) == {compared}
    for _ in range(2):
        reconcile()
    with operator_work():
        (row,) = LedgerDifference.objects.filter(tenant_id=purse.tenant_id)
    assert (row.compared, row.resolved_at) == (compared, None)
    with pytest.raises(CommandError):
        call_command("reconcile_ledger")
    if compared in {"available", "held"}:
        sql(statement.replace("+ 1", "- 1"), purse)
        reconcile()
        with operator_work():
            row.refresh_from_db()
        assert row.resolved_at is not None


def test_a_job_that_was_ended_without_its_settlement_is_settled(desk: Desk, purse: Purse) -> None:
    """A process of a version from before the ledger ends a job in this way."""
    job = desk.submit()
    sql("UPDATE jobs_job SET state = 'failed', finished_at = now() WHERE tenant_id = %s", purse)
    settle_stranded_jobs()
    assert purse.stands() == (10_000, 0)
    assert desk.again(job).held_micros is None
    assert differing(purse) == set()
