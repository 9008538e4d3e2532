"""Test that a job ends with the tenant's own fields, whatever is wrong with them."""

from collections.abc import Sequence

import pytest
from django.db import connections
from django.test.utils import CaptureQueriesContext

from inference.own_fields.definition import OwnField
from jobs.own_fields import finding
from jobs.own_fields.finding import values_of, with_own_fields
from jobs.own_fields.models import OwnFieldExample
from jobs.webhooks.payloads import job_data
from tenants.core.db.unit_of_work import APP, unit_of_work
from tests.jobs.own_fields.conftest import ContractDesk, own, page

CLASS = {"class": {"label": "letter", "probabilities": {"letter": 0.9, "invoice": 0.1}}}


def test_a_field_is_found_when_the_next_job_ends(desk: ContractDesk) -> None:
    desk.field(desk.contract("AB-1234"))
    job = desk.contract("XY-9876")
    (found,) = own(job)
    assert {name: found[name] for name in ("name", "value", "page")} == {
        "name": "contract_number",
        "value": "XY-9876",
        "page": 1,
    }
    assert job.fields is not None
    assert {name for name, value in job.fields.items() if value} == {"fields"}


def test_a_value_is_found_on_the_page_where_it_is(desk: ContractDesk) -> None:
    desk.field(desk.contract("AB-1234"))
    job = desk.contract("none", page("XY-9876"), label="Nothing")
    assert [found["page"] for found in own(job)] == [2]


def test_a_document_without_the_field_has_no_fields(desk: ContractDesk) -> None:
    desk.field(desk.contract("AB-1234"))
    assert desk.contract("nothing", label="Hello").fields is None


def test_a_field_of_other_classes_is_not_looked_for(desk: ContractDesk) -> None:
    desk.field(desk.contract("AB-1234"), classes=["letter"])
    assert own(desk.contract("XY-9876", **CLASS))
    assert not own(desk.contract("XY-9877"))


def test_fields_of_another_tenant_are_not_looked_for(desk: ContractDesk, rival: ContractDesk) -> None:
    desk.field(desk.contract("AB-1234"))
    assert rival.contract("XY-9876").fields is None


def statements_of_an_end(desk: ContractDesk) -> list[str]:
    job = desk.submit_document(desk.document(1))
    with CaptureQueriesContext(connections[APP]) as made:
        desk.answer(job, 1, page("XY-9876"))
    return [query["sql"] for query in made.captured_queries if "jobs_" in query["sql"]]


def test_a_tenant_without_own_fields_pays_no_statement(desk: ContractDesk, rival: ContractDesk) -> None:
    desk.field(desk.contract("AB-1234"))
    without, with_fields = statements_of_an_end(rival), statements_of_an_end(desk)
    # It is counted twice; job, class, definitions, results and corrections are read before it is locked, and
    # definitions again, but no candidates.
    assert len(with_fields) == len(without) + 6
    assert not any("result ? 'lines'" in statement or "jobs_ownfieldexample" in statement for statement in without)


def test_a_broken_definition_does_not_fail_the_end(desk: ContractDesk) -> None:
    job = desk.contract("AB-1234")
    desk.field(job)
    desk.field(job, "broken")
    with unit_of_work(desk.identity):
        OwnFieldExample.objects.filter(field__name="broken").update(trace={"label": 3})
    ended = desk.contract("XY-9876")
    assert ended.state == "succeeded"
    assert [found["name"] for found in own(ended)] == ["contract_number"]


def test_an_error_of_one_field_leaves_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def find(_: object, fields: Sequence[OwnField]) -> list[dict[str, str]]:
        if any(field.name == "broken" for field in fields):
            raise RecursionError
        return [{"name": field.name} for field in fields]

    monkeypatch.setattr(finding, "find", find)
    found = values_of([{}], [OwnField(name, "text", (), "label") for name in ("one", "broken", "other")])
    assert [field["name"] for field in found] == ["one", "other"]


@pytest.mark.parametrize("lines", [None, 3, [None], [{"text": 3}], [{"box": "x"}], [{"text": "a", "box": [[1]]}]])
def test_results_of_added_models_may_hold_anything(desk: ContractDesk, lines: object) -> None:
    desk.field(desk.contract("AB-1234"))
    job = desk.submit_document(desk.document(1))
    desk.answer(job, 1, {"text": "", "lines": lines})
    assert desk.again(job).state == "succeeded"


def test_own_fields_replace_those_that_were_found_before() -> None:
    built_in, old, new = {"name": "total"}, {"name": "one", "own": True}, {"name": "two", "own": True}
    before = {"fields": [built_in, old], "tax_rates": [1], "line_items": [], "warnings": []}
    assert with_own_fields(before, [new]) == {**before, "fields": [built_in, new]}
    assert with_own_fields(before, []) == {**before, "fields": [built_in]}
    assert with_own_fields(None, []) is None


def test_own_fields_are_in_webhooks(desk: ContractDesk) -> None:
    desk.field(desk.contract("AB-1234"))
    job = desk.contract("XY-9876")
    with unit_of_work(desk.identity):
        assert [field["value"] for field in job_data(job)["fields"]] == ["XY-9876"]
