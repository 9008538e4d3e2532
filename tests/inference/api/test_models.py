"""Test `/v1/models` through Django itself. The part of the guard is supplied as it would be."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from inference.gateway.open_inference.descriptions import model_metadata
from inference.gateway.open_inference.faces import face_of
from inference.registry.builtin.catalog import EMBED
from inference.registry.models import ModelVersion
from inference.registry.services import set_paused
from inference.registry.uploads import ModelUpload, add_upload
from tenants.core.db.unit_of_work import operator_work
from tenants.identity.identity import Identity
from tests.fixtures import unique
from tests.inference.runtime.graphs import save_adder


def test_a_paused_model_can_still_be_read(version: ModelVersion, identity: Identity) -> None:
    name = version.served_model.name
    set_paused(name=name, paused=True)
    answer = Client().get(f"/v1/models/{name}", **{"maas.identity": identity})  # type: ignore[arg-type]
    assert (answer.status_code, answer.json()["state"]) == (200, "paused")


def test_what_kept_results_cost_is_told_also_where_it_is_the_price(version: ModelVersion, identity: Identity) -> None:
    served = version.served_model
    told = _told(served.name, identity)
    assert (told["cached_price"]["amount"], told["cache_ttl_s"]) == ("0.00015", 0)
    with operator_work():
        served.cached_price_micros, served.cache_ttl_s = None, 60
        served.save()
    told = _told(served.name, identity)
    assert (told["cached_price"], told["cache_ttl_s"]) == (told["price"], 60)


def test_a_models_tensors_have_the_names_by_which_v2_takes_and_gives_them(
    version: ModelVersion, identity: Identity
) -> None:
    with operator_work():
        version.signature = dict(EMBED.signature)
        version.save()
    metadata = model_metadata("embed", [1], face_of("embed", EMBED.accepts, EMBED.signature))
    told = _told(version.served_model.name, identity)
    assert told["signature"] == {side: metadata[side] for side in ("inputs", "outputs")}


def test_the_kinds_of_document_that_a_model_reads_are_told(version: ModelVersion, identity: Identity) -> None:
    assert _told(version.served_model.name, identity)["documents"] == [
        "pdf",
        "text",
        "docx",
        "xlsx",
        "pptx",
        "html",
        "eml",
    ]


@pytest.mark.parametrize(
    ("change", "detail"),
    [
        ({"title": 5}, "`title` must be a text, not 5."),
        ({"description": True}, "`description` must be a text, not true."),
        ({"title": "a\x07"}, "`title` contains the control character, U+0007. Send it without."),
        ({"title": "a\nb"}, "`title` contains a line break, U+000A. Send it without."),
        ({"description": "a\n\x1bb"}, "`description` contains the control character, U+001B. Send it without."),
        ({"paused": "yes"}, "`paused` must be true or false, not 'yes'."),
    ],
)
def test_a_model_is_not_changed_to_what_is_no_text(
    own: str, identity: Identity, change: dict[str, Any], detail: str
) -> None:
    assert _changed(f"/v1/models/{own}", identity, change) == (400, detail)
    assert _told(own, identity)["title"] == own


@pytest.mark.parametrize(
    ("change", "detail"),
    [
        ({"card": 5}, "`card` must be a text, not 5."),
        ({"labels": {"a\n": "x"}}, "The name of a label contains a line break, U+000A. Send it without."),
        ({"labels": {"a": "x\x07"}}, "The label 'a' contains the control character, U+0007. Send it without."),
    ],
)
def test_a_version_is_not_described_by_what_is_no_text(
    own: str, identity: Identity, change: dict[str, Any], detail: str
) -> None:
    assert _changed(f"/v1/models/{own}/versions/1", identity, change) == (400, detail)


def test_descriptions_and_cards_may_have_several_lines(own: str, identity: Identity) -> None:
    assert _changed(f"/v1/models/{own}", identity, {"description": "a\nb"})[0] == 200
    assert _changed(f"/v1/models/{own}/versions/1", identity, {"card": "# A\n\n\tb"})[0] == 200


@pytest.fixture
def own(identity: Identity, tmp_path: Path) -> str:
    name = unique("own")
    upload = ModelUpload(name=name, file=save_adder(tmp_path / "adder.onnx"), license="MIT")
    add_upload(owner=identity.tenant_id, upload=upload)
    return name


def _changed(url: str, identity: Identity, change: dict[str, Any]) -> tuple[int, str]:
    told = {"maas.identity": identity}
    answer = Client().patch(url, change, content_type="application/json", **told)  # type: ignore[arg-type]
    return answer.status_code, answer.json().get("detail", "")


def _told(name: str, identity: Identity) -> dict[str, Any]:
    answer = Client().get(f"/v1/models/{name}", **{"maas.identity": identity})  # type: ignore[arg-type]
    told: dict[str, Any] = answer.json()
    return told
