"""Tests of what is paid for cached results."""

import pytest

from tenants.billing.ledger.errors import InsufficientFunds
from tenants.billing.ledger.models import LedgerTransaction
from tenants.core.db.unit_of_work import unit_of_work
from tests.jobs.results.reuse.conftest import Bench
from tests.tenants.billing.ledger.conftest import Purse

RUN, KNOWN = 1500, 150


def test_known_results_are_paid_at_their_price_as_the_job_is_accepted(bench: Bench) -> None:
    purse = Purse(bench.desk.identity.tenant_id)
    purse.prepaid(RUN + KNOWN)
    bench.run_all(bench.text())
    job = bench.text()
    assert job.state == "succeeded"
    assert purse.stands() == (0, 0)
    with unit_of_work(job.tenant_id):
        kinds = LedgerTransaction.objects.filter(source_id=job.id).order_by("id").values_list("kind", flat=True)
        assert list(kinds) == ["hold", "charge"]
    with pytest.raises(InsufficientFunds):
        bench.text()


def test_a_page_that_finds_its_result_as_it_is_run_pays_for_that_alone(bench: Bench) -> None:
    purse = Purse(bench.desk.identity.tenant_id)
    purse.prepaid(2 * RUN)
    first, second = bench.text(), bench.text()
    assert purse.stands() == (0, 2 * RUN)
    bench.run_all(first)
    bench.run_all(second)
    assert purse.stands() == (RUN - KNOWN, 0)
