"""Tests of the catalog of models and the page of one model, as members of a tenant see them."""

import json
import re
from collections.abc import Callable, Mapping

import pytest
from django.db import connections
from django.template.loader import render_to_string
from django.test import Client
from django.test.utils import CaptureQueriesContext

from inference.registry.models import ModelVersion, ServedModel
from tenants.core.db.unit_of_work import APP, operator_work
from tests.jobs.conftest import Desk
from tests.jobs.dashboard.conftest import html

LIST_QUERIES = 9
"""Session, user, membership; then a transaction's begin, the models, their versions, the speeds, the models without a
current version, and the commit.
"""
PAGE_QUERIES = 8
"""The queries are the same, for one model."""


def change(version: ModelVersion, **fields: object) -> None:
    with operator_work():
        ServedModel.objects.filter(pk=version.served_model_id).update(**fields)


def card(client: Client, version: ModelVersion) -> str:
    page = client.get("/models").content.decode()
    return page.partition(f'id="model-{version.served_model.name}"')[2].partition("</li>")[0]


def page_of(client: Client, version: ModelVersion) -> str:
    return html(client, f"/models/{version.served_model.name}")


def words_of(page: str) -> str:
    return re.sub(r"</?span[^>]*>", "", page)


def test_a_card_says_what_a_model_takes_gives_and_costs(member: Client, desk: Desk) -> None:
    shown = card(member, desk.version)
    assert "A text, several texts at once or documents" in shown
    assert "Vectors" in shown
    assert "0.0015 € per call" in shown


def test_a_model_that_was_not_used_says_so(member: Client, desk: Desk) -> None:
    assert "Not used in the last 30 days" in card(member, desk.version)
    assert "Not used in the last 30 days" in page_of(member, desk.version)


def test_a_model_that_was_used_says_how_fast_it_was(member: Client, desk: Desk) -> None:
    desk.finish(desk.pages(desk.submit())[0])
    assert "Your speed per run" in card(member, desk.version)
    assert "Not used in the last 30 days" not in card(member, desk.version)


def test_a_model_without_words_of_its_own_is_shown_by_its_name(member: Client, desk: Desk) -> None:
    shown = card(member, desk.version)
    assert f">{desk.version.served_model.name}</a>" in shown
    assert "No description." in shown


def test_code_in_a_description_is_set_as_code(member: Client, desk: Desk) -> None:
    change(desk.version, description="Reads like `ocr`, but <faster>")
    expected = "Reads like <code>ocr</code>, but &lt;faster&gt;</p>"
    assert expected in card(member, desk.version)
    assert expected in page_of(member, desk.version)


def test_a_paused_model_says_so_and_cannot_be_run(member: Client, desk: Desk) -> None:
    change(desk.version, state="paused")
    assert "paused" in card(member, desk.version)
    page = page_of(member, desk.version)
    assert "takes no new jobs" in page
    assert '<button type="submit" id="run" disabled>' in page


def test_a_model_without_a_current_version_is_not_there(member: Client, desk: Desk) -> None:
    change(desk.version, current=None)
    assert card(member, desk.version) == ""
    assert member.get(f"/models/{desk.version.served_model.name}").status_code == 404


@pytest.mark.parametrize("name", ["none", "ocr@1", "%00", "a%20b"])
def test_what_is_no_model_is_not_found(member: Client, name: str) -> None:
    assert member.get(f"/models/{name}").status_code == 404


def test_a_page_shows_versions_and_links_to_the_jobs(member: Client, desk: Desk) -> None:
    page = page_of(member, desk.version)
    assert "000000000000" in page
    assert "current" in page
    assert f'href="/jobs?model={desk.version.served_model.name}&amp;sent=all"' in page


def test_a_page_says_what_a_run_costs_before_it_is_run(member: Client, desk: Desk) -> None:
    page = page_of(member, desk.version)
    assert "You pay the normal price" in page
    assert '<strong id="cost-words">0.0015 €</strong>' in page


def test_parameters_are_fields_with_default_and_range(member: Client, desk: Desk) -> None:
    parameter = {
        "name": "min_confidence",
        "type": "number",
        "default": 0.5,
        "description": "Less is < left out.",
        "minimum": 0.0,
        "maximum": 1.0,
    }
    change(desk.version, parameters=[parameter])
    page = page_of(member, desk.version)
    assert 'id="parameter-min_confidence"' in page
    assert "Less is &lt; left out. 0 to 1. Default 0.5" in page


def test_free_sizes_of_a_signature_are_words(member: Client, desk: Desk) -> None:
    signature = {"inputs": [{"name": "x", "datatype": "FP32", "shape": [-1, 4]}], "outputs": []}
    change(desk.version, accepts=["tensors"])
    with operator_work():
        ModelVersion.objects.filter(pk=desk.version.pk).update(runtime="onnx", signature=signature)
    assert "FP32 any × 4" in card(member, desk.version)
    page = page_of(member, desk.version)
    assert "any × 4" in page
    assert "&quot;shape&quot;: [1, 4]" in page


def test_code_for_what_the_form_begins_with_is_there_before_any_script(member: Client, desk: Desk) -> None:
    page = page_of(member, desk.version)
    assert "from maas_client import Client" in words_of(page)
    assert "Total amount due" in page


def test_a_viewer_reads_everything_and_cannot_run(viewer: Client, desk: Desk) -> None:
    page = page_of(viewer, desk.version)
    assert "Your role cannot run models." in page
    assert '<button type="submit" id="run" disabled>' in page
    assert "from maas_client import Client" in words_of(page)


def test_more_models_and_versions_cost_no_more_queries(
    member: Client, desk: Desk, make_version: Callable[..., ModelVersion]
) -> None:
    def queries(address: str) -> int:
        with CaptureQueriesContext(connections[APP]) as captured:
            assert member.get(address).status_code == 200
        return len(captured)

    page = f"/models/{desk.version.served_model.name}"
    assert (queries("/models"), queries(page)) == (LIST_QUERIES, PAGE_QUERIES)
    make_version()
    with operator_work():
        served = desk.version.served_model
        ModelVersion.objects.create(served_model=served, number=2, runtime="embed", digest="1" * 64)
    assert (queries("/models"), queries(page)) == (LIST_QUERIES, PAGE_QUERIES)


def test_code_follows_the_form(member: Client, desk: Desk) -> None:
    answer = code(member, desk.version, {"kind": "texts", "value": ["it's", "<b>"], "parameters": {}})
    assert answer[0] == 200
    assert "it&#x27;s" in answer[1]
    assert "&lt;b&gt;" in answer[1]
    assert desk.version.served_model.name in answer[1]


def test_a_form_that_is_none_is_refused_in_words(member: Client, desk: Desk) -> None:
    sent = {"kind": "tensors", "value": "[1,", "parameters": {}}
    status, shown = code(member, desk.version, sent)
    assert status == 400
    assert "is not JSON" in shown


def test_code_of_no_model_is_not_found(member: Client) -> None:
    assert member.post("/models/none/code", "{}", content_type="application/json").status_code == 404


def code(client: Client, version: ModelVersion, form: Mapping[str, object]) -> tuple[int, str]:
    address = f"/models/{version.served_model.name}/code"
    answer = client.post(address, json.dumps(form), content_type="application/json")
    return answer.status_code, answer.content.decode()


def test_a_stranger_is_asked_to_sign_in(client: Client) -> None:
    for address in ("/models", "/models/parse"):
        assert client.get(address)["Location"].startswith("/sign-in")


def test_an_empty_catalog_says_what_to_do() -> None:
    assert "manage.py models add" in render_to_string("jobs/catalog/model_list.html", {"models": []})
