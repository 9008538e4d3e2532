"""Test `/v1/models` through Django itself. The part of the guard is supplied as it would be."""

from typing import Any

from django.test import Client

from inference.gateway.open_inference.descriptions import model_metadata
from inference.gateway.open_inference.faces import face_of
from inference.registry.builtin.catalog import EMBED
from inference.registry.models import ModelVersion
from inference.registry.services import set_paused
from tenants.core.db.unit_of_work import operator_work
from tenants.identity.identity import Identity


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


def _told(name: str, identity: Identity) -> dict[str, Any]:
    answer = Client().get(f"/v1/models/{name}", **{"maas.identity": identity})  # type: ignore[arg-type]
    told: dict[str, Any] = answer.json()
    return told
