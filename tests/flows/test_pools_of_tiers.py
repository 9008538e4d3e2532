"""Test that synchronous calls over HTTP are answered by workers of the pools that the tier of their tenant names."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
import redis

from inference.workers.heartbeats import PREFIX
from tests.waiting import eventually

from .conftest import own_product
from .product import Account, Product

pytestmark = pytest.mark.xdist_group("pools-of-tiers")
GOLD = "gold"
SHARED = ""
"""The workers that name no pool."""
_TIER = """
from inference.models import ModelPool, ScalingTerms, TierPool
from tenants.accounts.models import Tenant
from tenants.core.db.unit_of_work import operator_work
from tenants.tiers.models import Tier
with operator_work():
    gold, _ = ModelPool.objects.get_or_create(name="gold", defaults={{"dedicated": True}})
    ScalingTerms.objects.update_or_create(
        pool="gold", defaults={{"mode": "follow", "least": 0, "node_start_s": {node_start_s}}}
    )
    tier, _ = Tier.objects.get_or_create(name="gold")
    TierPool.objects.filter(tier=tier).delete()
    for position, name in enumerate({pools!r}, 1):
        pool = gold if name else None
        TierPool.objects.create(tier=tier, priority="interactive", position=position, pool=pool)
    Tenant.objects.filter(id="{tenant}").update(tier=tier)
"""


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    with own_product(tmp_path_factory.mktemp("tiers") / "var") as (_, product):
        yield product


@pytest.fixture(scope="module")
def gold_tenant(product: Product) -> Account:
    return product.create_account("Gold")


@pytest.fixture(scope="module")
def other_tenant(product: Product) -> Account:
    return product.create_account("Other")


def give(product: Product, account: Account, *pools: str, node_start_s: int = 600) -> None:
    """Give the tenant a tier with these pools for interactive work. An empty name is the own pool of each model."""
    values = {"tenant": account.tenant_id, "pools": pools, "node_start_s": node_start_s}
    done = product.manage("shell", "-v0", "-c", _TIER.format(**values))
    assert done.returncode == 0, done.stderr
    time.sleep(2)  # Changes hold within two seconds, and nothing tells a caller that they do.


@contextmanager
def gold_worker(product: Product, tmp_path: Path) -> Iterator[None]:
    """Run a worker of the tier's pool within this context."""
    own = Product(product.running, {**product.variables, "MAAS_WORKER_POOLS": GOLD})
    with (tmp_path / "worker.log").open("wb") as log, own.command("worker", output=log) as worker:
        try:
            eventually(lambda: GOLD in answers(product), "the worker of the pool", 60)
            yield
        finally:
            worker.terminate()


def answers(product: Product) -> dict[str, int]:
    """Return the pages and calls of the model `embed` that living workers have done, by their pools."""
    found: dict[str, int] = {}
    with redis.Redis.from_url(product.service("MAAS_REDIS_URL")) as store:
        for key in store.scan_iter(f"{PREFIX}*"):
            value = store.get(key)
            report = json.loads(value) if value else None
            if report is not None:
                done = sum(count for name, count in report["done"].items() if name.startswith("embed@"))
                pools = ",".join(report["pools"])
                found[pools] = found.get(pools, 0) + done
    return found


def embed(product: Product, account: Account) -> httpx.Response:
    with product.caller(account) as caller:
        return caller.http.post("/v1/embeddings", json={"model": "embed", "input": "hello"})


def infer(product: Product, account: Account, timeout_s: float) -> httpx.Response:
    body = {
        "inputs": [{"name": "text", "shape": [1], "datatype": "BYTES", "data": ["hello"]}],
        "parameters": {"timeout": round(timeout_s * 1_000_000)},
    }
    with product.caller(account) as caller:
        return caller.http.post("/v2/models/embed/infer", json=body)


def answered_by(product: Product, pool: str, calls: int, before: dict[str, int]) -> None:
    """Wait until the workers of this pool have reported so many more answers, and check that no others have."""
    wanted = {**before, pool: before.get(pool, 0) + calls}
    eventually(lambda: answers(product).get(pool) == wanted[pool], f"{calls} answers of {pool!r}", 10)
    assert answers(product) == wanted


def test_calls_of_each_tenant_are_answered_by_workers_of_its_pool(
    product: Product, gold_tenant: Account, other_tenant: Account, tmp_path: Path
) -> None:
    give(product, gold_tenant, GOLD)
    with gold_worker(product, tmp_path):
        for account, pool in ((gold_tenant, GOLD), (other_tenant, SHARED)):
            before = answers(product)
            statuses = [embed(product, account).status_code for _ in range(3)]
            statuses.append(infer(product, account, 60).status_code)
            assert statuses == [200] * 4
            answered_by(product, pool, 4, before)


def test_while_its_pool_has_no_worker_a_call_overflows_at_once(
    product: Product, gold_tenant: Account, tmp_path: Path
) -> None:
    give(product, gold_tenant, GOLD, SHARED)
    assert_overflows(product, gold_tenant)
    with gold_worker(product, tmp_path):
        # A model that no worker of the home has loaded stays where it is.
        give(product, gold_tenant, GOLD)
        assert embed(product, gold_tenant).status_code == 200
        give(product, gold_tenant, GOLD, SHARED)
        before = answers(product)
        assert embed(product, gold_tenant).status_code == 200
        answered_by(product, GOLD, 1, before)
    assert_overflows(product, gold_tenant)


def test_without_an_overflow_it_is_refused_with_the_time_to_come_again(
    product: Product, gold_tenant: Account, other_tenant: Account
) -> None:
    """The worker that is there names no pool, so it does not serve a dedicated one."""
    give(product, gold_tenant, GOLD)
    assert infer(product, gold_tenant, 1).status_code == 503
    before = answers(product)

    def refused() -> httpx.Response | None:
        answer = infer(product, gold_tenant, 1)
        return answer if int(answer.headers["retry-after"]) > 100 else None

    # Where no call was before, it takes the scheduler a look to order a worker.
    answer = eventually(refused, "the order of a worker", 20)
    assert "One is being started" in answer.text
    began_s = time.monotonic()
    answer = embed(product, gold_tenant)
    assert time.monotonic() - began_s < 10
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "inference_unavailable")
    assert 100 < int(answer.headers["retry-after"]) <= 700
    assert embed(product, other_tenant).status_code == 200
    answered_by(product, SHARED, 1, before)


def assert_overflows(product: Product, account: Account) -> None:
    before = answers(product)
    assert set(before) == {SHARED}
    began_s = time.monotonic()
    assert embed(product, account).status_code == 200
    assert time.monotonic() - began_s < 10
    answered_by(product, SHARED, 1, before)
