"""Tests of the fields of a document: merged when its last page ends, in its result and webhook, erased with it."""

from typing import Any

from django.test import Client

from inference.pipelines.parse import FIELD_CANDIDATES
from jobs.core.models import Job
from jobs.retention.erasing import erase_job
from jobs.webhooks.payloads import job_data
from tenants.api.authentication import IDENTITY
from tenants.core.db.unit_of_work import unit_of_work
from tests.inference.fields.invoices import GERMAN, candidates_of
from tests.jobs.results.exports.conftest import ReadingDesk
from tests.jobs.results.exports.test_json_result import exported, faults


def finished(desk: ReadingDesk, *texts: str) -> Job:
    job = desk.submit(pages=len(texts))
    for number, text in enumerate(texts, 1):
        desk.answer(job, number, {"text": text, "lines": [], FIELD_CANDIDATES: candidates_of(text)})
    with unit_of_work(desk.identity.tenant_id):
        return Job.objects.select_related("model_version__served_model").get(id=job.id)


def result_of(desk: ReadingDesk, job: Job) -> dict[str, Any]:
    answer = Client().get(f"/v1/jobs/{job.id}/result", **{IDENTITY: desk.identity})  # type: ignore[arg-type]
    made: dict[str, Any] = answer.json()
    return made


def test_result_has_the_fields_of_the_document_and_not_those_of_pages(desk: ReadingDesk) -> None:
    made = result_of(desk, finished(desk, GERMAN, "Page 2"))
    found = {field["name"]: field["normalized"] for field in made["fields"]}
    assert (found["invoice_number"], found["total"], found["issue_date"]) == ("RE-2024-0815", "119.00", "2024-03-12")
    assert {field["page"] for field in made["fields"]} == {1}
    assert [page for page in made["pages"] if FIELD_CANDIDATES in page] == []
    assert faults(made) == []


def test_exported_result_has_the_fields_too(desk: ReadingDesk) -> None:
    job = finished(desk, GERMAN)
    made = exported(desk, job)
    assert len(made["fields"]) == 11
    assert faults(made) == []


def test_letter_has_no_fields_and_an_answer_without_candidates_says_nothing_of_fields(desk: ReadingDesk) -> None:
    assert result_of(desk, finished(desk, "Dear Anna,\nthe rent is 500.00 EUR a month.\nYours, Ben"))["fields"] == []
    other = desk.submit()
    desk.answer(other, 1, {"text": "a", "lines": []})
    assert "fields" not in result_of(desk, other)


def test_webhook_has_the_fields_and_erasing_the_job_takes_them(desk: ReadingDesk) -> None:
    job = finished(desk, GERMAN)
    assert len(job_data(job)["fields"]) == 11
    erase_job(identity=desk.identity, job_id=job.id)
    with unit_of_work(desk.identity.tenant_id):
        assert Job.objects.get(id=job.id).fields is None
