"""Tests of months billed on the real tables: every invoice adds up, has the next number, and agrees with the ledger."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta

import pytest
from django.db import DatabaseError, IntegrityError, connections, transaction
from structlog.testing import capture_logs

from tenants.audit.models import AuditEntry
from tenants.billing.invoices.collecting import at
from tenants.billing.invoices.errors import NotBillable
from tenants.billing.invoices.models import Invoice, InvoiceLine, NumberSeries, Seller
from tenants.billing.invoices.services import preview_month, write_off
from tenants.billing.ledger.models import Wallet
from tenants.core.db.clock import database_now
from tenants.core.db.unit_of_work import OPERATOR, operator_work, unit_of_work
from tenants.plans.prices import Price
from tests.tenants.plans.selling import include, make_plan

from .conftest import OPERATOR_NAME, PAGE, Customer, in_the_past

EUR = 1_000_000


def test_what_was_used_is_billed_with_tax_and_is_owed(customer: Customer, seller: Seller) -> None:
    customer.closed_before()
    customer.uses(1_000, customer.last.first)
    customer.uses(1_001, customer.last.first)
    (invoice,) = customer.drawn(customer.last)
    # The price of 2,001 pages at 0.0015 is 3.0015.
    assert (invoice.net_micros, invoice.tax_micros, invoice.total_micros) == (3_000_000, 570_000, 3_570_000)
    assert (invoice.due_micros, invoice.status) == (3_570_000, "open")
    assert invoice.due_on - invoice.issued_on == timedelta(days=seller.payment_days)
    assert [(line.text, line.quantity, line.exact_micros) for line in customer.lines(invoice)] == [
        ("ocr, pages", 2_001, 3_001_500)
    ]
    assert customer.account("revenue") == 3_000_000
    assert (customer.account("tax"), customer.account("receivable")) == (570_000, -3_570_000)
    assert customer.available() == 0


def test_a_month_in_which_nothing_was_used_is_closed_without_an_invoice(customer: Customer) -> None:
    assert customer.drawn(customer.before) == []
    with pytest.raises(NotBillable, match="is already billed"):
        customer.drawn(customer.before)


def test_a_fee_is_billed_by_the_second_from_the_end_of_the_trial_on(customer: Customer) -> None:
    first = at(customer.last.first)
    half = (at(customer.last.after_last) - first) / 2
    plan = make_plan(monthly_fee_micros=30 * EUR)
    customer.has_plan(plan, first, trial_ends_at=first + half)
    customer.closed_before()
    (invoice,) = customer.drawn(customer.last)
    (line,) = customer.lines(invoice)
    assert (line.kind, line.amount_micros) == ("fee", 15 * EUR)
    assert line.text == f"Plan {plan.name}, {customer.last.title}"


def test_a_plan_that_changed_in_the_middle_is_billed_for_the_part_in_which_it_held(
    customer: Customer,
) -> None:
    first, after = at(customer.last.first), at(customer.last.after_last)
    small, large = make_plan(monthly_fee_micros=30 * EUR), make_plan(monthly_fee_micros=90 * EUR)
    customer.has_plan(small, first)
    customer.has_plan(large, first + (after - first) / 3)
    customer.closed_before()
    (invoice,) = customer.drawn(customer.last)
    assert sorted(line.amount_micros for line in customer.lines(invoice)) == [10 * EUR, 60 * EUR]


def test_included_units_cost_nothing_and_what_was_charged_for_them_is_given_back(customer: Customer) -> None:
    plan = make_plan()
    begins = at(customer.before.first)
    with in_the_past("tenants_planincluded"):
        include(plan, 100, meter="page", valid_from=begins)
    customer.has_plan(plan, begins)
    customer.closed_before()
    customer.pays_before(10 * EUR)
    customer.uses(150, customer.last.first)
    assert customer.available() == 10 * EUR - 150 * PAGE.amount_micros
    (invoice,) = customer.drawn(customer.last)
    (line,) = customer.lines(invoice)
    assert (line.quantity, line.included, line.exact_micros) == (150, 100, 75_000)
    # The amount of 0.075 is 0.08 in cents, and its tax is 0.02.
    assert (invoice.total_micros, invoice.due_micros, invoice.status) == (100_000, 0, "paid")
    assert customer.available() == 10 * EUR - 100_000


def test_what_no_balance_could_pay_is_not_billed(customer: Customer) -> None:
    customer.closed_before()
    customer.pays_before(1 * EUR)
    customer.uses(1_000, customer.last.first)
    assert customer.account("uncollected") == -500_000
    (invoice,) = customer.drawn(customer.last)
    assert [(line.kind, line.amount_micros) for line in customer.lines(invoice)] == [
        ("usage", 1_500_000),
        ("uncollected", -500_000),
    ]
    # The balance paid the rest, and the tax on it is to be paid.
    assert (invoice.net_micros, invoice.due_micros) == (1 * EUR, 190_000)
    assert customer.available() == 0


def test_what_is_used_in_a_closed_month_and_told_late_is_on_the_next_invoice(customer: Customer) -> None:
    customer.uses(1_000, customer.before.first)
    (first,) = customer.drawn(customer.before)
    customer.uses(1, customer.before.days[3])
    customer.uses(1_000, customer.last.first)
    (second,) = customer.drawn(customer.last)
    assert [(line.text, line.recorded_late, line.quantity) for line in customer.lines(second)] == [
        (f"ocr, pages (usage of {customer.before.title}, recorded late)", True, 1),
        ("ocr, pages", False, 1_000),
    ]
    assert first.net_micros + second.net_micros == customer.account("revenue") == 3_000_000
    assert customer.available() == 0
    with operator_work():
        assert preview_month(customer.tenant_id, customer.now) == []


def test_looking_at_what_would_be_billed_forgets_no_late_use(customer: Customer) -> None:
    customer.uses(1_000, customer.before.first)
    customer.drawn(customer.before)
    customer.uses(1_000, customer.before.days[3])
    for _ in range(2):
        (draft,) = preview_month(customer.tenant_id, customer.last)
        assert draft.net_micros == 1_500_000
    (invoice,) = customer.drawn(customer.last)
    assert invoice.net_micros == 1_500_000
    assert customer.available() == 0


def test_late_uses_that_no_balance_could_pay_are_not_billed(customer: Customer) -> None:
    customer.pays_before(2 * EUR)
    customer.uses(1_000, customer.before.first)
    customer.drawn(customer.before)
    customer.uses(1_000, customer.before.days[3])
    (invoice,) = customer.drawn(customer.last)
    paid_then, lost = 500_000 - 280_000, 1_500_000 - (500_000 - 280_000)
    assert customer.account("uncollected") == -lost
    assert invoice.net_micros == paid_then


def test_a_month_that_was_billed_too_high_is_told_and_keeps_none_waiting(customer: Customer) -> None:
    begins = at(customer.before.first)
    plan = make_plan()
    customer.has_plan(plan, begins)
    customer.closed_before()
    customer.uses(1_000, customer.last.first)
    customer.drawn(customer.last, closes=False)
    with in_the_past("tenants_planincluded"):
        include(plan, 1_000, meter="page", valid_from=begins)
    with capture_logs() as logs:
        assert customer.drawn(customer.last) == []
    assert [log["event"] for log in logs if log["log_level"] == "warning"] == ["month_overbilled"]
    with pytest.raises(NotBillable, match="is already billed"):
        customer.drawn(customer.last)


def test_a_month_can_be_billed_in_parts(customer: Customer) -> None:
    customer.closed_before()
    customer.uses(10, customer.last.first, Price("page", 4_000, 1, "EUR"))
    (first,) = customer.drawn(customer.last, closes=False)
    assert customer.drawn(customer.last, closes=False) == []
    customer.uses(10, customer.last.days[20], Price("page", 4_000, 1, "EUR"))
    (second,) = customer.drawn(customer.last)
    assert (first.net_micros, second.net_micros) == (40_000, 40_000)
    assert customer.account("revenue") == 80_000


def test_uses_after_the_month_are_not_owed_for_it(customer: Customer) -> None:
    customer.closed_before()
    customer.uses(1_000, customer.last.first)
    customer.uses(5_000, customer.now.first)
    (invoice,) = customer.drawn(customer.last)
    assert invoice.due_micros == invoice.total_micros == 1_780_000
    assert customer.available() == -7_500_000


def test_credit_that_was_granted_pays_first(customer: Customer) -> None:
    customer.closed_before()
    customer.pays_before(1 * EUR)
    with operator_work():
        Wallet.objects.filter(tenant_id=customer.tenant_id).update(kind="invoiced")
    customer.uses(2_000, customer.last.first)
    (invoice,) = customer.drawn(customer.last)
    assert (invoice.total_micros, invoice.due_micros) == (3_570_000, 2_570_000)


def test_each_currency_has_an_invoice_of_its_own(customer: Customer) -> None:
    customer.closed_before()
    customer.uses(1_000, customer.last.first)
    customer.uses(1_000, customer.last.first, Price("page", 1_500, 1, "JPY"))
    found = customer.drawn(customer.last)
    assert [(one.currency, one.net_micros) for one in found] == [("EUR", 1_500_000), ("JPY", 2_000_000)]


def test_tests_and_what_is_free_are_not_billed(customer: Customer) -> None:
    customer.closed_before()
    customer.uses(1_000, customer.last.first, livemode=False)
    customer.uses(1_000, customer.last.first, Price("page", 0, 1, "EUR"))
    assert customer.drawn(customer.last) == []


def test_lines_in_cents_add_up_to_the_rounded_sum(customer: Customer) -> None:
    customer.closed_before()
    for model in ("a", "b", "c"):
        customer.uses(1, customer.last.first, Price("page", 3_400, 1, "EUR"), model=model)
    (invoice,) = customer.drawn(customer.last)
    assert [line.amount_micros for line in customer.lines(invoice)] == [10_000, 0, 0]
    assert invoice.net_micros == 10_000


def series_name() -> str:
    return f"INV-{database_now().year}"


def test_numbers_have_no_gap_however_many_bill_at_once_and_fail(customer: Customer, seller: Seller) -> None:
    with operator_work():
        before = NumberSeries.objects.filter(name=series_name()).first()
        start = before.last if before else 0
    customer.closed_before()
    customer.uses(1_000, customer.last.first)

    def draw(_: int) -> int:
        try:
            return len(customer.drawn(customer.last))
        except NotBillable:
            return 0
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(draw, range(8))) == 1
    with operator_work():
        series = NumberSeries.objects.get(name=series_name())
        assert series.last == start + 1
        assert Invoice.objects.filter(series=series.name).count() == series.last


def test_months_are_billed_in_turn_and_when_they_are_over(customer: Customer) -> None:
    with pytest.raises(NotBillable, match=r"Bill \d{4}-\d\d first"):
        customer.drawn(customer.last)
    customer.closed_before()
    customer.drawn(customer.last)
    with pytest.raises(NotBillable, match="not over"):
        customer.drawn(customer.now)
    with pytest.raises(NotBillable, match="billing starts with"):
        customer.drawn(customer.before.previous)


def test_a_credit_note_lowers_what_is_open_and_the_rest_becomes_credit(customer: Customer) -> None:
    invoice = customer.is_billed(2_000)
    note = customer.credited(invoice, 1 * EUR)
    assert (note.total_micros, note.corrects_id, note.number.split("-")[1]) == (1_190_000, invoice.pk, "C")
    assert customer.again(invoice).open_micros == 3_570_000 - 1_190_000
    rest = customer.credited(invoice)
    assert note.tax_micros + rest.tax_micros == invoice.tax_micros
    assert (customer.again(invoice).open_micros, customer.again(invoice).status) == (0, "paid")
    assert [customer.account(name) for name in ("revenue", "tax", "receivable", "credit")] == [0, 0, 0, 0]
    with pytest.raises(NotBillable, match="is left"):
        customer.credited(invoice)
    with unit_of_work(customer.tenant_id):
        actions = set(AuditEntry.objects.values_list("action", flat=True))
    assert {"invoice.issued", "invoice.credited"} <= actions


def test_what_was_paid_by_the_balance_is_credit_again(customer: Customer) -> None:
    customer.closed_before()
    customer.pays_before(10 * EUR)
    customer.uses(2_000, customer.last.first)
    (invoice,) = customer.drawn(customer.last)
    assert (invoice.due_micros, customer.available()) == (0, 10 * EUR - 3_570_000)
    customer.credited(invoice)
    assert customer.available() == 10 * EUR


def test_what_is_written_off_is_the_operators_loss(customer: Customer) -> None:
    invoice = customer.is_billed(2_000)
    write_off(tenant_id=customer.tenant_id, invoice_id=invoice.pk, reason="gone", made_by=OPERATOR_NAME)
    assert customer.again(invoice).status == "written_off"
    assert (customer.account("receivable"), customer.account("uncollected")) == (0, -3_570_000)
    with pytest.raises(NotBillable, match="cannot be credited"):
        customer.credited(invoice)
    with pytest.raises(NotBillable, match="It has no open amount"):
        write_off(tenant_id=customer.tenant_id, invoice_id=invoice.pk, reason="gone", made_by=OPERATOR_NAME)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE tenants_invoice SET total_micros = total_micros + 1, net_micros = net_micros + 1",
        "UPDATE tenants_invoice SET buyer = '{}'",
        "DELETE FROM tenants_invoice",
        "UPDATE tenants_invoiceline SET text = 'x'",
        "DELETE FROM tenants_invoiceline",
        "TRUNCATE tenants_invoice CASCADE",
    ],
)
@pytest.mark.parametrize("role", ["owner", OPERATOR])
def test_what_was_billed_is_changed_by_nobody(customer: Customer, statement: str, role: str) -> None:
    invoice = customer.is_billed(1_000)
    with suppress(DatabaseError), transaction.atomic(using=role), connections[role].cursor() as cursor:
        cursor.execute(statement)
        # The tables' owner is no tenant, and sees no row that it could change.
        assert cursor.rowcount == 0
    now = customer.again(invoice)
    assert (now.total_micros, now.buyer) == (invoice.total_micros, invoice.buyer)
    assert [line.text for line in customer.lines(invoice)] == ["ocr, pages"]


def test_no_line_is_added_to_what_was_billed(customer: Customer) -> None:
    invoice = customer.is_billed(1_000)
    with pytest.raises(IntegrityError, match="not those that were billed"), operator_work():
        InvoiceLine.objects.create(
            tenant_id=customer.tenant_id,
            invoice=invoice,
            position=9,
            kind="usage",
            month=customer.last.first,
            text="more",
            exact_micros=0,
            amount_micros=0,
        )


def test_a_tenant_bills_nobody(customer: Customer) -> None:
    with pytest.raises(DatabaseError, match="permission denied"), unit_of_work(customer.tenant_id):
        Invoice.objects.create(tenant_id=customer.tenant_id, number="X-1", month=customer.last.first)


def test_without_a_seller_nothing_is_billed(customer: Customer) -> None:
    with operator_work():
        Seller.objects.all().delete()
    with pytest.raises(NotBillable, match="Add your company details"):
        customer.drawn(customer.before)


def test_who_owes_the_tax_themselves_is_not_charged_it(customer: Customer) -> None:
    customer.is_billed_to(name="Kunde GmbH", country="DE", tax_id="DE1", tax="reverse_charge")
    invoice = customer.is_billed(1_000)
    assert (invoice.tax_micros, invoice.tax_note[:14]) == (0, "Reverse charge")
    assert (invoice.buyer["name"], invoice.seller["name"]) == ("Kunde GmbH", "Papers & Sons Ltd")
