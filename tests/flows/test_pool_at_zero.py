"""Test what callers get from a pool without workers until one is there that was ordered for them."""

import time
from collections.abc import Iterator
from pathlib import Path

import grpc
import httpx
import pytest
import redis

from maas.local.supervisor.ports import free_port
from tests.maas.web.grpc.asking import Caller as GrpcCaller
from tests.maas.web.grpc.asking import asked
from tests.waiting import eventually

from .caller import Caller, Json
from .conftest import own_product
from .product import Product

pytestmark = pytest.mark.xdist_group("pool-at-zero")
PORT = free_port()
_TERMS = """
from inference.models import ModelPool, ScalingTerms, ServedModel
from tenants.core.db.unit_of_work import operator_work
with operator_work():
    pool, _ = ModelPool.objects.get_or_create(name="cold")
    ServedModel.objects.filter(name="embed").update(pool=pool)
    ScalingTerms.objects.update_or_create(pool="cold", defaults={terms!r})
"""
TEXTS = {"inputs": [{"name": "text", "shape": [1], "datatype": "BYTES", "data": ["hello"]}]}


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """Yield a product whose worker serves another pool than that of the model `embed`."""
    variables = {"MAAS_WORKER_POOLS": "default", "MAAS_GRPC_PORT": str(PORT)}
    with own_product(tmp_path_factory.mktemp("zero") / "var", **variables) as (_, product):
        agree(product, mode="follow", least=0, node_start_s=20)
        eventually(lambda: pool(product).get("lead_s", 0) >= 20, "a decision on the pool", 20)
        with redis.Redis.from_url(product.service("MAAS_REDIS_URL")) as store:
            eventually(lambda: not store.keys("maas:lane:embed@*:served"), "the end of the other worker's service", 20)
        yield product


def agree(product: Product, **terms: object) -> None:
    done = product.manage("shell", "-v0", "-c", _TERMS.format(terms=terms))
    assert done.returncode == 0, done.stderr


def pool(product: Product) -> Json:
    token = {"Authorization": f"Bearer {product.running.demo['MAAS_OPERATOR_TOKEN']}"}
    answer = httpx.get(f"{product.running.url}/v1/operator/scaling/pools/cold", headers=token, trust_env=False)
    return dict(answer.json()) if answer.status_code == 200 else {}


def infer(caller: Caller, timeout_s: float) -> httpx.Response:
    parameters = {"timeout": round(timeout_s * 1_000_000)}
    return caller.http.post("/v2/models/embed/infer", json={**TEXTS, "parameters": parameters})


def test_a_call_waits_for_its_deadline_orders_a_worker_and_learns_when_to_come_again(product: Product) -> None:
    assert (pool(product)["wanted"], pool(product)["ready"]) == (0, 0)
    with product.caller() as caller:
        began_s = time.monotonic()
        answer = infer(caller, 1.0)
        assert 1.0 <= time.monotonic() - began_s < 5.0
        assert answer.status_code == 503
        assert "One is being started" in answer.text
        lead_s = pool(product)["lead_s"]
        assert 10 < int(answer.headers["retry-after"]) <= lead_s + 1
        eventually(lambda: pool(product)["wanted"] == 1, "the order of a worker", 5.0)
        # What is left of the lead becomes less.
        eventually(lambda: 0 < pool(product)["due_in_s"][0] < lead_s - 1, "the wait", 10.0)
        assert int(infer(caller, 0.5).headers["retry-after"]) < lead_s


def test_grpc_callers_learn_it_too(product: Product) -> None:
    request = asked("embed", "hello")
    request.parameters["timeout"].int64_param = 500_000
    with grpc.insecure_channel(f"127.0.0.1:{PORT}") as channel:
        caller = GrpcCaller(channel, product.running.demo["MAAS_API_KEY"])
        with pytest.raises(grpc.RpcError) as refused:
            caller.stub.ModelInfer(request, metadata=caller.metadata, timeout=30)
    assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
    trailing = dict(refused.value.trailing_metadata())
    assert (trailing["maas-error-code"], int(trailing["retry-after"]) >= 1) == ("inference_unavailable", True)


def test_no_caller_waits_for_a_worker_that_is_further_away_than_the_longest_wait(product: Product) -> None:
    agree(product, node_start_s=600)
    with product.caller() as caller:
        eventually(lambda: pool(product)["lead_s"] >= 600, "the new terms", 10.0)
        # The first worker was ordered on other terms, so only what is left of these counts.
        eventually(lambda: min(pool(product)["due_in_s"], default=600) > 100, "the new lead", 10.0)
        began_s = time.monotonic()
        answer = caller.http.post("/v1/embeddings", json={"model": "embed", "input": "hello"})
        assert time.monotonic() - began_s < 10
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "inference_unavailable")
    assert 100 < int(answer.headers["retry-after"]) <= 700
    assert pool(product)["wanted"] == 1


def test_jobs_wait_and_everything_is_served_once_a_worker_is_there(product: Product, tmp_path: Path) -> None:
    with product.caller() as caller:
        job = caller.submit("embed", input={"text": "hello"})
        eventually(lambda: pool(product)["waiting_work_s"] > 0, "the waiting page", 5.0)
        assert caller.job(str(job["id"]))["state"] == "queued"
        cold = Product(product.running, {**product.variables, "MAAS_WORKER_POOLS": "cold"})
        with (tmp_path / "worker.log").open("wb") as log, cold.command("worker", output=log) as worker:
            try:
                assert caller.ended(str(job["id"]))["state"] == "succeeded"
                answer = caller.http.post("/v1/embeddings", json={"model": "embed", "input": "hello"})
                assert answer.status_code == 200
                eventually(lambda: pool(product)["ready"] == 1, "the ready worker", 10.0)
            finally:
                worker.terminate()
        assert infer(caller, 0.5).status_code == 503
