"""Test the columns of fields in the list, and its filters by fields."""

from django.test import Client

from inference.core.contracts import WorkOutput
from inference.pipelines.parse import FIELD_CANDIDATES
from jobs.core.models import Job
from jobs.queue.settlement import finish_page
from tests.inference.fields.invoices import GERMAN, candidates_of
from tests.jobs.conftest import Desk


def read(desk: Desk) -> Job:
    job = desk.submit()
    (page,) = desk.pages(job)
    finish_page(desk.claimed(page), WorkOutput({"text": GERMAN, FIELD_CANDIDATES: candidates_of(GERMAN)}))
    return job


def test_a_person_chooses_columns_and_filters(member: Client, desk: Desk) -> None:
    job = read(desk)
    member.cookies["field-columns"] = "total%20unknown"
    page = member.get("/jobs?sent=all&by_field=total&comparison=min&value=100").content.decode()
    assert '<th scope="col" class="col-field">Total</th>' in page
    assert "<bdi>119.00</bdi>" in page
    assert "<bdi>Total at least 100</bdi>" in page
    assert 'name="field.total.min" value="100" form="find"' in page
    none = member.get("/jobs?sent=all&field.total.min=200").content.decode()
    assert str(job.id) not in none
