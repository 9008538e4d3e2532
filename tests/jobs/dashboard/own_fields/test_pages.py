"""Test the pages of own fields: a value is pointed at, tried, saved, changed, looked for, and deleted."""

import json
import re

import pytest
from django.test import Client

from inference.registry.models import ModelVersion
from jobs.core.models import Job
from jobs.dashboard.own_fields.forms import name_of
from jobs.dashboard.own_fields.pointing import choice_of
from jobs.dashboard.reading.lines import ReadLine
from jobs.own_fields.models import OwnField, OwnFieldExample
from jobs.results.corrections.services import correct_line
from jobs.retention.erasing import erase_job
from tenants.core.db.unit_of_work import unit_of_work
from tenants.identity.identity import Identity
from tests.jobs.dashboard.conftest import html
from tests.jobs.documents.conftest import Folder, folder
from tests.jobs.own_fields.conftest import VALUE_BOX, ContractDesk, own

__all__ = ["folder"]


@pytest.fixture
def desk(identity: Identity, version: ModelVersion) -> ContractDesk:
    return ContractDesk(identity, version)


@pytest.fixture
def job(desk: ContractDesk, folder: Folder) -> Job:
    job = desk.contract("AB-1234")
    desk.draw(job, 1)
    return job


def spot(job: Job, **more: str) -> dict[str, str]:
    return {"job": str(job.id), "page": "1", "box": json.dumps(VALUE_BOX), **more}


SETTINGS = {"title": "Contract number", "type": "identifier", "place": "right", "labels": "Contract number\nOur no."}


def test_an_account_without_fields_is_told_how_to_begin(member: Client) -> None:
    page = html(member, "/fields")
    assert "No fields of your own yet" in page
    assert "/fields/new" in page


def test_the_tab_of_a_document_leads_to_a_page_to_point_at(member: Client, job: Job) -> None:
    tab = html(member, f"/jobs/{job.id}?tab=fields").replace("&amp;", "&")
    address = f"/fields/new?job={job.id}&page=1"
    assert address in tab
    page = html(member, address)
    assert f"/v1/documents/{job.document_id}/pages/1/picture" in page
    assert re.search(r"<option value=\"\[320\.0, 200\.0, 520\.0, 240\.0\]\">AB-1234</option>", page)


def test_the_value_is_shown_with_a_form_that_is_filled_in(member: Client, job: Job) -> None:
    page = member.post("/fields/point", spot(job, title="Typed before")).content.decode()
    assert "AB-1234" in page
    assert 'value="Typed before"' in page
    assert re.search(r'<option value="identifier" selected>', page)
    nothing = member.post("/fields/point", spot(job) | {"box": "[1, 900, 2, 901]"}).content.decode()
    assert "no text was read there" in nothing
    assert "Point at a value first" in member.post("/fields/point", spot(job) | {"box": ""}).content.decode()
    assert "must be four numbers" in member.post("/fields/point", spot(job) | {"box": "x"}).content.decode()


def test_the_form_is_tried_as_it_is_on_the_last_documents(member: Client, desk: ContractDesk, job: Job) -> None:
    desk.contract("XY-9876")
    desk.contract("nothing", label="Hello")
    page = member.post("/fields/try", spot(job) | SETTINGS).content.decode()
    assert "Found in 2 of the last 3 documents" in page
    assert "XY-9876" in page
    assert "not found" in page
    assert (
        "of another class" in member.post("/fields/try", spot(job) | SETTINGS | {"classes": "letter"}).content.decode()
    )
    unlabeled = {"type": "text", "place": "right"}
    assert "Type a label" in member.post("/fields/try", unlabeled).content.decode()
    beyond = {"place": "nowhere", "labels": "No."}
    assert "`place`" in member.post("/fields/try", beyond).content.decode()
    with unit_of_work(desk.identity):
        assert not OwnField.objects.exists()


