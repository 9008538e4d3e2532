"""Test which pools serve the calls of a tenant, and which of them a call is sent to."""

import asyncio
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
from pytest_django import Settings

from inference.gateway import call_pools
from inference.gateway.call_choice import UNKNOWN_LOAD_S, call_pools_now
from inference.gateway.call_pools import PoolWatch, pool_of_call
from inference.gateway.targets import Target, Targets
from inference.models import ModelPool, ModelVersion, TierPool
from inference.tiers.binding import pool_for
from inference.tiers.routes import CallPool
from inference.workers.heartbeats import Beat, Heartbeat, HeldModel, WorkerReport
from tenants.accounts.models import Tenant
from tenants.billing.ledger.subscriptions import Start, subscribe
from tenants.core.asgi.threads import DatabaseThreads
from tenants.core.changes.feed import ChangeFeed
from tenants.core.db.unit_of_work import operator_work
from tenants.identity.identity import Identity
from tenants.tiers.models import Tier
from tests.fixtures import unique
from tests.inference.workers.brokers.servers import hanging_server
from tests.tenants.plans.selling import make_plan
from tests.waiting import eventually


@pytest.fixture(autouse=True)
def no_tier_afterwards(identity: Identity) -> Iterator[None]:
    yield
    give(identity, None)


def give(identity: Identity, tier: Tier | None) -> None:
    with operator_work():
        Tenant.objects.filter(id=identity.tenant_id).update(tier=tier)


def make_pool(**fields: object) -> ModelPool:
    with operator_work():
        return ModelPool.objects.create(name=unique("pool"), **{"dedicated": True, **fields})


def make_tier(**pools: list[ModelPool | None]) -> Tier:
    with operator_work():
        tier = Tier.objects.create(name=unique("tier"))
        for priority, order in pools.items():
            for position, pool in enumerate(order, 1):
                TierPool.objects.create(tier=tier, priority=priority, position=position, pool=pool)
    return tier


def found(identity: Identity, version: ModelVersion) -> Target:
    async def find() -> Target:
        threads = DatabaseThreads("targets", 1)
        try:
            return await Targets(threads).find(identity.tenant_id, version.key)
        finally:
            threads.close()

    return asyncio.run(find())


def test_without_a_tier_calls_go_to_the_queue_of_the_version(identity: Identity, version: ModelVersion) -> None:
    target = found(identity, version)
    pool = asyncio.run(pool_of_call(target))
    assert (pool.key, pool.name, pool.strategy) == (version.key, "default", "sticky")
    assert target.line_pools == target.call_pools == (pool,)


def test_calls_are_interactive_and_lines_of_batches_are_bulk(identity: Identity, version: ModelVersion) -> None:
    gold, spot = make_pool(strategy="response-time"), make_pool(capacity="spot")
    give(identity, make_tier(interactive=[gold, None], bulk=[spot]))
    target = found(identity, version)
    assert [(pool.key, pool.strategy) for pool in target.call_pools] == [
        (f"{version.key}~{gold.name}", "response-time"),
        (version.key, "sticky"),
    ]
    assert [pool.key for pool in target.line_pools] == [f"{version.key}~{spot.name}"]


def test_another_tier_holds_as_soon_as_the_change_is_read(identity: Identity, version: ModelVersion) -> None:
    gold = make_pool()
    tier = make_tier(interactive=[gold])

    async def change() -> None:
        threads = DatabaseThreads("targets", 1)
        feed = ChangeFeed(threads)
        targets = Targets(threads, feed)
        await feed.read()
        before = await targets.find(identity.tenant_id, version.key)
        assert before.call_pools[0].name == "default"
        for act, name in (
            (lambda: give(identity, tier), gold.name),
            (lambda: replace_pool(tier, None), "default"),
            (lambda: replace_pool(tier, gold), gold.name),
            (lambda: give(identity, None), "default"),
        ):
            await asyncio.to_thread(act)
            await feed.read()
            now = await targets.find(identity.tenant_id, version.key)
            assert now.call_pools[0].name == name
        feed.close()

    asyncio.run(change())


def replace_pool(tier: Tier, pool: ModelPool | None) -> None:
    with operator_work():
        TierPool.objects.filter(tier=tier).update(pool=pool)


def test_a_planned_plan_ends_what_is_remembered_of_pools(identity: Identity, version: ModelVersion) -> None:
    give(identity, make_tier(interactive=[make_pool()]))
    subscribe(tenant_id=identity.tenant_id, plan=make_plan())
    subscribe(tenant_id=identity.tenant_id, plan=make_plan(), start=Start.NEXT_MONTH)
    assert 0 < found(identity, version).lasts_s < 32 * 86_400


