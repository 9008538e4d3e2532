"""Tests of billing on the dashboard: the balance, what was billed, and the recipient of invoices."""

import json
from typing import Any
from uuid import uuid4

import pytest
from django.db import connections, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tenants.audit.models import AuditEntry
from tenants.billing.invoices.models import BillingDetails, Invoice
from tenants.billing.payments.models import Payment
from tenants.core.db.unit_of_work import APP, OPERATOR, operator_work, unit_of_work
from tenants.onboarding.create_tenant import CreatedTenant
from tests.flows.invoices import credit_note, issued, line
from tests.tenants.billing.ledger.conftest import Purse

DETAILS = {
    "name": "Atelier Éluard",
    "address": "Rue 5\nParis",
    "country": "fr",
    "tax_id": "FR1",
    "email": "compta@eluard.example",
    "reference": "PO 1",
}


def text(answer: Any) -> str:
    assert answer.status_code == 200
    return str(answer.content.decode())


def test_an_account_that_was_never_billed_is_told_what_comes(member: Client) -> None:
    page = text(member.get("/billing"))
    assert "No invoice yet" in page
    assert "No billing details yet" in page
    assert "No invoice yet" in text(member.get("/billing/invoices"))
    assert "Nothing to bill so far" in text(member.get("/billing/upcoming"))


def test_balances_budgets_and_what_is_overdue_come_first(member: Client, tenant: CreatedTenant) -> None:
    purse = Purse(tenant.tenant.id)
    purse.prepaid(5_000_000)
    purse.budget(20_000_000)
    late = issued(tenant.tenant.id, overdue=True)
    page = text(member.get("/billing"))
    assert "5.00 €" in page
    assert "Prepaid" in page
    assert "0 % of 20.00 € used" in page
    assert "1 invoice is overdue" in page
    assert late.number in page


def test_each_invoice_bears_how_it_stands(member: Client, tenant: CreatedTenant) -> None:
    late = issued(tenant.tenant.id, overdue=True)
    credit_note(late)
    issued(tenant.tenant.id)
    issued(tenant.tenant.id, balance_micros=79_730_000, status="paid")
    issued(tenant.tenant.id, written_off_micros=79_730_000, status="written_off")
    page = text(member.get("/billing/invoices"))
    for word in ("open", "overdue", "paid", "written off", "credit note"):
        assert f">{word}</span>" in page, word
    only = text(member.get("/billing/invoices?status=overdue"))
    assert only.count('id="invoice-') == 1
    assert late.number in only
    assert "No matching invoices" in text(member.get("/billing/invoices?status=paid&before=" + str(late.id)))
    assert member.get("/billing/invoices?before=x").status_code == 404


def test_the_page_of_one_shows_lines_sums_payments_and_notes(member: Client, tenant: CreatedTenant) -> None:
    invoice = issued(tenant.tenant.id, paid_micros=10_000_000)
    note = credit_note(invoice)
    pay(invoice)
    page = text(member.get(f"/billing/invoices/{invoice.id}"))
    for said in (
        *("parse, pages", "12,345", "0.0015 / page", "67.00 €", "VAT 19 % of 67.00", "79.73 €"),
        *("Paid", "-10.00 €", "Open", "69.73 €", "succeeded", "RF-1", note.number),
        *("IBAN DE02", "FR98765432100", "PO 4711"),
    ):
        assert said in page, said
    of_note = text(member.get(f"/billing/invoices/{note.id}"))
    assert f'href="/billing/invoices/{invoice.id}"' in of_note
    assert "How to pay" not in of_note


def pay(invoice: Invoice) -> None:
    with operator_work(), transaction.atomic(using=OPERATOR):
        Payment.objects.create(
            tenant_id=invoice.tenant_id,
            provider="offline",
            purpose="invoice",
            invoice=invoice,
            currency="EUR",
            amount_micros=10_000_000,
            status="succeeded",
            reference="RF-1",
        )


