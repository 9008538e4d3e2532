"""Test that fields are corrected, added and removed, in every place that shows them, and that this can be undone."""

from typing import Any

import pytest
from django.test import Client

from inference.pipelines.parse import FIELD_CANDIDATES
from jobs.core.errors import NotRead
from jobs.core.models import Correction, Job
from jobs.dashboard.reading.checks import places_to_check
from jobs.own_fields.models import OwnField
from jobs.results.corrections.fields import FieldPlace, correct_field, undo_field
from jobs.results.corrections.services import correct_line, undo_line
from jobs.results.exports.services import JSON
from jobs.results.result_json import result_json
from jobs.retention.erasing import erase_job
from jobs.webhooks.payloads import job_data
from tenants.api.authentication import IDENTITY
from tenants.audit.models import AuditEntry
from tenants.core.db.unit_of_work import unit_of_work
from tenants.core.errors import InvalidRequest, NotFound
from tenants.identity.identity import Identity
from tests.inference.fields.invoices import GERMAN, candidates_of, lines_of
from tests.jobs.results.exports.conftest import ReadingDesk

INVOICE = GERMAN.replace("   Ihre Bestellung: 4500012345", "")
"""An invoice without an order number."""


@pytest.fixture
def desk(identity: Any, version: Any) -> ReadingDesk:
    return ReadingDesk(identity, version)


@pytest.fixture
def job(desk: ReadingDesk) -> Job:
    job = desk.submit()
    desk.answer(job, 1, {"text": INVOICE, FIELD_CANDIDATES: candidates_of(INVOICE)})
    return desk.again(job)


def correct(desk: ReadingDesk, job: Job, name: str, value: str | None, place: FieldPlace | None = None) -> Correction:
    return correct_field(identity=desk.identity, job_id=job.id, name=name, value=value, place=place)


def shown(desk: ReadingDesk, job: Job) -> dict[str, Any]:
    with unit_of_work(desk.identity):
        found: Any = result_json(desk.again(job))
    return {**found, "by_name": {field["name"]: field for field in found["fields"]}}


def test_a_corrected_field_is_in_the_result_the_file_and_the_webhook(desk: ReadingDesk, job: Job) -> None:
    original = shown(desk, job)["by_name"]["total"]["value"]
    correct(desk, job, "total", "200,00")
    found = shown(desk, job)
    assert found["by_name"]["total"]["normalized"] == "200.00"
    assert "read" not in found
    (correction,) = found["corrections"]
    assert (correction["kind"], correction["name"], correction["original"]) == ("field", "total", original)
    assert b'"corrections":[{"kind":"field"' in desk.exported(job, JSON)
    with unit_of_work(desk.identity):
        fields: Any = job_data(desk.again(job))["fields"]
    assert [field["value"] for field in fields if field["name"] == "total"] == ["200,00"]


def test_a_field_is_removed_added_and_undone(desk: ReadingDesk, job: Job) -> None:
    before = shown(desk, job)
    correct(desk, job, "supplier", None)
    box = [[1, 2], [30, 2], [30, 9], [1, 9]]
    correct(desk, job, "order_number", "B-77", FieldPlace(1, box))
    found = shown(desk, job)["by_name"]
    assert "supplier" not in found
    assert (found["order_number"]["box"], found["order_number"]["read"]) == (box, None)
    undo_field(identity=desk.identity, job_id=job.id, name="supplier")
    undo_field(identity=desk.identity, job_id=job.id, name="order_number")
    assert shown(desk, job) == before
    with pytest.raises(NotFound, match="no correction"):
        undo_field(identity=desk.identity, job_id=job.id, name="supplier")


def test_corrections_are_recorded_without_values_and_erased(desk: ReadingDesk, job: Job) -> None:
    correct(desk, job, "total", "200,00")
    with unit_of_work(desk.identity):
        notes = AuditEntry.objects.filter(action="correction.made").values_list("note", flat=True)
        assert set(notes) == {"document, field total"}
    erase_job(identity=desk.identity, job_id=job.id)
    with unit_of_work(desk.identity):
        assert not Correction.objects.exists()
        assert desk.again(job).fields is None


@pytest.mark.parametrize(
    ("name", "value", "refusal"),
    [
        ("total", "much", "must be an amount, such as 1234.50"),
        ("issue_date", "soon", "must be a date"),
        ("currency", "shells", "must be a currency"),
        ("supplier", "", "1 to 2000 printable characters"),
        ("supplier", "a\n\tb\x00", "1 to 2000 printable characters"),
        ("iban", "a\nb", "in a single line"),
    ],
)
def test_a_value_that_is_not_of_the_type_is_refused(
    desk: ReadingDesk, job: Job, name: str, value: str, refusal: str
) -> None:
    with pytest.raises(InvalidRequest, match=refusal):
        correct(desk, job, name, value)


def test_what_cannot_be_there_is_refused(desk: ReadingDesk, job: Job) -> None:
    with pytest.raises(NotFound, match=r"no field 'colour'. The fields are: invoice_number, "):
        correct(desk, job, "colour", "red")
    with pytest.raises(NotFound, match="no page 9"):
        correct(desk, job, "total", "1", FieldPlace(9))
    with pytest.raises(InvalidRequest, match="four corners"):
        correct(desk, job, "total", "1", FieldPlace(1, [[0, 0]] * 3))
    with pytest.raises(NotRead, match="when it has ended"):
        correct(desk, desk.submit(), "total", "1")


