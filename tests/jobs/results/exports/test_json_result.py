"""Tests of the export as JSON, and of the schema that describes it."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from jsonschema import Draft202012Validator

from jobs.api.schemas import result_schema
from jobs.api.serializers.pages import PageSerializer
from jobs.api.serializers.results import ResultSerializer
from jobs.core.models import Job
from jobs.core.states import JOB_STATES
from jobs.results.exports.page_blocks import TYPES
from jobs.results.exports.services import JSON
from jobs.results.schema_version import SCHEMA_VERSION
from tenants.api.authentication import IDENTITY
from tests.jobs.results.exports.conftest import HEIGHT, WIDTH, ReadingDesk, box
from tests.jobs.results.exports.test_page_blocks import result
from tests.kept_cluster import PROJECT

SCHEMA = json.loads(result_schema())
PAGE = SCHEMA["$defs"]["page"]
COMPLETE = result(
    width=WIDTH,
    height=HEIGHT,
    rotation=90,
    angle=-1.5,
    sheet=box(10, 10, 500),
    quality=0.93,
    needs_review=True,
    warnings=[{"code": "cut_off", "message": "A line is cut off."}, {"code": "x", "message": "", "box": box(0, 0, 9)}],
    source="mixed",
    **{"class": {"label": "invoice", "probabilities": {"invoice": 0.8, "other": 0.2}}},
)


def exported(desk: ReadingDesk, job: Job) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(desk.exported(job, JSON))
    return made


def faults(made: dict[str, Any]) -> list[str]:
    validator = Draft202012Validator(SCHEMA, format_checker=Draft202012Validator.FORMAT_CHECKER)
    return [f"{fault.json_path}: {fault.message}" for fault in validator.iter_errors(made)]


def test_json_is_the_result_with_the_numbers_of_what_is_missing(desk: ReadingDesk, partial_job: Job) -> None:
    made = exported(desk, partial_job)
    assert (made["missing"], made["text"]) == ([2, 4], "Dear *Anna*,\n1. hello\n\nBye")
    assert [page["state"] for page in made["pages"]] == ["succeeded", "failed", "succeeded", "queued"]


def test_the_schema_is_valid() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["properties"]["schema_version"]["const"] == SCHEMA_VERSION


def test_every_field_of_a_page_is_in_the_schema_and_in_the_guide() -> None:
    fields = set(PAGE["properties"])
    assert set(PageSerializer().fields) == fields
    guide = (PROJECT / "docs" / "api.md").read_text()
    assert [field for field in fields if f"`{field}`" not in guide] == []


def test_exports_are_as_the_schema_says(desk: ReadingDesk, partial_job: Job) -> None:
    complete = desk.submit(pages=2)
    desk.answer(complete, 1, COMPLETE)
    desk.answer(complete, 2, {"embedding": [0.5], "truncated": False, "own": {"a": 1}})
    assert [*faults(exported(desk, partial_job)), *faults(exported(desk, complete))] == []


def test_the_answer_of_the_api_is_as_the_schema_says(desk: ReadingDesk, partial_job: Job) -> None:
    answer = Client().get(f"/v1/jobs/{partial_job.id}/result", **{IDENTITY: desk.identity})  # type: ignore[arg-type]
    assert faults(answer.json()) == []


@pytest.mark.parametrize("changed", [{"rotation": 45}, {"quality": 2}, {"lines": [{"text": "a", "own": 1}]}])
def test_a_value_that_is_not_as_described_is_found(desk: ReadingDesk, changed: dict[str, Any]) -> None:
    job = desk.submit()
    desk.answer(job, 1, COMPLETE | changed)
    assert len(faults(exported(desk, job))) == 1


def test_every_field_that_is_written_or_documented_is_in_the_schema(desk: ReadingDesk, partial_job: Job) -> None:
    made = exported(desk, partial_job)
    assert {*made, *ResultSerializer().fields} <= SCHEMA["properties"].keys()
    assert {*made["pages"][0], *COMPLETE, *PageSerializer().fields} <= PAGE["properties"].keys()


def test_the_schema_names_every_state_and_type() -> None:
    assert set(SCHEMA["properties"]["state"]["enum"]) == set(JOB_STATES)
    assert set(SCHEMA["$defs"]["block"]["properties"]["type"]["enum"]) == TYPES


def properties(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for part in (schema, *schema["$defs"].values()):
        yield from part.get("properties", {}).items()


def test_every_field_is_described() -> None:
    assert [name for name, field in properties(SCHEMA) if len(field.get("description", "")) < 10] == []


def test_anyone_may_read_and_keep_the_schema() -> None:
    answer = Client().get("/v1/schemas/result-1.json")
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/schema+json")
    assert answer["Cache-Control"] == "public, max-age=86400"
    assert answer.json() == SCHEMA
    assert Client().get("/v1/schemas/result-1.json", headers={"If-None-Match": answer["ETag"]}).status_code == 304
