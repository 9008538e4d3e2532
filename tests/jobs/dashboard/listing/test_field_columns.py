"""Test the columns of fields in the list, and its filters by fields."""

import re

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


def test_a_bad_filter_stays_in_the_form_with_the_reason(member: Client, desk: Desk) -> None:
    job = read(desk)
    asked = "/jobs?sent=all&by_field=total&comparison=min&value=1.000,50"
    page = member.get(asked).content.decode()
    assert str(job.id) in page
    assert "Total at least: “1.000,50” must be a number, such as 100 or 99.50." in page
    assert 'value="1.000,50"' in page
    assert re.search('id="by-field" data-menu open', page)
    assert '<option value="min" selected>' in page
    assert "left out" not in page
    anew = member.get(asked, headers={"HX-Request": "true"})
    assert 'class="fault" role="alert" hx-swap-oob="true">Total at least: “1.000,50” must' in anew.content.decode()
    assert anew["HX-Push-Url"] == "/jobs?sent=all"


def test_a_bad_filter_in_an_address_is_said_to_be_left_out(member: Client, desk: Desk) -> None:
    read(desk)
    page = member.get("/jobs?sent=all&field.total.min=abc&field.total.max=1000&field.%3Cb%3E=1").content.decode()
    assert "Total at least: “abc” must be a number, such as 100 or 99.50.</bdi> This filter was left out." in page
    assert "names no field" in page
    assert "<b>" not in page
    assert "<bdi>Total at most 1000</bdi>" in page
    assert member.get("/jobs/fields?format=csv&field.total.min=abc").status_code == 400


def test_the_form_offers_the_comparisons_of_the_type(member: Client, desk: Desk) -> None:
    read(desk)
    page = member.get("/jobs?sent=all").content.decode()
    ways = dict(re.findall(r'<option value="(\w+)" data-ways="([^"]*)"', page))
    assert (ways["total"], ways["due_date"], ways["iban"]) == ("is min max", "is from to", "is contains")
