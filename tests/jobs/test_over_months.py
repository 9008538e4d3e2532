"""Test that a job that runs over the end of a month is charged once, whatever part of it is billed before it ends or
after.
"""

from collections.abc import Callable

import pytest

from jobs.charges.reconciling import compare_jobs
from jobs.core.models import Job, Page
from tenants.billing.invoices.models import Invoice, Seller
from tenants.billing.invoices.reconciling import compare_invoices
from tenants.billing.ledger.reconciling import compare_ledger
from tenants.core.db.unit_of_work import operator_work
from tests.jobs.conftest import Desk
from tests.tenants.billing.invoices.conftest import Customer, seller, since_two_months
from tests.tenants.billing.ledger.conftest import Purse

__all__ = ["seller"]
PAGE = 20_000
FUNDS = 20 * PAGE
_LAST_MONTH = "(date_trunc('month', clock_timestamp() AT TIME ZONE 'UTC') - interval '1 day') AT TIME ZONE 'UTC'"


@pytest.fixture
def desk(make_desk: Callable[..., Desk]) -> Desk:
    return make_desk(price_micros=PAGE)


@pytest.fixture
def customer(desk: Desk, seller: Seller) -> Customer:
    with operator_work():
        seller.tax_rate_bp = 0
        seller.save()
    customer = since_two_months(desk.identity.tenant_id)
    customer.closed_before()
    return customer


@pytest.fixture
def purse(desk: Desk) -> Purse:
    return Purse(desk.identity.tenant_id)


def done_last_month(desk: Desk, page: Page) -> None:
    """Finish the page as if that was last month. It must be the first page of its job, and the only one finished
    yet.
    """
    desk.finish(page)
    desk.sql(f"UPDATE jobs_job SET created_at = {_LAST_MONTH} WHERE id = %s", page.job_id)
    desk.sql(f"UPDATE tenants_usagerecord SET created_at = {_LAST_MONTH} WHERE source_id = %s", page.id)
    desk.sql(f"UPDATE tenants_usageday SET day = ({_LAST_MONTH})::date WHERE tenant_id = %s", page.tenant_id)


def differing(customer: Customer) -> set[str]:
    found = [*compare_ledger(), *compare_jobs(), *compare_invoices()]
    return {one.compared for one in found if one.tenant_id == customer.tenant_id}


def begun_last_month(desk: Desk) -> tuple[Job, list[Page]]:
    job = desk.submit(pages=3)
    first, *rest = desk.pages(job)
    done_last_month(desk, first)
    return job, rest


def ended(desk: Desk, rest: list[Page]) -> None:
    for page in rest:
        desk.finish(page)


@pytest.mark.parametrize("prepaid", [True, False])
def test_what_was_done_before_the_month_ended_is_billed_with_it_and_paid_once(
    desk: Desk, customer: Customer, purse: Purse, prepaid: bool
) -> None:
    if prepaid:
        purse.prepaid(FUNDS)
    _, rest = begun_last_month(desk)
    ended(desk, rest)
    funds = FUNDS if prepaid else 0
    assert purse.stands() == (funds - 3 * PAGE, 0)
    (invoice,) = customer.drawn(customer.last)
    due = 0 if prepaid else PAGE
    assert (invoice.net_micros, invoice.due_micros) == (PAGE, due)
    assert purse.stands() == (funds - 3 * PAGE + due, 0)
    assert differing(customer) == set()


@pytest.mark.parametrize("prepaid", [True, False])
def test_what_is_billed_while_the_job_goes_on_is_not_charged_again_at_its_end(
    desk: Desk, customer: Customer, purse: Purse, prepaid: bool
) -> None:
    if prepaid:
        purse.prepaid(FUNDS)
    _, rest = begun_last_month(desk)
    (invoice,) = customer.drawn(customer.last)
    ended(desk, rest)
    funds, due = (FUNDS, 0) if prepaid else (0, PAGE)
    assert (invoice.net_micros, invoice.due_micros) == (PAGE, due)
    assert purse.stands() == (funds - 3 * PAGE + due, 0)
    assert purse.account("revenue") == 3 * PAGE
    assert differing(customer) == set()


def test_of_a_month_of_which_something_came_late_the_next_invoice_evens_it_out(
    desk: Desk, customer: Customer, purse: Purse
) -> None:
    purse.prepaid(FUNDS)
    customer.drawn(customer.last)
    job, rest = begun_last_month(desk)
    ended(desk, rest)
    assert purse.stands() == (FUNDS - 3 * PAGE, 0)
    (invoice,) = customer.drawn(customer.now, closes=False)
    assert invoice.net_micros == 3 * PAGE
    assert purse.stands() == (FUNDS - 3 * PAGE, 0)
    assert invoice.status == Invoice.Status.PAID
    assert desk.again(job).cost_micros == 3 * PAGE
