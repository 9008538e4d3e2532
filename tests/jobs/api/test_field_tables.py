"""Test the fields of many documents as one file."""

import csv
import io
from datetime import datetime
from typing import Any

import pytest
from django.test import Client
from openpyxl import load_workbook

from inference.core.contracts import WorkOutput
from inference.pipelines.parse import FIELD_CANDIDATES
from jobs.core.models import Job
from jobs.queue.settlement import finish_page
from jobs.results.corrections.fields import correct_field
from jobs.results.exports import field_table
from tenants.api.authentication import IDENTITY
from tenants.core.db.unit_of_work import unit_of_work
from tenants.identity.identity import Identity
from tests.inference.fields.invoices import GERMAN, candidates_of
from tests.jobs.conftest import Desk

FORMULA = '=HYPERLINK("http://evil.example")'


def read(desk: Desk, name: str = "a.pdf", text: str = GERMAN) -> Job:
    job = desk.submit_document(desk.document(1, name))
    (page,) = desk.pages(job)
    finish_page(desk.claimed(page), WorkOutput({"text": text, FIELD_CANDIDATES: candidates_of(text)}))
    return job


def ask(identity: Identity, address: str) -> Any:
    return Client().get(f"/v1/jobs/{address}", **{IDENTITY: identity})  # type: ignore[arg-type]


def rows_of(answer: Any) -> list[dict[str, str]]:
    assert answer.status_code == 200
    return list(csv.DictReader(io.StringIO(answer.getvalue().decode("utf-8-sig"))))


def test_each_document_is_a_row_with_normalized_values(desk: Desk) -> None:
    first, second = read(desk, "first.pdf"), read(desk, "second.pdf", "Dear Anna,\nthank you.")
    rows = rows_of(ask(desk.identity, "fields.csv"))
    assert [row["document"] for row in rows] == ["first.pdf", "second.pdf"]
    assert [row["job"] for row in rows] == [str(first.id), str(second.id)]
    assert (rows[0]["total"], rows[0]["issue_date"], rows[0]["invoice_number"]) == (
        "119.00",
        "2024-03-12",
        "RE-2024-0815",
    )
    assert rows[1]["total"] == ""


def test_a_formula_stays_text_in_both_formats(desk: Desk) -> None:
    job = read(desk, f"{FORMULA}.pdf")
    correct_field(identity=desk.identity, job_id=job.id, name="supplier", value=FORMULA)
    (row,) = rows_of(ask(desk.identity, "fields.csv"))
    assert (row["document"], row["supplier"]) == (f"'{FORMULA}.pdf", f"'{FORMULA}")
    sheet = load_workbook(io.BytesIO(ask(desk.identity, "fields.xlsx").getvalue()))["Documents"]
    cells = {cell.value: cell.data_type for row in sheet.iter_rows() for cell in row}
    assert cells[FORMULA] == cells[f"{FORMULA}.pdf"] == "s"


def test_a_workbook_has_numbers_dates_and_a_sheet_of_line_items(desk: Desk) -> None:
    job = read(desk)
    with unit_of_work(desk.identity):
        fields: Any = Job.objects.get(id=job.id).fields
        item = {"description": "Nuts", "quantity": "2", "unit_price": "1.50", "tax_rate": "19", "amount": "3.00"}
        Job.objects.filter(id=job.id).update(fields={**fields, "line_items": [{**item, "page": 1}]})
    workbook = load_workbook(io.BytesIO(ask(desk.identity, "fields.xlsx").getvalue()))
    titles, values = workbook["Documents"].iter_rows(values_only=True)
    row = dict(zip(titles, values, strict=True))
    assert (row["Total"], row["Date"], row["Pages"]) == (119, datetime(2024, 3, 12), 1)
    assert workbook["Documents"].cell(2, titles.index("Link") + 1).hyperlink.target.endswith(f"/jobs/{job.id}")
    titles, values = workbook["Line items"].iter_rows(values_only=True)
    assert dict(zip(titles, values, strict=True))["Amount"] == 3
    (item_row,) = rows_of(ask(desk.identity, "fields.csv?rows=items"))
    assert (item_row["description"], item_row["amount"]) == ("Nuts", "3.00")


def test_chosen_jobs_and_filters_restrict_the_rows(desk: Desk) -> None:
    jobs = [read(desk, f"{number}.pdf") for number in range(3)]
    chosen = ",".join(str(job.id) for job in jobs[:2])
    assert len(rows_of(ask(desk.identity, f"fields.csv?jobs={chosen}"))) == 2
    assert rows_of(ask(desk.identity, f"fields.csv?jobs={chosen}&state=failed")) == []
    assert len(rows_of(ask(desk.identity, f"fields.csv?document={jobs[2].document_id}"))) == 1


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("fields.csv?jobs=", 400),
        ("fields.xlsx?jobs=,", 400),
        ("fields.csv?jobs=x", 404),
        ("fields.csv?rows=pages", 400),
        ("fields.xlsx?rows=items", 400),
        ("fields.csv?include=erased", 400),
        ("fields.csv?state=done", 400),
    ],
)
def test_bad_requests_are_refused(desk: Desk, query: str, status: int) -> None:
    assert ask(desk.identity, query).status_code == status


def test_an_empty_choice_is_said_to_be_empty(desk: Desk) -> None:
    assert ask(desk.identity, "fields.csv?jobs=").json()["detail"].startswith("`jobs` is empty. Name 1 to 1,000 jobs")
    assert "jobs='x,' has an empty id" in ask(desk.identity, "fields.csv?jobs=x,").json()["detail"]


def test_a_tenant_has_its_own_documents_alone(desk: Desk, other_identity: Identity) -> None:
    job = read(desk)
    assert rows_of(ask(other_identity, "fields.csv")) == []
    assert ask(other_identity, f"fields.xlsx?jobs={job.id}").status_code == 404


def test_more_documents_than_fit_are_refused(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(field_table, "MAX_DOCUMENTS", 1)
    read(desk), read(desk, "b.pdf")
    answer = ask(desk.identity, "fields.csv")
    assert (answer.status_code, answer.json()["code"]) == (422, "export_too_large")