def test_files_are_named_by_the_number(member: Client, tenant: CreatedTenant) -> None:
    invoice = issued(tenant.tenant.id)
    for kind, begins in (("pdf", b"%PDF-"), ("csv", b"invoice,"), ("json", b"{")):
        answer = member.get(reverse(f"invoice_{kind}", args=[invoice.id]))
        assert answer.content.startswith(begins)
        assert answer.headers["content-disposition"] == f'attachment; filename="{invoice.number}.{kind}"'
        assert "no-store" in answer.headers["cache-control"]
    assert json.loads(answer.content)["number"] == invoice.number
    assert member.get("/billing/invoices.csv").content.decode().count(invoice.number) == 1


@pytest.mark.parametrize("ending", ["", "/pdf", "/csv", "/json"])
def test_another_tenants_invoice_is_like_one_that_never_was(
    member: Client, other_tenant: CreatedTenant, ending: str
) -> None:
    theirs = issued(other_tenant.tenant.id)
    for wanted in (theirs.id, uuid4(), "x"):
        assert member.get(f"/billing/invoices/{wanted}{ending}").status_code == 404
    assert theirs.number not in text(member.get("/billing/invoices"))


def test_nothing_that_a_name_holds_is_run(member: Client, tenant: CreatedTenant) -> None:
    invoice = issued(
        tenant.tenant.id,
        [line(text="<script>alert(1)</script>")],
        buyer={"name": "<img src=x onerror=alert(1)>", "address": "<b>\n</b>"},
    )
    page = text(member.get(f"/billing/invoices/{invoice.id}"))
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_details_are_kept_and_written_down(member: Client, tenant: CreatedTenant) -> None:
    assert tenant.tenant.name in text(member.get("/billing/details"))
    answer = member.post("/billing/details", DETAILS, follow=True)
    assert "Saved." in text(answer)
    with unit_of_work(tenant.tenant.id):
        details = BillingDetails.objects.get()
        (entry,) = AuditEntry.objects.filter(action="billing.changed")
    assert (details.name, details.country, details.tax) == ("Atelier Éluard", "FR", "standard")
    assert entry.changes["name"] == {"before": None, "after": "Atelier Éluard"}
    member.post("/billing/details", {**DETAILS, "tax_id": "FR2"})
    member.post("/billing/details", {**DETAILS, "tax_id": "FR2"})
    with unit_of_work(tenant.tenant.id):
        last, _ = AuditEntry.objects.filter(action="billing.changed").order_by("-id")
    assert last.changes == {"tax_id": {"before": "FR1", "after": "FR2"}}


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"name": " "}, "name"),
        ({"country": "Germany"}, "country"),
        ({"country": "1!"}, "country"),
        ({"email": "nobody"}, "email"),
        ({"address": "x" * 501}, "address"),
    ],
)
def test_what_is_wrong_with_details_is_said_beside_its_field(
    member: Client, tenant: CreatedTenant, changed: dict[str, str], field: str
) -> None:
    answer = member.post("/billing/details", {**DETAILS, **changed})
    assert answer.status_code == 422
    assert list(answer.context["form"].errors) == [field]
    with unit_of_work(tenant.tenant.id):
        assert not BillingDetails.objects.exists()


def test_how_it_is_taxed_is_not_the_tenants_to_say(member: Client, tenant: CreatedTenant) -> None:
    member.post("/billing/details", {**DETAILS, "tax": "exempt", "tax_rate_bp": "0"})
    with unit_of_work(tenant.tenant.id):
        details = BillingDetails.objects.get()
    assert (details.tax, details.tax_rate_bp) == ("standard", None)


def test_more_invoices_cost_no_more_queries(member: Client, tenant: CreatedTenant) -> None:
    def queries(path: str) -> int:
        with CaptureQueriesContext(connections[APP]) as captured:
            assert member.get(path).status_code == 200
        return len(captured)

    credit_note(issued(tenant.tenant.id))
    for path in ("/billing", "/billing/invoices"):
        queries(path)
        few = queries(path)
        for _ in range(3):
            credit_note(issued(tenant.tenant.id))
        assert queries(path) == few