HOME, OVERFLOW = CallPool("m@1~home", "home", dedicated=True), CallPool("m@1~over", "over", dedicated=True)


def report(pool: str, **fields: object) -> WorkerReport:
    facts: dict[str, object] = {"name": pool, "pid": 1, "provider": "CPU", "threads": 2, "seen_at": 0.0}
    return WorkerReport(**{**facts, "pools": (pool,), **fields})  # type: ignore[arg-type]


def chosen(*workers: WorkerReport, waiting: dict[str, int] | None = None) -> str:
    return pool_for(call_pools_now((HOME, OVERFLOW), workers, waiting or {})).name


def test_a_call_stays_at_home_until_it_would_wait_there() -> None:
    home = report("home", serving=("m@1~home",), service_s={"m@1~home": 1.0})
    over = report("over", serving=("m@1~over",))
    assert chosen(home, over) == "home"
    assert chosen(replace(home, running={"m@1~home": 4}), over) == "over"
    assert chosen(home, over, waiting={"m@1~home": 4}) == "over"


def test_a_model_that_is_not_loaded_elsewhere_has_to_pay_for_its_load() -> None:
    home = report("home", serving=("m@1~home",), service_s={"m@1~home": 1.0})
    assert UNKNOWN_LOAD_S == 5.0
    assert chosen(replace(home, running={"m@1~home": 18}), report("over")) == "home"
    assert chosen(replace(home, running={"m@1~home": 22}), report("over")) == "over"
    held = report("over", models=(HeldModel("m@1"),))
    assert chosen(replace(home, running={"m@1~home": 4}), held) == "over", "it is in memory for another queue"


def test_without_workers_at_home_calls_overflow_and_a_draining_worker_does_not_count() -> None:
    assert chosen(report("home", draining=True), report("over")) == "over"
    assert chosen(report("over", draining=True)) == "home"
    assert chosen(report("elsewhere", pools=())) == "home", "a worker that names no pool serves no dedicated one"


def two_pools() -> tuple[CallPool, CallPool]:
    key = unique("m@1")
    return CallPool(f"{key}~a", unique("a"), dedicated=True), CallPool(f"{key}~b", unique("b"), dedicated=True)


@pytest.fixture
def heart() -> Iterator[Heartbeat]:
    made = Heartbeat(unique("worker"), "CPU")
    yield made
    made.end()


def test_the_first_call_waits_until_the_workers_are_known(heart: Heartbeat) -> None:
    home, over = two_pools()
    heart.beat(Beat(pools=(over.name,)))
    assert asyncio.run(PoolWatch().choose((home, over))) == over


def test_calls_that_come_between_two_looks_spread_over_the_pools(heart: Heartbeat) -> None:
    home, over = two_pools()
    heart.beat(Beat(pools=(home.name, over.name), serving=(home.key, over.key)))
    watch = PoolWatch()

    async def several() -> list[CallPool]:
        return [await watch.choose((home, over)) for _ in range(8)]

    assert set(asyncio.run(several())) == {home, over}


def test_a_pool_that_is_changed_between_two_looks_is_a_new_one(heart: Heartbeat) -> None:
    home, over = two_pools()
    heart.beat(Beat(pools=(over.name,)))
    watch = PoolWatch()
    assert asyncio.run(watch.choose((home, over))) == over
    moved = replace(over, name=unique("moved"))
    assert asyncio.run(watch.choose((home, moved))) == home


def test_the_watch_ends_when_nobody_calls_and_begins_anew(heart: Heartbeat, monkeypatch: pytest.MonkeyPatch) -> None:
    home, over = two_pools()
    monkeypatch.setattr(call_pools, "LOOK_EVERY_S", 0.05)
    monkeypatch.setattr(call_pools, "UNUSED_S", 0.1)
    watch = PoolWatch()
    assert asyncio.run(watch.choose((home, over))) == home
    eventually(lambda: not watch._looks, "the end of its thread")
    heart.beat(Beat(pools=(over.name,)))
    assert asyncio.run(watch.choose((home, over))) == over


def test_without_redis_a_call_goes_home_and_waits_no_longer_than_for_a_look(settings: Settings) -> None:
    home, over = two_pools()
    with hanging_server() as address:
        settings.MAAS_REDIS_URL = f"redis://{address}/0"
        began_s = time.monotonic()
        assert asyncio.run(PoolWatch().choose((home, over))) == home
        assert time.monotonic() - began_s < 2 * call_pools.FIRST_LOOK_S
