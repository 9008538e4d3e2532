"""Tests of `/v1/estimate`: it returns the cost for this caller and what is included, and it changes nothing."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from inference.pipelines.parse import PARSE
from inference.registry.models import ModelVersion, ServedModel
from jobs.core.models import Document, Job
from tenants.api.authentication import IDENTITY
from tenants.authentication.selectors import identify_key
from tenants.billing.ledger.subscriptions import subscribe
from tenants.core.asgi.protocol import UPLOAD
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.identity.identity import Identity
from tenants.onboarding.create_tenant import CreatedTenant
from tenants.plans.selectors import terms_of
from tests.jobs.api.conftest import form_of
from tests.jobs.conftest import Desk
from tests.tenants.plans.selling import include, make_plan, own_price, price

Make = Callable[..., ModelVersion]


@pytest.fixture
def pages(make_version: Callable[..., ModelVersion]) -> ModelVersion:
    return make_version(runtime="ocr", meter="page")


def ask(identity: Identity, version: ModelVersion, status: int = 200, **fields: Any) -> dict[str, Any]:
    body = {"model": version.served_model.name, **fields}
    answer = Client().post("/v1/estimate", body, "application/json", **{IDENTITY: identity})  # type: ignore[arg-type]
    told: dict[str, Any] = answer.json()
    assert answer.status_code == status, told
    return told


def test_without_a_plan_it_is_the_models_price(identity: Identity, pages: ModelVersion) -> None:
    told = ask(identity, pages, pages=10, cached_share=0.25)
    assert (told["quantity"], told["cached_quantity"], told["meter"]) == (10, 2, "page")
    assert told["cost"] == told["amount_due"] == {"amount": "0.0123", "amount_micros": 12300, "currency": "EUR"}
    assert (told["price_of"], told["price_version"], told["plan"]) == ("model", None, None)
    assert told["included"] == {"quantity": 0, "remaining": 0}


def test_a_plans_price_and_what_it_includes_are_told_until_that_is_used_up(
    tenant: CreatedTenant, pages: ModelVersion
) -> None:
    plan = make_plan()
    version = price(plan, 700, meter="page")
    include(plan, 4, meter="page")
    subscribe(tenant_id=tenant.tenant.id, plan=plan)
    identity = identify_key(tenant.key.text)
    told = ask(identity, pages, pages=3)
    assert (told["price_of"], told["price_version"]) == ("plan", str(version.pk))
    assert (told["included"], told["amount_due"]["amount_micros"]) == ({"quantity": 3, "remaining": 1}, 0)
    assert told["plan"] == {"code": plan.code, "name": plan.name}
    desk = Desk(identity, pages)
    desk.finish(desk.pages(desk.submit(pages=2))[0])
    told = ask(identity, pages, pages=5)
    assert (told["cost"]["amount_micros"], told["amount_due"]["amount_micros"]) == (3500, 1400)
    assert told["included"] == {"quantity": 3, "remaining": 0}


def test_hours_in_memory_cost_the_nearest_price_for_a_model_of_ones_own_alone(
    tenant: CreatedTenant, pages: ModelVersion, make_version: Make
) -> None:
    own = make_version(meter="call")
    with operator_work():
        ServedModel.objects.filter(pk=own.served_model_id).update(tenant=tenant.tenant.id)
        ModelVersion.objects.filter(pk=own.pk).update(tenant=tenant.tenant.id)
    identity = identify_key(tenant.key.text)
    assert ask(identity, own, model_hours=24)["cost"]["amount_micros"] == 0
    plan = make_plan()
    price(plan, 50_000, meter="model_hour")
    include(plan, 10, meter="model_hour")
    subscribe(tenant_id=tenant.tenant.id, plan=plan)
    identity = identify_key(tenant.key.text)
    told = ask(identity, own, model_hours=24)
    assert (told["meter"], told["quantity"], told["price_of"]) == ("model_hour", 24, "plan")
    assert (told["cost"]["amount_micros"], told["amount_due"]["amount_micros"]) == (1_200_000, 700_000)
    assert ask(identity, pages, 400, model_hours=24)["code"] == "invalid_request"


def test_a_document_counts_its_pages_and_nothing_is_made(identity: Identity, pages: ModelVersion) -> None:
    document = Desk(identity, pages).document(pages=7)
    assert ask(identity, pages, document=str(document.id))["quantity"] == 7
    with unit_of_work(identity.tenant_id):
        assert Job.objects.count() == 0


def test_another_tenants_document_never_was(identity: Identity, other_identity: Identity, pages: ModelVersion) -> None:
    document = Desk(other_identity, pages).document(pages=7)
    assert ask(identity, pages, 404, document=str(document.id))["code"] == "not_found"


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"tokens": 5},
        {"pages": 1, "calls": 1},
        {"pages": 0},
        {"pages": 1, "cached_share": 1.5},
        {"page": 1},
    ],
)
def test_what_does_not_say_how_much_is_refused_with_words_that_help(
    identity: Identity, pages: ModelVersion, fields: dict[str, Any]
) -> None:
    told = ask(identity, pages, 400, **fields)
    assert told["code"] == "invalid_request"
    assert "page" in told["detail"] or "cached_share" in told["detail"]


def test_tokens_are_priced_by_the_thousand_and_rounded_once(
    identity: Identity, make_version: Callable[..., ModelVersion]
) -> None:
    version = make_version(meter="token")
    own_price(identity.tenant_id, 1000, meter="token", per=1000)
    assert ask(identity, version, tokens=1501)["cost"]["amount_micros"] == 1501 * 1500
    with unit_of_work(identity.tenant_id):
        prices = terms_of(identity.tenant_id).prices
    told = ask(replace(identity, prices=prices), version, tokens=1501)
    assert (told["cost"]["amount_micros"], told["price_of"]) == (1501, "tenant")


def test_time_is_priced_by_the_second_and_of_pages_and_calls_the_most_is_told(
    identity: Identity, make_version: Callable[..., ModelVersion]
) -> None:
    version = make_version(meter="gpu_second")
    own_price(identity.tenant_id, 2_000, meter="gpu_second", per=1_000)
    with unit_of_work(identity.tenant_id):
        identity = replace(identity, prices=terms_of(identity.tenant_id).prices)
    told = ask(identity, version, gpu_milliseconds=1_250)
    assert (told["cost"]["amount_micros"], told["quantity"], told["is_maximum"]) == (2_500, 1_250, False)
    for amount in ("pages", "calls"):
        told = ask(identity, version, **{amount: 3})
        assert (told["cost"]["amount_micros"], told["quantity"], told["is_maximum"]) == (60_000, 30_000, True)
    refused = ask(identity, version, 400, tokens=3)
    assert "charged per GPU second. Send `gpu_milliseconds` or `calls`" in refused["detail"]


def test_a_test_key_pays_nothing(identity: Identity, pages: ModelVersion) -> None:
    told = ask(replace(identity, livemode=False), pages, pages=10)
    assert (told["livemode"], told["cost"]["amount_micros"], told["amount_due"]["amount_micros"]) == (
        False,
        0,
        0,
    )


@pytest.mark.parametrize(
    ("scopes", "fields", "status"),
    [
        ({"jobs:read"}, {"pages": 1}, 200),
        ({"models:read"}, {"pages": 1}, 200),
        ({"jobs:write"}, {"pages": 1}, 403),
        ({"jobs:read"}, {"document": "01a1f8a0-0000-7000-8000-000000000000"}, 403),
    ],
)
def test_who_may_see_models_or_jobs_may_ask(
    identity: Identity, pages: ModelVersion, scopes: set[str], fields: dict[str, Any], status: int
) -> None:
    told = ask(replace(identity, scopes=frozenset(scopes)), pages, status, **fields)
    assert ("cost" in told) == (status == 200)


def told_of(identity: Identity, version: ModelVersion, status: int = 200, **fields: Any) -> tuple[Any, ...]:
    told = ask(identity, version, status, **fields)
    return told["quantity"], told["cost"]["amount_micros"], told["is_maximum"]


def test_the_body_of_a_job_is_taken_as_it_is(identity: Identity, make_version: Make) -> None:
    version = make_version(runtime="graph", meter="page")
    with operator_work():
        version.config = {"graph": PARSE}
        version.save(update_fields=["config"])
    document = Desk(identity, version).document(pages=7)
    job: dict[str, Any] = {
        "document": str(document.id),
        "parameters": {"min_confidence": 0.7},
        "priority": "bulk",
        "webhook_url": "https://example.com/hook",
        "expires_after": 60,
    }
    assert told_of(identity, version, **job) == (7, 7 * 1500, False)
    assert ask(identity, version, **job, cached_share=1)["cached_quantity"] == 7
    assert told_of(identity, version, input="a text") == (1, 1500, False)


def test_of_texts_the_most_tokens_are_told(identity: Identity, make_version: Make) -> None:
    version = make_version(meter="token")
    assert told_of(identity, version, input=["four", "letters"]) == (15, 15 * 1500, True)
    assert told_of(identity, version, input="four", encoding_format="base64") == (6, 6 * 1500, True)
    assert told_of(identity, version, input=[[1, 2, 3], [4]]) == (8, 8 * 1500, True)


def test_the_body_of_a_call_of_v2_is_taken_with_the_model_beside_it(identity: Identity, make_version: Make) -> None:
    tensor = {"name": "text", "datatype": "BYTES", "shape": [2], "data": ["a", "b"]}
    assert told_of(identity, make_version(), inputs=[tensor], id="1") == (1, 1500, False)


def test_a_file_is_counted_and_not_kept(identity: Identity, make_version: Make, tmp_path: Path) -> None:
    version = make_version(meter="page")
    upload = form_of(Desk(identity, version), tmp_path, cached_share="1")
    answer = Client().post("/v1/estimate", **{IDENTITY: identity, UPLOAD: upload})  # type: ignore[arg-type]
    assert (answer.json()["quantity"], answer.json()["cached_quantity"]) == (1, 1)
    with unit_of_work(identity):
        assert not Document.objects.exists()


@pytest.mark.parametrize(
    ("fields", "status", "words"),
    [
        ({"input": "a", "color": 1}, 400, "color"),
        ({"input": "a", "pages": 1}, 400, "input"),
        ({"input": "a", "parameters": {"color": 1}}, 422, "unknown parameter 'color'"),
        ({"input": "a", "document": "01a1f8a0-0000-7000-8000-000000000000"}, 400, "exactly one of"),
        ({"input": "a", "webhook_url": "http://example.com"}, 422, "https"),
        ({"input": "a", "dimensions": 3, "priority": "bulk"}, 400, "Unknown parameter: 'priority'"),
        ({"input": {"tensors": []}}, 422, "accepts"),
        ({"inputs": [], "color": 1}, 400, "Unknown fields for a call with `inputs`: 'color'"),
        ({"inputs": []}, 422, "expected the tensors 'text'; got none"),
        ({"document_url": "https://example.com/a.pdf"}, 400, "Send the file itself"),
    ],
)
def test_what_the_work_itself_would_be_refused_for_is_refused(
    identity: Identity, version: ModelVersion, fields: dict[str, Any], status: int, words: str
) -> None:
    assert words in ask(identity, version, status, **fields)["detail"]


def test_a_document_that_the_model_cannot_read_has_no_price(
    identity: Identity, pages: ModelVersion, tmp_path: Path
) -> None:
    upload = form_of(Desk(identity, pages), tmp_path)
    answer = Client().post("/v1/estimate", **{IDENTITY: identity, UPLOAD: upload})  # type: ignore[arg-type]
    assert (answer.status_code, answer.json()["code"]) == (422, "input_not_accepted")