def test_a_field_is_saved_shown_changed_and_deleted(member: Client, desk: ContractDesk, job: Job) -> None:
    made = member.post("/fields/new", spot(job) | SETTINGS)
    assert made.status_code == 302
    page = html(member, made["Location"])
    assert "contract_number" in page
    assert "Our no." in page
    assert "1 of 1" in html(member, "/fields?found=1")
    assert (
        "AB-1234"
        in member.post("/fields/try", {"field": made["Location"].rpartition("/")[2]} | SETTINGS).content.decode()
    )
    member.post(made["Location"], SETTINGS | {"title": "Contract", "classes": "letter, contract"})
    with unit_of_work(desk.identity):
        field = OwnField.objects.get()
    assert (field.title, field.classes) == ("Contract", ["letter", "contract"])
    with unit_of_work(desk.identity):
        example = OwnFieldExample.objects.get()
    member.post(f"{made['Location']}/examples/{example.id}/delete")
    assert "None. It is found by its labels alone." in html(member, made["Location"])
    member.post(f"{made['Location']}/delete")
    assert "Field deleted" in html(member, "/fields")


def test_another_example_is_added_to_a_field(member: Client, desk: ContractDesk, job: Job) -> None:
    field = desk.field(job)
    other = desk.contract("XY-9876")
    page = member.post("/fields/point", spot(other)).content.decode()
    assert f'<option value="{field.id}">' in page
    member.post("/fields/examples", spot(other, field=str(field.id)))
    erase_job(identity=desk.identity, job_id=other.id)
    page = html(member, f"/fields/{field.id}")
    assert "Example added" in page
    assert "The document was deleted. What was learned is kept." in page
    assert member.post("/fields/examples", spot(job)).status_code == 404


def test_earlier_documents_are_searched_piece_by_piece(
    member: Client, desk: ContractDesk, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = desk.contract("XY-9876")
    desk.field(job)
    monkeypatch.setattr("jobs.own_fields.applying.MAX_PAGES_READ", 1)
    first = member.post("/fields/apply").content.decode()
    assert "Looking: 1 documents so far, 1 changed" in first
    values = dict(re.findall(r'name="(after|jobs|changed)" value="([^"]+)"', first))
    assert "Done: 2 documents were searched, 2 changed." in member.post("/fields/apply", values).content.decode()
    assert [own(desk.again(one))[0]["value"] for one in (job, other)] == ["AB-1234", "XY-9876"]


def test_what_is_wrong_is_said_and_nothing_is_lost(member: Client, desk: ContractDesk, job: Job) -> None:
    desk.field(job)
    answer = member.post("/fields/new", spot(job) | SETTINGS)
    assert answer.status_code == 422
    assert "there is a field" in answer.content.decode()
    assert "Our no." in answer.content.decode()
    assert member.post("/fields/new", {**SETTINGS, "title": ""}).status_code == 422
    assert member.get(f"/fields/new?job={job.id}&page=2").status_code == 404
    assert member.get(f"/fields/new?job={job.id}&page=x").status_code == 404


def test_a_viewer_sees_fields_and_cannot_change_them(viewer: Client, desk: ContractDesk, job: Job) -> None:
    field = desk.field(job)
    assert "Define by label" not in html(viewer, "/fields")
    page = html(viewer, f"/fields/{field.id}")
    assert "Save field" not in page
    assert viewer.post(f"/fields/{field.id}/delete").status_code == 403
    assert "define-field" not in html(viewer, f"/jobs/{job.id}")


@pytest.mark.parametrize(
    ("title", "name"),
    [("Contract no.", "contract_no"), ("Größe (m²)", "grosse_m2"), ("2nd name", "field_2nd_name"), ("合同", "field")],
)
def test_a_name_for_programs_is_made_from_the_title(title: str, name: str) -> None:
    assert name_of(title) == name


def test_lines_with_text_and_a_place_are_choices() -> None:
    box = ((0.0, 0.0), (100.0, 0.0), (100.0, 10.0), (0.0, 10.0))
    choice = choice_of(ReadLine(0, "Ref: AB12", box, None))
    assert choice is not None
    assert (choice.text, json.loads(choice.box)) == ("Ref: AB12", [0, 0, 100, 10])
    assert choice_of(ReadLine(0, "Ref", None, None)) is None
    assert choice_of(ReadLine(0, " ", box, None)) is None


def test_what_was_corrected_is_pointed_at_and_found(member: Client, desk: ContractDesk, job: Job) -> None:
    correct_line(identity=desk.identity, job_id=job.id, number=1, index=2, text="ZZ-7777")
    assert ">ZZ-7777</option>" in html(member, f"/fields/new?job={job.id}&page=1")
    assert "<strong>ZZ-7777</strong>" in member.post("/fields/point", spot(job)).content.decode()
    tried = member.post("/fields/try", spot(job) | SETTINGS).content.decode()
    assert "ZZ-7777" in tried
    assert "AB-1234" not in tried
