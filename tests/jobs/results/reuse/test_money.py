"""Tests of what is paid for cached results."""

import pytest

from inference.registry.models import ServedModel
from tenants.billing.ledger.errors import InsufficientFunds
from tenants.billing.ledger.models import LedgerTransaction
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tests.jobs.results.reuse.conftest import FLAGGED, Bench
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


@pytest.mark.parametrize(("review", "hit"), [(0, 0), (100, 100), (150, 150), (900, 150), (None, 150)])
@pytest.mark.parametrize("accepted", [True, False])
def test_a_hit_that_needs_review_costs_no_more_than_its_run(
    bench: Bench, accepted: bool, review: int | None, hit: int
) -> None:
    with operator_work():
        ServedModel.objects.filter(id=bench.desk.version.served_model_id).update(review_price_micros=review)
    bench.desk.version.served_model.refresh_from_db(using="operator")
    purse = Purse(bench.desk.identity.tenant_id)
    purse.prepaid(10_000)
    waiting = bench.read(bench.desk.document(2))
    bench.run_all(bench.read(bench.opened("a")), "a", output=FLAGGED)
    bench.run_all(bench.read(bench.opened("b")), "b")
    if accepted:
        job = bench.read(bench.opened("a", "b"))
    else:
        job = waiting
        assert bench.run_all(job, "a", "b") == ["hit", "hit"]
    run = RUN if review is None else review
    assert [(use.amount_micros, use.saved_micros) for use in bench.uses(job)] == [(hit, run - hit), (150, 1350)]
    assert [use.price["amount_micros"] for use in bench.uses(job)] == [hit, 150]
    assert bench.desk.again(job).cost_micros == hit + 150
