"""Test that a document gets the fields of its class when a person corrects it, and keeps what people corrected."""

from typing import Any

import pytest

from inference.pipelines.parse import FIELD_CANDIDATES
from inference.registry.models import ModelVersion
from jobs.core.models import Job
from jobs.own_fields.services import change_field
from jobs.results.corrections.fields import correct_field, undo_field
from jobs.results.corrections.services import correct_class, undo_class
from jobs.submission.cancellations import cancel_job
from tenants.identity.identity import Identity
from tests.inference.fields.invoices import LETTER, candidates_of
from tests.jobs.own_fields.conftest import ContractDesk, own, page

REMINDER = "Invoice no. INV-7\nTotal due   $108.25"
"""A text with too few signs of an invoice."""
NUMBER = "contract_number"


@pytest.fixture
def desk(identity: Identity, version: ModelVersion) -> ContractDesk:
    return ContractDesk(identity, version)


@pytest.fixture
def contract(desk: ContractDesk) -> Job:
    """Make a job on a document without a class, whose tenant has a field of letters."""
    desk.field(desk.contract("AB-1234"), classes=["letter"])
    return desk.contract("XY-9876")


def corrected(desk: ContractDesk, job: Job, label: str, number: int = 0) -> Job:
    correct_class(identity=desk.identity, job_id=job.id, number=number, label=label)
    return desk.again(job)


def undone(desk: ContractDesk, job: Job, number: int = 0) -> Job:
    undo_class(identity=desk.identity, job_id=job.id, number=number)
    return desk.again(job)


def values(job: Job) -> dict[str, str]:
    return {field["name"]: field["value"] for field in (job.fields or {"fields": ()})["fields"]}


@pytest.mark.parametrize("number", [0, 1])
def test_own_fields_come_and_go_with_their_class(desk: ContractDesk, contract: Job, number: int) -> None:
    assert not own(contract)
    assert [field["value"] for field in own(corrected(desk, contract, "letter", number))] == ["XY-9876"]
    assert not own(corrected(desk, contract, "form", number))
    assert own(corrected(desk, contract, "letter", number))
    assert undone(desk, contract, number).fields == contract.fields


def test_a_class_with_the_same_fields_leaves_the_values_as_they_were_found(desk: ContractDesk) -> None:
    desk.field(desk.contract("AB-1234"))
    job = desk.contract("XY-9876")
    change_field(identity=desk.identity, name=NUMBER, type="date")
    assert corrected(desk, job, "letter").fields == job.fields


def test_a_field_that_a_person_corrected_stays_whatever_the_class_is(desk: ContractDesk, contract: Job) -> None:
    corrected(desk, contract, "letter")
    correct_field(identity=desk.identity, job_id=contract.id, name=NUMBER, value="XY-9877")
    for label in ("form", "letter"):
        (field,) = own(corrected(desk, contract, label))
        assert (field["value"], field["corrected"]) == ("XY-9877", True)
    undo_field(identity=desk.identity, job_id=contract.id, name=NUMBER)
    assert values(desk.again(contract)) == {NUMBER: "XY-9876"}


def test_a_field_that_a_person_said_is_not_there_stays_away(desk: ContractDesk, contract: Job) -> None:
    corrected(desk, contract, "letter")
    correct_field(identity=desk.identity, job_id=contract.id, name=NUMBER, value=None)
    corrected(desk, contract, "form")
    assert values(corrected(desk, contract, "letter")) == {}


def reminder(desk: ContractDesk, pages: int = 1) -> Job:
    job = desk.submit_document(desk.document(pages))
    desk.answer(job, 1, {"text": REMINDER, FIELD_CANDIDATES: candidates_of(REMINDER, LETTER)})
    return desk.again(job)


@pytest.mark.parametrize("number", [0, 1])
def test_a_document_has_the_fields_of_an_invoice_if_a_person_says_that_it_is_one(
    desk: ContractDesk, number: int
) -> None:
    job = reminder(desk)
    assert values(job) == {}
    found = values(corrected(desk, job, "invoice", number))
    assert (found["invoice_number"], found["total"]) == ("INV-7", "$108.25")
    assert undone(desk, job, number).fields == job.fields


def test_a_class_that_is_corrected_before_the_end_decides_the_fields_at_the_end(desk: ContractDesk) -> None:
    job = reminder(desk, pages=2)
    corrected(desk, job, "invoice")
    desk.answer(job, 2, {"text": ""})
    assert "invoice_number" in values(desk.again(job))


def test_a_canceled_job_gets_no_fields_by_a_class(desk: ContractDesk) -> None:
    desk.field(desk.contract("AB-1234"), classes=["letter"])
    job = desk.submit_document(desk.document(2))
    desk.answer(job, 1, page("XY-9876"))
    cancel_job(identity=desk.identity, job_id=job.id)
    ended: Any = corrected(desk, job, "letter")
    assert (ended.class_label, ended.fields) == ("letter", None)
