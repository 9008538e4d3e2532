"""Test `/v1/fields` through HTTP: what a program makes, tries, writes and deletes, and how it is refused."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from django.test import Client

from inference.registry.models import ModelVersion
from jobs.core.models import Job
from tenants.api.authentication import IDENTITY
from tenants.core.db.unit_of_work import unit_of_work
from tenants.identity.identity import Identity
from tests.jobs.own_fields.conftest import VALUE_BOX, ContractDesk, own


class Caller:
    """A program that calls `/v1/fields`."""

    def __init__(self, identity: Identity) -> None:
        self.identity = identity

    def ask(self, method: str, path: str = "", body: object = None) -> tuple[int, Any]:
        caller: Mapping[str, Any] = {IDENTITY: self.identity}
        answer = Client().generic(method, f"/v1/fields{path}", _json(body), content_type="application/json", **caller)
        return answer.status_code, answer.json() if answer.content else None


def _json(body: object) -> str:
    return "" if body is None else json.dumps(body)


@pytest.fixture
def desk(identity: Identity, version: ModelVersion) -> ContractDesk:
    return ContractDesk(identity, version)


@pytest.fixture
def program(identity: Identity) -> Caller:
    return Caller(identity)


@pytest.fixture
def job(desk: ContractDesk) -> Job:
    return desk.contract("AB-1234")


def spot(job: Job, **changes: object) -> dict[str, object]:
    return {"job": str(job.id), "page": 1, "box": list(VALUE_BOX), **changes}


def test_a_field_is_made_from_an_example_shown_changed_and_deleted(program: Caller, job: Job) -> None:
    status, made = program.ask("POST", "", {"name": "contract_number", "examples": [spot(job)]})
    assert (status, made["object"], made["labels"]) == (201, "field", ["Contract number"])
    assert (made["examples"][0]["job"], made["examples"][0]["document"]) == (str(job.id), str(job.document_id))
    assert program.ask("GET", "/contract_number") == (200, made)
    assert program.ask("GET")[1]["data"] == [made]
    status, changed = program.ask("PATCH", "/contract_number", {"title": "Contract", "classes": ["contract"]})
    assert (status, changed["title"], changed["classes"]) == (200, "Contract", ["contract"])
    assert changed["updated_at"] > made["updated_at"]
    status, example = program.ask("POST", "/contract_number/examples", spot(job))
    assert status == 201
    assert program.ask("DELETE", f"/contract_number/examples/{example['id']}")[0] == 204
    assert program.ask("DELETE", "/contract_number")[0] == 204
    assert program.ask("GET", "/contract_number")[0] == 404


def test_pointing_shows_what_is_read_and_guessed(program: Caller, job: Job) -> None:
    corners = [[320, 200], [520, 200], [520, 240], [320, 240]]
    status, seen = program.ask("POST", "/point", spot(job, box=corners))
    assert (status, seen["text"], seen["label"]) == (200, "AB-1234", "Contract number")
    status, refused = program.ask("POST", "/point", spot(job, box=[700, 900, 701, 901]))
    assert (status, refused["code"]) == (400, "invalid_request")
    assert "no text was read there" in refused["detail"]


@pytest.mark.parametrize("box", [[1, 2, 3], "x", [1, 2, 3, None], [1, 2, 3, "4"], [[1, 2]] * 3, [[1], [2], [3], [4]]])
def test_a_box_that_is_none_is_refused(program: Caller, job: Job, box: object) -> None:
    status, refused = program.ask("POST", "/point", spot(job, box=box))
    assert (status, refused["code"]) == (400, "invalid_request")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": 3},
        {"name": "one", "labels": "x"},
        {"name": "one", "surname": "two"},
        [],
        {"name": "one", "examples": [{}]},
    ],
)
def test_a_body_that_is_no_field_is_refused(program: Caller, body: object) -> None:
    status, refused = program.ask("POST", "", body)
    assert (status, refused["code"]) == (400, "invalid_request")


def test_a_field_is_tried_saved_changed_or_not_saved(program: Caller, desk: ContractDesk, job: Job) -> None:
    other = desk.contract("XY-9876")
    status, trial = program.ask("POST", "/try", {"field": {"examples": [spot(job)]}, "documents": 5})
    assert (status, trial["tried"], trial["found"], trial["field"]["labels"]) == (200, 2, 2, ["Contract number"])
    assert trial["documents"][0]["job"] == str(other.id)
    (value,) = trial["documents"][0]["values"]
    assert (value["value"], value["page"]) == ("XY-9876", 1)
    program.ask("POST", "", {"name": "contract_number", "examples": [spot(job)]})
    assert program.ask("POST", "/try", {"name": "contract_number"})[1]["found"] == 2
    changes = {"name": "contract_number", "field": {"classes": ["letter"]}}
    assert program.ask("POST", "/try", changes)[1]["in_class"] == 0
    assert program.ask("POST", "/try", {})[0] == 400
    assert program.ask("POST", "/try", {"name": "unknown"})[0] == 404
    assert program.ask("POST", "/try", {"name": "contract_number", "documents": 51})[0] == 400


def test_fields_are_written_into_earlier_documents(program: Caller, desk: ContractDesk, job: Job) -> None:
    program.ask("POST", "", {"name": "contract_number", "examples": [spot(job)]})
    status, piece = program.ask("POST", "/apply", {"limit": 1})
    assert (status, piece) == (
        200,
        {"object": "field_application", "jobs": 1, "changed": 1, "has_more": False, "next_cursor": None},
    )
    assert [found["value"] for found in own(desk.again(job))] == ["AB-1234"]
    assert program.ask("POST", "/apply", {"limit": 51})[0] == 400


def test_another_tenant_sees_no_field_and_no_example(program: Caller, other_identity: Identity, job: Job) -> None:
    stranger = Caller(other_identity)
    example = program.ask("POST", "", {"name": "contract_number", "examples": [spot(job)]})[1]["examples"][0]["id"]
    assert stranger.ask("GET")[1]["data"] == []
    for method, path, body in (
        ("GET", "/contract_number", None),
        ("PATCH", "/contract_number", {"title": "Mine"}),
        ("DELETE", "/contract_number", None),
        ("POST", "/contract_number/examples", {}),
        ("DELETE", f"/contract_number/examples/{example}", None),
        ("POST", "/point", spot(job)),
        ("POST", "/try", {"name": "contract_number"}),
        ("POST", "/try", {"field": {"examples": [spot(job)]}}),
        ("POST", "", {"name": "mine", "examples": [spot(job)]}),
    ):
        assert stranger.ask(method, path, body)[0] == 404, (method, path)
    with unit_of_work(other_identity):
        assert not Job.objects.exists()
