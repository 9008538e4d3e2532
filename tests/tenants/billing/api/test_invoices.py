"""Tests of `/v1/invoices`: a tenant's own invoices, as data and as files, for keys that may see them."""

import csv
import json
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from django.db import connections
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tenants.api.authentication import IDENTITY
from tenants.api_keys.services import create_key
from tenants.authentication.selectors import identify_key
from tenants.billing.invoices.models import Invoice, Seller
from tenants.core.db.unit_of_work import APP, operator_work, unit_of_work
from tenants.onboarding.create_tenant import CreatedTenant
from tests.flows.invoices import credit_note, issued, line


@pytest.fixture
def ask(tenant: CreatedTenant) -> Any:
    with unit_of_work(tenant.tenant.id):
        key = create_key(tenant_id=tenant.tenant.id, name="Books", scopes=["billing:read"]).text
    identity: Any = identify_key(key)

    def get(path: str, **parameters: str | int) -> Any:
        return Client().get(f"/v1/invoices{path}", parameters, **{IDENTITY: identity})

    return get


def ids(answer: Any) -> list[str]:
    assert answer.status_code == 200, answer.content
    return [one["id"] for one in answer.json()["data"]]


def test_an_invoice_is_told_with_its_lines_and_its_credit_notes(ask: Any, tenant: CreatedTenant) -> None:
    invoice = issued(tenant.tenant.id, balance_micros=9_730_000)
    note = credit_note(invoice)
    told = ask(f"/{invoice.id}").json()
    assert (told["object"], told["kind"], told["number"]) == ("invoice", "invoice", invoice.number)
    assert (told["net_amount"], told["tax_amount"], told["total_amount"]) == ("67.00", "12.73", "79.73")
    assert (told["due_micros"], told["open_micros"], told["status"]) == (70_000_000, 70_000_000, "open")
    assert told["period"] == {"first_day": "2026-10-01", "last_day": "2026-10-31"}
    assert told["buyer"]["reference"] == "PO 4711"
    assert [one["text"] for one in told["lines"]] == ["Plan Business, October 2026", "parse, pages"]
    assert told["lines"][1]["price"]["meter"] == "page"
    assert [one["number"] for one in told["credit_notes"]] == [note.number]
    corrected = ask(f"/{note.id}").json()
    assert (corrected["kind"], corrected["corrects"]["id"]) == ("credit_note", str(invoice.id))


def test_the_list_is_read_page_by_page_and_by_status(ask: Any, tenant: CreatedTenant) -> None:
    late = issued(tenant.tenant.id, overdue=True)
    paid = issued(tenant.tenant.id, balance_micros=79_730_000, status=Invoice.Status.PAID)
    note, opened = credit_note(late), issued(tenant.tenant.id)
    newest = [str(one.id) for one in (opened, note, paid, late)]
    first = ask("", limit=3)
    assert ids(first) == newest[:3]
    assert first.json()["has_more"]
    assert ids(ask("", cursor=first.json()["next_cursor"])) == newest[3:]
    for status, wanted in (
        ("open", [opened, late]),
        ("overdue", [late]),
        ("paid", [paid]),
        ("written_off", []),
        ("credit_note", [note]),
    ):
        assert ids(ask("", status=status)) == [str(one.id) for one in wanted], status
    assert ask("", status="owed").status_code == 400
    assert ask("", of="x").status_code == 400


def test_another_tenants_is_like_one_that_never_was(ask: Any, other_tenant: CreatedTenant) -> None:
    theirs = issued(other_tenant.tenant.id)
    for ending in ("", "/pdf", "/csv"):
        foreign, unknown = ask(f"/{theirs.id}{ending}"), ask(f"/{(nobodys := uuid4())}{ending}")
        assert foreign.status_code == unknown.status_code == 404
        said = [json.loads(one.content) for one in (foreign, unknown)]
        for one in said:
            one.pop("request_id")
        assert said[0]["detail"].replace(str(theirs.id), "ID") == said[1]["detail"].replace(str(nobodys), "ID")
    assert ask("/no-id").status_code == 404
    assert ids(ask("")) == []


def test_a_key_that_was_not_given_the_scope_is_told_nothing(tenant: CreatedTenant, working_identity: Any) -> None:
    invoice = issued(tenant.tenant.id)
    for path in ("", "/export", "/upcoming", f"/{invoice.id}", f"/{invoice.id}/pdf", f"/{invoice.id}/csv"):
        answer = Client().get(f"/v1/invoices{path}", **{IDENTITY: working_identity})
        assert (answer.status_code, answer.json()["code"]) == (403, "insufficient_scope"), path


def test_an_invoice_comes_as_pdf_and_as_csv_named_by_its_number(ask: Any, tenant: CreatedTenant) -> None:
    invoice = issued(tenant.tenant.id)
    pdf = ask(f"/{invoice.id}/pdf")
    assert (pdf.headers["content-type"], pdf.content[:5]) == ("application/pdf", b"%PDF-")
    assert pdf.headers["content-disposition"] == f'attachment; filename="{invoice.number}.pdf"'
    rows = list(csv.DictReader(ask(f"/{invoice.id}/csv").content.decode().splitlines()))
    assert [(one["text"], one["quantity"], one["amount"]) for one in rows] == [
        ("Plan Business, October 2026", "0", "49.00"),
        ("parse, pages", "12345", "18.00"),
    ]
    assert sum(int(one["amount_micros"]) for one in rows) == invoice.net_micros


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\t=1", "\r=1"])
def test_no_cell_of_a_file_is_taken_for_a_formula(ask: Any, tenant: CreatedTenant, text: str) -> None:
    invoice = issued(tenant.tenant.id, [line(text=text, model=text)], buyer={"name": text, "tax_id": text})
    (row,) = csv.DictReader(ask(f"/{invoice.id}/csv").content.decode().split("\r\n"))
    assert (row["text"][0], row["model"][0]) == ("'", "'")
    (row,) = csv.DictReader(ask("/export").content.decode().split("\r\n"))
    assert (row["buyer"][0], row["buyer_tax_id"][0], row["total"]) == ("'", "'", "21.42")


def test_a_correction_below_zero_stays_a_number(ask: Any, tenant: CreatedTenant) -> None:
    less = line(kind="uncollected", price=None, exact_micros=-1_000_000, amount_micros=-1_000_000)
    invoice = issued(tenant.tenant.id, [line(), less])
    rows = list(csv.DictReader(ask(f"/{invoice.id}/csv").content.decode().splitlines()))
    assert [one["amount"] for one in rows] == ["18.00", "-1.00"]


@pytest.fixture
def nobody_who_sells() -> Iterator[None]:
    """Remove the seller whom other tests have left, and restore it afterwards."""
    with operator_work():
        kept = Seller.objects.first()
        Seller.objects.all().delete()
    yield
    if kept:
        with operator_work():
            kept.save(force_insert=True)


@pytest.mark.usefixtures("nobody_who_sells")
def test_the_month_so_far_is_told_and_not_known_where_nothing_is_billed(ask: Any) -> None:
    told = ask("/upcoming").json()
    assert (told["object"], told["calculated"], told["data"]) == ("list", False, [])


def test_more_invoices_cost_no_more_queries(ask: Any, tenant: CreatedTenant) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connections[APP]) as captured:
            assert ask("").status_code == 200
        return len(captured)

    credit_note(issued(tenant.tenant.id))
    ask("")
    few = queries()
    for _ in range(5):
        credit_note(issued(tenant.tenant.id))
    assert queries() == few
