"""Tests of the upload page and the page of an account's own model, as members of the account see them."""

from datetime import UTC, datetime
from html import unescape
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.test import Client

from inference.core.calls import Call
from inference.models import AliasMove, ModelTask, ModelVariant, ModelVersion, ServedModel
from inference.registry.errors import ModelPaused
from inference.registry.isolation import pause_version
from inference.registry.selectors import find_version, resolve
from inference.registry.task_runs import run_task
from inference.registry.tasks.claims import claim_task
from inference.registry.uploads import ModelUpload, add_upload
from tenants.core.db.unit_of_work import operator_work
from tests.fixtures import unique
from tests.inference.registry.test_variant_reports import measured
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


def text_of(answer: Any) -> str:
    """Return the page of an answer as people read it."""
    return unescape(answer.content.decode())


def test_the_list_leads_to_the_upload(member: Client) -> None:
    assert "/own-models/new" in html(member, "/models")
    page = html(member, "/own-models/new?model=mine")
    assert 'value="mine"' in page
    assert 'accept=".onnx"' in page
    assert "It costs nothing. You have 0 of 20 models." in page


def test_the_list_tells_models_that_are_checked_from_those_that_were_refused(
    member: Client, desk: Desk, tmp_path: Path
) -> None:
    broken, checked, refused = tmp_path / "broken.onnx", unique("own"), unique("own")
    broken.write_bytes(b"no model")
    for name in (refused, checked):
        add_upload(owner=desk.identity.tenant_id, upload=ModelUpload(name=name, file=broken, license="MIT"))
    with operator_work():
        ModelVersion.objects.filter(served_model__name=refused).update(
            state=ModelVersion.State.REFUSED, report={"refused": {"code": "model_corrupt", "detail": "no ONNX file"}}
        )
    page = html(member, "/models")
    assert f'<a href="/own-models/{checked}">{checked}</a> (being checked)' in page
    assert f'<a href="/own-models/{refused}">{refused}</a> (refused)' in page
    assert f"/own-models/new?model={refused}" in html(member, f"/own-models/{refused}/versions/1")


def test_a_version_is_published_and_rolled_back(member: Client, desk: Desk, model: str) -> None:
    owner = desk.identity.tenant_id
    page = html(member, f"/own-models/{model}")
    assert "Publish version 2" in page
    assert "MIT" in page
    given = {"version": "2", "shown-current": "1"}
    assert member.post(f"/own-models/{model}/move", given).status_code == 302
    assert find_version(model, tenant_id=owner).number == 2
    again = member.post(f"/own-models/{model}/move", {**given, "version": "1"})
    assert again.status_code == 409
    assert "does not stand for version 1. It stands for version 2 since" in text_of(again)
    assert member.post(f"/own-models/{model}/rollback", {"shown-current": "1"}).status_code == 409
    assert member.post(f"/own-models/{model}/rollback", {"shown-current": "2"}).status_code == 302
    assert find_version(model, tenant_id=owner).number == 1


def test_a_model_is_deleted_with_all_that_it_has(member: Client, model: str) -> None:
    assert member.post(f"/own-models/{model}/delete").status_code == 302
    assert member.get(f"/own-models/{model}").status_code == 404
    assert f"/models/{model}" not in html(member, "/models")


def test_what_is_not_there_is_not_found(member: Client, model: str) -> None:
    assert member.get("/own-models/none").status_code == 404
    for action, given in (("move", {"version": "9"}), ("use", {"version": "1", "variant": "x"}), ("cancel", {})):
        assert member.post(f"/own-models/{model}/{action}", given).status_code == 404


def measured_variant(model: str, owner: UUID) -> ModelVariant:
    """Create a variant that the gate has admitted, as its measurement leaves it."""
    with operator_work():
        version = ModelVersion.objects.get(served_model__name=model, tenant_id=owner, number=1)
        return ModelVariant.objects.create(
            tenant_id=owner,
            version=version,
            precision="fp32",
            transformation="optimize",
            artifact=version.artifacts["weights"],
            report=measured().to_json(),
            state=ModelVariant.State.ADMITTED,
        )


