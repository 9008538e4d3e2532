"""Test that a job that names a class set gets its classes: of the document, its pages and the documents in it."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from inference.class_sets.evaluation import UNSURE
from inference.core.contracts import WorkOutput
from jobs.api.jobs import job_body
from jobs.api.schemas import result_schema
from jobs.class_sets.errors import ClassSetNotFound, ClassSetNotTrained
from jobs.class_sets.models import ClassExample, ClassifiedJob
from jobs.class_sets.reading import page_features
from jobs.class_sets.services import change_class_set, delete_class_set
from jobs.core.models import Job
from jobs.queue.settlement import finish_page
from jobs.results.exports.services import JSON, export_job
from jobs.retention.erasing import erase_job
from jobs.submission.services import JobRequest, submit_job
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import InvalidRequest
from tenants.identity.identity import Identity
from tests.inference.class_sets.papers import result
from tests.jobs.own_fields.conftest import ContractDesk, own

from .conftest import NAME, Office, stack


def class_of(job: Job) -> dict[str, Any]:
    found: dict[str, Any] = job_body(job)["class"]
    return found


def test_the_job_and_its_pages_get_the_classes_of_the_version(office: Office) -> None:
    office.examples()
    office.train()
    job = office.paper("offer", 50, NAME)
    assert job.class_set == "letters@1"
    found = class_of(job)
    assert (found["label"], found["class_set"], found["corrected"]) == ("offer", "letters@1", False)
    assert sum(found["probabilities"].values()) == pytest.approx(1, abs=0.001)
    assert next(iter(found["probabilities"])) == "offer"
    body = office.result(job)
    (page,) = body["pages"]
    assert (page["class"]["label"], page["class"]["class_set"]) == ("offer", "letters@1")
    (segment,) = body["segments"]
    assert (segment["first_page"], segment["last_page"], segment["class"]) == (1, 1, "offer")


def test_a_job_without_a_class_set_is_as_before(office: Office) -> None:
    office.examples()
    office.train()
    job = office.read([{**result("offer", 50), "class": {"label": "letter", "probabilities": {"letter": 1.0}}}])
    assert class_of(job) == {"label": "letter", "probabilities": {"letter": 1.0}, "corrected": False}
    assert "segments" not in office.result(job)


def test_a_stack_is_split_where_class_and_page_numbers_change(office: Office) -> None:
    office.examples()
    office.train()
    job = office.read(stack(), NAME)
    body = office.result(job)
    found = [(one["first_page"], one["last_page"], one["class"]) for one in body["segments"]]
    assert found == [(1, 2, "invoice"), (3, 3, "offer"), (4, 4, "invoice")]
    exported = export_job(whose=office.desk.identity, job_id=job.id, format_=JSON).file.read()
    assert b'"segments":[{' in exported
    assert b'"class_set":"letters@1"' in exported


def test_the_result_is_as_the_schema_says(office: Office) -> None:
    office.examples()
    office.train()
    body = json.loads(json.dumps(office.result(office.read(stack(), NAME)), default=str))
    Draft202012Validator(json.loads(result_schema())).validate(body)


def test_the_stored_result_of_a_page_does_not_have_the_class_of_a_set(office: Office) -> None:
    office.examples()
    office.train()
    job = office.paper("offer", 50, NAME)
    assert "class" not in (office.desk.pages(job)[0].result or {})
    assert office.desk.pages(job)[0].class_probabilities is None


def test_a_page_that_failed_belongs_to_the_document_before(office: Office) -> None:
    office.examples()
    office.train()
    pages = [result("offer", 50, number="Page 1 of 2"), {"text": ""}, result("invoice", 51)]
    found = office.result(office.read(pages, NAME))["segments"]
    assert [(one["first_page"], one["last_page"]) for one in found] == [(1, 2), (3, 3)]


def test_a_document_without_text_is_of_no_class(office: Office) -> None:
    office.examples()
    office.train()
    assert class_of(office.read([{"text": ""}], NAME))["label"] == UNSURE


@pytest.mark.parametrize(
    "odd",
    [
        {"text": 5, "lines": "none", "blocks": {}, "tables": "no"},
        {"lines": [1, None, {"text": ["a"], "box": [1, 2]}], "text": "Invoice"},
        {"lines": [{"text": "a", "box": [["x", "y"]] * 4}], "width": "wide", "height": -1, "text": "a"},
        {"text": "a", "blocks": [3, {"type": "heading", "lines": {"a": 1}}], "lines": [{"text": "a"}]},
        {"text": "a", "lines": [{"text": "a", "box": [[10**400, 1]] * 4}]},
    ],
)
def test_an_odd_result_of_a_model_ends_the_job_all_the_same(office: Office, odd: dict[str, Any]) -> None:
    page_features({name: value for name, value in odd.items() if name != "tables"})
    office.examples()
    office.train()
    assert office.read([odd], NAME).state == "succeeded"


def test_a_version_that_is_named_answers_after_a_later_one(office: Office) -> None:
    office.examples(kinds=("invoice", "offer"))
    office.train()
    office.more("delivery note", range(5))
    office.train()
    assert office.paper("delivery note", 50, "letters@1").class_set == "letters@1"
    assert class_of(office.paper("delivery note", 51, NAME))["label"] == "delivery note"
    change_class_set(identity=office.desk.identity, name=NAME, version=1)
    assert office.paper("offer", 52, NAME).class_set == "letters@1"


def test_submission_says_what_is_wrong_with_the_class_set(office: Office, other_identity: Identity) -> None:
    def refused(error: type[Exception], class_set: str, identity: Identity = office.desk.identity, **of: Any) -> str:
        source = of or {"document_id": office.desk.document(1).id}
        request = JobRequest(model=office.desk.version.served_model.name, class_set=class_set, **source)
        with pytest.raises(error) as refusal:
            submit_job(identity=identity, request=request)
        return str(refusal.value)

    assert refused(ClassSetNotFound, "letters") == ("There is no class set 'letters'. Create and train it first.")
    office.examples()
    assert "has not been trained" in refused(ClassSetNotTrained, "letters")
    office.train()
    assert "no version 2" in refused(ClassSetNotFound, "letters@2")
    assert "Use one of: letters." in refused(ClassSetNotFound, "mail")
    assert "letters@3 for version 3" in refused(InvalidRequest, "Letters!")
    assert "document" in refused(InvalidRequest, "letters", input={"text": "hello"})


def test_another_tenants_class_set_does_not_exist(office: Office, other_identity: Identity) -> None:
    office.examples()
    office.train()
    other = Office(type(office.desk)(other_identity, office.desk.version))
    with pytest.raises(ClassSetNotFound):
        other.paper("offer", 50, NAME)


def test_a_job_whose_set_is_deleted_meanwhile_ends_without_it(office: Office) -> None:
    office.examples()
    office.train()
    desk = office.desk
    request = JobRequest(model=desk.version.served_model.name, document_id=desk.document(1).id, class_set=NAME)
    job = submit_job(identity=desk.identity, request=request)
    delete_class_set(identity=desk.identity, name=NAME)
    finish_page(desk.claimed(desk.pages(job)[0]), WorkOutput(result("offer", 50)))
    ended = desk.again(job)
    assert (ended.state, job_body(ended)["class"]) == ("succeeded", None)


def test_an_erased_job_leaves_no_class_and_no_example(office: Office) -> None:
    jobs = office.examples()
    office.train()
    job = office.paper("offer", 50, NAME)
    for erased in (str(job.id), jobs["offer"][0]):
        erase_job(identity=office.desk.identity, job_id=erased)
    with unit_of_work(office.desk.identity):
        assert not ClassifiedJob.objects.filter(job_id=job.id).exists()
        assert not ClassExample.objects.filter(job_id=jobs["offer"][0]).exists()
        assert Job.objects.get(id=job.id).class_set == ""


def test_a_field_of_the_classes_of_a_class_set_is_found(office: Office) -> None:
    office.examples()
    office.train()
    desk = ContractDesk(office.desk.identity, office.desk.version)
    desk.field(desk.contract("AB-1234"), labels=["Price offered"], place="label", type="amount", classes=["offer"])
    assert len(own(office.paper("offer", 50, NAME))) == 1
    assert not own(office.paper("invoice", 51, NAME))


def test_a_job_is_classed_by_all_of_its_pages_whichever_ends_last(office: Office) -> None:
    office.examples()
    office.train()
    desk = office.desk
    whole = office.result(office.read(stack(), NAME))
    request = JobRequest(model=desk.version.served_model.name, document_id=desk.document(4).id, class_set=NAME)
    job = submit_job(identity=desk.identity, request=request)
    for page, found in reversed(list(zip(desk.pages(job), stack(), strict=True))):
        finish_page(desk.claimed(page), WorkOutput(found))
    again = office.result(desk.again(job))
    assert again["segments"] == whole["segments"]
    assert [page["class"] for page in again["pages"]] == [page["class"] for page in whole["pages"]]