def test_own_fields_are_corrected_like_others(desk: ReadingDesk, job: Job) -> None:
    with unit_of_work(desk.identity):
        OwnField.objects.create(
            tenant_id=desk.identity.tenant_id, name="cost_center", title="Kostenstelle", type="number", place="label"
        )
    correct(desk, job, "cost_center", "4711,5")
    found = shown(desk, job)["by_name"]["cost_center"]
    assert (found["normalized"], found["own"], found["type"]) == ("4711.5", True, "number")
    with unit_of_work(desk.identity):
        fields: Any = desk.again(job).fields
        item = {**found, "corrected": False, "read": None}
        Job.objects.filter(id=job.id).update(fields={**fields, "read": {**fields["read"], "fields": [item, item]}})
    with pytest.raises(InvalidRequest, match="has 2 values here"):
        correct(desk, job, "cost_center", "1")


def test_each_value_of_a_column_is_corrected_removed_and_undone(desk: ReadingDesk, job: Job) -> None:
    with unit_of_work(desk.identity):
        values = [
            {"name": "article", "value": value, "normalized": value, "type": "text", "page": 1, "box": None}
            | {"quote": value, "confidence": 0.7, "own": True, "index": index}
            for index, value in enumerate(("A-1", "B-2", "C-3"))
        ]
        fields: Any = desk.again(job).fields
        Job.objects.filter(id=job.id).update(fields={**fields, "fields": [*fields["fields"], *values]})

    def column() -> list[str]:
        return [field["value"] for field in shown(desk, job)["fields"] if field["name"] == "article"]

    def put(value: str | None, **more: int) -> Any:
        return ask(desk.identity, "put", job, {"value": value, **more}, "article")

    assert put("B-7", index=1).json()["index"] == 1
    assert put("A-1", index=0).json()["original"] == "A-1"
    assert column() == ["A-1", "B-7", "C-3"]
    assert put(None, index=2).status_code == 200
    assert column() == ["A-1", "B-7"]
    assert put("x", index=3).status_code == 404
    assert put("x").status_code == 400
    assert ask(desk.identity, "delete", job, None, "article?index=1").status_code == 204
    assert ask(desk.identity, "delete", job, None, "article?index=x").status_code == 400
    assert column() == ["A-1", "B-2"]
    assert put(None).json()["index"] is None
    assert column() == []
    with unit_of_work(desk.identity):
        notes = AuditEntry.objects.filter(action="correction.made").values_list("note", flat=True)
        assert "document, field article, value 1" in set(notes)


def test_an_address_of_several_lines_is_confirmed(desk: ReadingDesk, job: Job) -> None:
    correct(desk, job, "supplier", "Kestrel Ltd \n9 High Street")
    assert shown(desk, job)["by_name"]["supplier"]["value"] == "Kestrel Ltd\n9 High Street"


def test_a_field_follows_its_line_and_comes_back(desk: ReadingDesk) -> None:
    job = desk.submit()
    lines = [{"text": line.text, "box": None, "confidence": 0.9} for line in lines_of(INVOICE)]
    desk.answer(job, 1, {"text": INVOICE, "lines": lines, FIELD_CANDIDATES: candidates_of(INVOICE)})
    before = shown(desk, job)
    total = before["by_name"]["total"]
    index = next(place for place, line in enumerate(lines) if line["text"] == total["quote"])
    text = total["quote"].replace(total["value"], "200,00")
    correct_line(identity=desk.identity, job_id=job.id, number=1, index=index, text=text)
    followed = shown(desk, job)["by_name"]["total"]
    assert (followed["value"], followed["normalized"], followed["quote"]) == ("200,00", "200.00", text.strip())
    undo_line(identity=desk.identity, job_id=job.id, number=1, index=index)
    assert shown(desk, job) == before


def test_unsure_fields_are_places_to_check_until_somebody_did(desk: ReadingDesk) -> None:
    job = desk.submit()
    page = candidates_of(INVOICE)
    doubtful = [{**each, "confidence": 0.5} for each in page["candidates"]]
    desk.answer(job, 1, {"text": "", FIELD_CANDIDATES: {**page, "candidates": doubtful}})
    with unit_of_work(desk.identity):
        places = {(doubt.place, doubt.tab) for doubt in places_to_check(desk.again(job))}
    assert ("f-total", "fields") in places
    correct(desk, job, "total", "119,00 €")
    with unit_of_work(desk.identity):
        assert "f-total" not in {doubt.place for doubt in places_to_check(desk.again(job))}


def ask(identity: Identity, method: str, job: Job, body: object = None, name: str = "total") -> Any:
    send = getattr(Client(), method)
    return send(f"/v1/jobs/{job.id}/fields/{name}", body, content_type="application/json", **{IDENTITY: identity})


def test_the_api_corrects_and_undoes(desk: ReadingDesk, job: Job, other_identity: Identity) -> None:
    answer = ask(desk.identity, "put", job, {"value": "200.00"})
    assert (answer.status_code, answer.json()["corrected"], answer.json()["index"]) == (200, "200.00", None)
    assert ask(desk.identity, "put", job, {"value": None}).json()["corrected"] == ""
    assert ask(desk.identity, "put", job, {}).status_code == 400
    assert ask(desk.identity, "put", job, {"value": "1", "box": [[0, 0]]}).status_code == 400
    assert ask(other_identity, "put", job, {"value": "1"}).status_code == 404
    assert ask(other_identity, "delete", job).status_code == 404
    assert ask(desk.identity, "delete", job).status_code == 204