def test_the_page_of_a_version_has_its_signature_and_the_report_of_its_variants(
    member: Client, desk: Desk, model: str
) -> None:
    page = html(member, f"/own-models/{model}/versions/1")
    assert "any × 4" in page
    assert "None yet. Optimize makes" in page
    variant = measured_variant(model, desk.identity.tenant_id)
    page = html(member, f"/own-models/{model}/versions/1")
    for shown in ("2.00 ×", "1.00 / 3.00 ms", "3,000", "changed classes", "≤ 0.02", "<circle", "Use optimize"):
        assert shown in page
    assert f"/v1/models/{model}/versions/1/variants" in page
    given = {"version": "1", "variant": str(variant.pk), "page": "version"}
    refused = member.post(f"/own-models/{model}/refuse", given)
    assert refused.headers["Location"] == f"/own-models/{model}/versions/1"
    again = member.post(f"/own-models/{model}/use", given)
    assert again.status_code == 409
    assert "Only one that the gate admitted can be used." in again.content.decode()


def test_a_variant_is_used_with_one_click(member: Client, desk: Desk, model: str) -> None:
    owner = desk.identity.tenant_id
    given = {"version": "1", "variant": str(measured_variant(model, owner).pk), "page": "version"}
    assert member.post(f"/own-models/{model}/use", {**given, "shown-current": "1"}).status_code == 302
    assert find_version(model, tenant_id=owner).number == 3
    assert "from " in html(member, f"/own-models/{model}")


def test_a_variant_gets_the_alias_that_is_chosen_unless_somebody_else_moved_it(
    member: Client, desk: Desk, model: str
) -> None:
    owner = desk.identity.tenant_id
    given = {"version": "1", "variant": str(measured_variant(model, owner).pk), "page": "version"}
    page = html(member, f"/own-models/{model}/versions/1")
    assert 'name="shown-current" value="1"' in page
    named = {**given, "shown-current": "1", "alias": "challenger"}
    assert member.post(f"/own-models/{model}/use", named).status_code == 302
    assert find_version(f"{model}@challenger", tenant_id=owner).number == 3
    assert find_version(model, tenant_id=owner).number == 1
    again = member.post(f"/own-models/{model}/use", named)
    assert again.status_code == 409
    assert "'challenger' of" in text_of(again)
    assert "is not new. It stands for version 3 since" in text_of(again)
    refused = member.post(f"/own-models/{model}/use", {**named, "alias": "3"})
    assert refused.status_code == 409
    assert "'3' cannot be an alias" in text_of(refused)


def test_the_api_uses_a_variant_for_the_alias_that_a_request_names(client: Client, desk: Desk, model: str) -> None:
    variant = measured_variant(model, desk.identity.tenant_id)

    def use(**body: object) -> Any:
        return client.post(
            f"/v1/models/{model}/versions/1/variants/{variant.pk}/use",
            body,
            content_type="application/json",
            **{"maas.identity": desk.identity},  # type: ignore[arg-type]
        )

    used = use(alias="challenger", if_version=None)
    assert (used.status_code, used.json()["aliases"]) == (200, ["challenger"])
    refused = use(alias="challenger", if_version=None)
    assert (refused.status_code, refused.json()["code"], refused.json()["version"]) == (409, "alias_changed", 3)
    assert use().json()["aliases"] == ["challenger", "current"]


def test_what_answered_at_a_moment_is_looked_up_in_the_zone_of_the_reader(
    member: Client, desk: Desk, model: str
) -> None:
    long_ago, later = datetime(2026, 3, 3, 14, 3, tzinfo=UTC), datetime(2026, 3, 3, 15, 3, tzinfo=UTC)
    with operator_work():
        served = ServedModel.objects.get(name=model, tenant_id=desk.identity.tenant_id)
        first = served.versions.get(number=1)
        AliasMove.objects.create(
            tenant_id=served.tenant_id, served_model=served, alias="champion", version=first, moved_at=long_ago
        )
        AliasMove.objects.create(
            tenant_id=served.tenant_id, served_model=served, alias="champion", previous=first, moved_at=later
        )
    at = f"/own-models/{model}/history?alias=champion&at="
    assert "<strong>version 1</strong>" in html(member, f"{at}2026-03-03T14:30")
    assert "did not exist" in html(member, f"{at}2026-03-03T14:00")
    assert "did not exist" in html(member, f"{at}2026-03-03T15:30")
    assert "<strong>version 1</strong>" in html(member, f"{at}2026-03-03T15:30&offset=-60")
    assert "This is no date and time." in html(member, f"{at}yesterday")
    assert "first ready version" in html(member, f"/own-models/{model}/history?alias=%00&offset=x")


