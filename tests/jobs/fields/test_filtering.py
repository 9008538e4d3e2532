"""Test that jobs are found by their fields, in lists, files and searches, and only as long as they have them."""

from typing import Any

import pytest
from django.test import Client

from inference.core.contracts import WorkOutput
from inference.pipelines.parse import FIELD_CANDIDATES
from jobs.core.models import Job
from jobs.fields.models import FieldValue
from jobs.queue.settlement import finish_page
from jobs.results.corrections.fields import correct_field, undo_field
from jobs.retention.erasing import erase_job
from tenants.api.authentication import IDENTITY
from tenants.core.db.unit_of_work import unit_of_work
from tenants.identity.identity import Identity
from tests.inference.fields.invoices import GERMAN, candidates_of
from tests.jobs.conftest import Desk


@pytest.fixture
def job(desk: Desk) -> Job:
    job = desk.submit()
    (page,) = desk.pages(job)
    finish_page(desk.claimed(page), WorkOutput({"text": GERMAN, FIELD_CANDIDATES: candidates_of(GERMAN)}))
    return job


def ask(identity: Identity, address: str) -> Any:
    return Client().get(f"/v1/{address}", **{IDENTITY: identity})  # type: ignore[arg-type]


def found(identity: Identity, query: str) -> list[str]:
    answer = ask(identity, f"jobs?{query}")
    assert answer.status_code == 200, answer.content
    return [job["id"] for job in answer.json()["data"]]


@pytest.mark.parametrize(
    ("query", "matches"),
    [
        ("field.total=119", True),
        ("field.total=119.00", True),
        ("field.total=118.99", False),
        ("field.total.min=119&field.total.max=119.00", True),
        ("field.total.min=119.01", False),
        ("field.invoice_number=re-2024-0815", True),
        ("field.invoice_number.contains=0815", True),
        ("field.invoice_number.contains=%25", False),
        ("field.issue_date=2024-03-12", True),
        ("field.issue_date.from=2024-03-01&field.issue_date.to=2024-03-31", True),
        ("field.issue_date.from=2024-03-13", False),
        ("field.issue_date.from=2024-03-01&field.total.max=100", False),
        ("field.unknown=1", False),
    ],
)
def test_a_job_is_found_by_its_fields(desk: Desk, job: Job, query: str, matches: bool) -> None:
    assert found(desk.identity, query) == ([str(job.id)] if matches else [])
    rows = ask(desk.identity, f"jobs/fields.csv?{query}").getvalue().decode()
    assert (str(job.id) in rows) == matches


def test_a_filter_follows_corrections_and_their_undoing(desk: Desk, job: Job) -> None:
    correct_field(identity=desk.identity, job_id=job.id, name="total", value="500,00")
    assert found(desk.identity, "field.total=500") == [str(job.id)]
    assert found(desk.identity, "field.total=119") == []
    undo_field(identity=desk.identity, job_id=job.id, name="total")
    assert found(desk.identity, "field.total=119") == [str(job.id)]


def test_an_erased_job_leaves_no_values(desk: Desk, job: Job) -> None:
    with unit_of_work(desk.identity):
        assert FieldValue.objects.filter(job_id=job.id).exists()
    erase_job(identity=desk.identity, job_id=job.id)
    with unit_of_work(desk.identity):
        assert not FieldValue.objects.exists()


def test_values_that_make_no_sense_do_not_fail_the_job(desk: Desk, job: Job) -> None:
    strange = [
        {"name": "due_date", "type": "date", "normalized": "2026-02-31", "value": "x"},
        {"name": "total", "type": "amount", "normalized": "9" * 40, "value": "x"},
        {"name": "supplier", "type": "text", "normalized": None, "value": "Ä" * 500},
        {"value": "nameless"},
    ]
    with unit_of_work(desk.identity):
        Job.objects.filter(id=job.id).update(fields={"fields": strange})
        values = FieldValue.objects.order_by("name").values_list("name", "number", "day")
        assert list(values) == [("due_date", None, None), ("supplier", None, None), ("total", None, None)]
        Job.objects.filter(id=job.id).update(fields={"fields": "none"})
        assert not FieldValue.objects.exists()


def test_a_tenant_finds_its_own_documents_alone(desk: Desk, job: Job, other_identity: Identity) -> None:
    assert found(other_identity, "field.total=119") == []
    with unit_of_work(other_identity):
        assert not FieldValue.objects.exists()


def test_a_filter_that_makes_no_sense_is_refused(desk: Desk) -> None:
    answer = ask(desk.identity, "jobs?field.total.min=much")
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")
    assert "such as 100 or 99.50" in answer.json()["detail"]


def test_a_search_is_restricted_by_fields(desk: Desk, job: Job) -> None:
    def hits(query: str) -> list[str]:
        return [hit["job"] for hit in ask(desk.identity, f"search?q=Rechnung&{query}").json()["data"]]

    assert hits("field.total.min=100") == [str(job.id)]
    assert hits("field.total.min=200") == []
    assert ask(desk.identity, "search?q=Rechnung&field.total.min=x").status_code == 400
