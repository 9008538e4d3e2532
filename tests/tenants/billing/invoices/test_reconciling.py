"""Tests that invoices and ledger are compared: each difference is found, and nothing else."""

from collections.abc import Iterator

import pytest
from django.db import connections

from tenants.billing.invoices.reconciling import compare_invoices
from tenants.billing.invoices.services import write_off
from tenants.billing.ledger import postings
from tenants.billing.ledger.checks import Compared
from tenants.billing.ledger.posting import Source, post
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.core.ids import uuid7

from .conftest import OPERATOR_NAME, Customer


def found(customer: Customer) -> list[Compared]:
    return [one for one in compare_invoices() if one.tenant_id == customer.tenant_id]


@pytest.fixture
def unkept() -> Iterator[None]:
    """Disable the triggers, as somebody with all rights on the tables could."""
    with connections["owner"].cursor() as cursor:
        cursor.execute("ALTER TABLE tenants_invoice DISABLE TRIGGER USER")
        yield
        cursor.execute("ALTER TABLE tenants_invoice ENABLE TRIGGER USER")


def test_after_bills_late_uses_credit_notes_and_losses_nothing_differs(customer: Customer) -> None:
    customer.uses(1_000, customer.before.first)
    (first,) = customer.drawn(customer.before)
    customer.uses(7, customer.before.first)
    customer.uses(1_003, customer.last.first)
    (second,) = customer.drawn(customer.last)
    customer.credited(first, 500_000)
    write_off(tenant_id=customer.tenant_id, invoice_id=second.pk, reason="x", made_by=OPERATOR_NAME)
    assert found(customer) == []


def test_an_invoice_that_says_something_else_than_the_ledger_is_found(customer: Customer, unkept: None) -> None:
    invoice = customer.is_billed(1_000)
    with operator_work():
        type(invoice).objects.filter(pk=invoice.pk).update(
            due_micros=invoice.due_micros - 10_000,
            net_micros=invoice.net_micros - 10_000,
            total_micros=invoice.total_micros - 10_000,
        )
    assert sorted(one.compared for one in found(customer)) == ["invoice_due", "invoiced"]


def test_what_was_charged_and_never_billed_is_found(customer: Customer) -> None:
    customer.is_billed(1_000)
    source = Source(customer.tenant_id, "job", uuid7(), "EUR", day=customer.last.first)
    with unit_of_work(customer.tenant_id):
        post(source, postings.settlement(held_micros=0, cost_micros=5, collected_micros=5))
    (difference,) = found(customer)
    assert (difference.compared, difference.expected_micros - difference.found_micros) == ("invoiced", 5)