def test_a_paused_model_refuses_work_until_it_is_resumed(member: Client, desk: Desk, model: str) -> None:
    assert member.post(f"/own-models/{model}/pause").status_code == 302
    assert "calls are refused until you resume it" in html(member, f"/own-models/{model}")
    with pytest.raises(ModelPaused):
        resolve(model, tenant_id=desk.identity.tenant_id)
    assert member.post(f"/own-models/{model}/resume").status_code == 302
    assert resolve(model, tenant_id=desk.identity.tenant_id).number == 1


def test_an_alias_is_added_and_deleted_and_a_version_in_use_stays(member: Client, model: str) -> None:
    member.post(f"/own-models/{model}/move", {"alias": "champion", "version": "2"})
    assert f"{model}@champion" in html(member, f"/own-models/{model}")
    in_use = member.post(f"/own-models/{model}/retire", {"version": "2", "page": "version"})
    assert in_use.status_code == 409
    assert "Move it to another version first" in in_use.content.decode()
    member.post(f"/own-models/{model}/delete-alias", {"alias": "champion"})
    assert f"{model}@champion" not in html(member, f"/own-models/{model}")
    assert member.post(f"/own-models/{model}/retire", {"version": "2", "page": "version"}).status_code == 302
    assert "retired" in html(member, f"/own-models/{model}/versions/2")


def test_a_version_is_tried_before_it_answers(member: Client, model: str) -> None:
    page = html(member, f"/models/{model}?version=2")
    assert f'data-model="{model}@2"' in page
    assert f"{model}@2" in page
    assert "0.0, 0.1, 0.2, 0.3" in page
    assert member.get(f"/models/{model}?version=9").status_code == 404
    assert member.get(f"/models/{model}?version=x").status_code == 404


def test_a_page_that_shows_work_asks_how_far_it_is(member: Client, model: str) -> None:
    address = f"/own-models/{model}"
    member.post(f"{address}/optimize", {"version": "1"})
    page = html(member, address)
    assert "Making faster variants" in page
    assert 'data-ended="The optimization has ended."' in page
    assert f'hx-get="{address}"' in page
    assert f'<a href="{address}">Show the result</a>' in page


def test_a_card_is_written_and_shown(member: Client, model: str) -> None:
    given = {
        "version": "1",
        "page": "version",
        "description": "Tells flowers apart.",
        "card": "# Use\r\n\r\n**Iris** only",
    }
    assert member.post(f"/own-models/{model}/describe", given).status_code == 302
    page = html(member, f"/own-models/{model}/versions/1")
    assert "<h3>Use</h3>" in page
    assert "<strong>Iris</strong> only" in page
    assert "Tells flowers apart." in page


def test_a_paused_version_is_resumed(member: Client, desk: Desk, model: str) -> None:
    pause_version("", f"{model}.{desk.identity.tenant_id.hex}@1", "it <b>crashed</b>")
    page = html(member, f"/own-models/{model}")
    assert "it &lt;b&gt;crashed&lt;/b&gt;" in page
    assert "Resume version 1" in page
    assert f"/own-models/{model}/resume-version" in html(member, f"/own-models/{model}/versions/1")
    assert member.post(f"/own-models/{model}/resume-version", {"version": "1"}).status_code == 302
    assert "Resume version 1" not in html(member, f"/own-models/{model}")


def test_an_optimization_that_made_nothing_says_why_and_what_it_measured(
    member: Client, desk: Desk, model: str
) -> None:
    one, many = ({"threads": 1, "batch": batch, "rows_per_s": 1234.5, "p99_ms": 0.5} for batch in (1, 32))
    made = [
        {"transformation": "fuse", "state": "not made", "reason": "nothing to fuse"},
        {"transformation": "settings", "state": "measured", "measured": [one, many], "chosen": many},
    ]
    with operator_work():
        version = ModelVersion.objects.get(served_model__name=model, tenant_id=desk.identity.tenant_id, number=1)
        ModelTask.objects.create(
            tenant_id=version.tenant_id,
            version=version,
            kind=ModelTask.Kind.OPTIMIZE,
            state=ModelTask.State.SUCCEEDED,
            result={"transformations": made},
        )
    page = html(member, f"/own-models/{model}/versions/1")
    for shown in ("No variant could be made", "nothing to fuse", "32 rows", "1,234"):
        assert shown in page
