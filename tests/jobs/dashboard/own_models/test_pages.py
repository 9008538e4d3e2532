"""Tests of the upload page and the page of an account's own model, as members of the account see them."""

from pathlib import Path

import pytest
from django.test import Client

from inference.core.calls import Call
from inference.models import ModelTask
from inference.registry.selectors import find_version
from inference.registry.task_runs import run_task
from inference.registry.tasks.claims import claim_task
from inference.registry.uploads import ModelUpload, add_upload
from tests.fixtures import unique
from tests.inference.runtime.graphs import save_adder
from tests.jobs.conftest import Desk
from tests.jobs.dashboard.conftest import html


@pytest.fixture
def model(desk: Desk, tmp_path: Path) -> str:
    """Return the name of a model with two versions that are ready."""
    name, owner = unique("own"), desk.identity.tenant_id
    for floats in (4, 5):
        file = save_adder(tmp_path / f"{floats}.onnx", floats=floats)
        add_upload(owner=owner, upload=ModelUpload(name=name, file=file, license="MIT"))
    while (claim := claim_task("worker", (ModelTask.Kind.VALIDATE,))) is not None:
        run_task(claim, Call(), passes=lambda _: False)
    return name


def test_the_list_leads_to_the_upload(member: Client) -> None:
    assert "/own-models/new" in html(member, "/models")
    page = html(member, "/own-models/new?model=mine")
    assert 'value="mine"' in page
    assert 'accept=".onnx"' in page


def test_a_version_is_published_and_rolled_back(member: Client, desk: Desk, model: str) -> None:
    owner = desk.identity.tenant_id
    page = html(member, f"/own-models/{model}")
    assert "Publish 2" in page
    assert "MIT" in page
    moved = member.post(f"/own-models/{model}/move", {"alias": "current", "version": "2", "if_version": "1"})
    assert moved.status_code == 302
    assert find_version(model, tenant_id=owner).number == 2
    again = member.post(f"/own-models/{model}/move", {"alias": "current", "version": "2", "if_version": "1"})
    assert again.status_code == 409
    assert "stands for version 2" in again.content.decode()
    assert member.post(f"/own-models/{model}/rollback", {"alias": "current"}).status_code == 302
    assert find_version(model, tenant_id=owner).number == 1


def test_a_model_is_deleted_with_all_that_it_has(member: Client, model: str) -> None:
    assert member.post(f"/own-models/{model}/delete").status_code == 302
    assert member.get(f"/own-models/{model}").status_code == 404
    assert model not in html(member, "/models")


def test_what_is_not_there_is_not_found(member: Client, model: str) -> None:
    assert member.get("/own-models/none").status_code == 404
    for action, given in (("move", {"version": "9"}), ("use", {"version": "1", "variant": "x"}), ("cancel", {})):
        assert member.post(f"/own-models/{model}/{action}", given).status_code == 404
