"""Test the scheduler's watch over pools, with real jobs, calls, heartbeats and terms."""

import asyncio
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from inference.core.calls import Call
from inference.core.contracts import TextInput
from inference.core.errors import DeadlinePassed
from inference.models import ModelPool, ScalingMinute, ScalingTerms, ServedModel
from inference.rpc import AsyncLaneClient
from inference.scaling.next_worker import next_worker
from inference.workers.heartbeats import Beat, Heartbeat, HeldModel
from jobs.scaling.published import KEY, ScalingUnavailable, _connection, published_pool
from jobs.scaling.watch import ScalingWatch
from tenants.accounts.models import Tenant
from tenants.core.db.unit_of_work import operator_work
from tests.fixtures import unique
from tests.jobs.conftest import Desk

pytestmark = pytest.mark.xdist_group("scaling")  # All tests share one Redis, in which one scheduler publishes.


@dataclass
class Pool:
    """A pool with one model and one worker, and a watch whose clock stands still."""

    name: str
    key: str
    heart: Heartbeat
    now_s: float = 1_000_000.0

    def __post_init__(self) -> None:
        self.watch = ScalingWatch(lambda: self.now_s)

    def look(self, later_s: float = 2.0) -> dict[str, Any]:
        self.now_s += later_s
        self.watch.look()
        # Callers give Redis a fifth of a second, which a busy machine may exceed.
        pools = json.loads(_connection().get(KEY) or b"[]")
        return next(pool for pool in pools if pool["pool"] == self.name)

    def beat(self, **now: Any) -> None:
        held = (HeldModel(self.key, 10, load_s=3.0),)
        self.heart.beat(Beat(models=held, serving=(self.key,), pools=(self.name,), **now))

    def agree(self, **terms: Any) -> None:
        with operator_work():
            ScalingTerms.objects.update_or_create(pool=self.name, defaults=terms)

    def minutes(self) -> list[ScalingMinute]:
        with operator_work():
            return list(ScalingMinute.objects.filter(pool=self.name))


@pytest.fixture
def pool(desk: Desk) -> Iterator[Pool]:
    name = unique("pool")
    with operator_work():
        made = ModelPool.objects.create(name=name)
        ServedModel.objects.filter(id=desk.version.served_model_id).update(pool=made)
    heart = Heartbeat(unique("worker"), "CPU")
    found = Pool(name, desk.version.key, heart)
    found.beat()
    yield found
    heart.end()


def test_waiting_pages_are_seconds_of_work_within_two_seconds(desk: Desk, pool: Pool) -> None:
    pool.beat(running={pool.key: 4}, service_s={pool.key: 2.0}, outstanding=4)
    pool.look()
    desk.submit(pages=10)
    found = pool.look()
    each_s = found["models"][0]["seconds_each"]
    assert found["waiting_work_s"] == pytest.approx(10 * each_s)
    assert [(part["kind"], part["priority"], part["pieces"]) for part in found["parts"]] == [("pages", "standard", 10)]
    assert found["ready"] == 1
    assert found["load_s"] == 3.0


def test_a_running_page_does_not_wait(desk: Desk, pool: Pool) -> None:
    pages = desk.pages(desk.submit(pages=3))
    desk.claimed(pages[0])
    assert pool.look()["parts"][0]["pieces"] == 2


def test_in_a_dry_run_the_cluster_is_told_what_is_there(desk: Desk, pool: Pool) -> None:
    pool.look()
    desk.submit(pages=500)
    found = pool.look()
    assert found["mode"] == "dry-run"
    assert found["needed"] > 1
    assert found["decided"] == 3  # Two more within two minutes.
    assert found["wanted"] == 1


def test_what_is_followed_grows_as_fast_as_its_terms_allow(desk: Desk, pool: Pool) -> None:
    pool.agree(mode="follow", up=3, most=50)
    pool.look()
    desk.submit(pages=500)
    assert pool.look()["wanted"] == 4
    later = pool.look()
    assert later["wanted"] == 4
    assert len(later["due_in_s"]) == 3
    assert pool.look(130.0 - 70)["wanted"] == 4


def test_a_held_number_is_told_whatever_waits(desk: Desk, pool: Pool) -> None:
    pool.agree(mode="hold", held=7)
    desk.submit(pages=500)
    assert pool.look()["wanted"] == 7


def test_each_minute_is_kept_with_its_reasons(desk: Desk, pool: Pool) -> None:
    pool.look()
    desk.submit(pages=6)
    pool.look(1.0)
    pool.look(59.0)
    pool.look(1.0)
    kept = [minute for minute in pool.minutes() if minute.came]
    assert [minute.came for minute in kept] == [6]
    assert kept[0].work_s == 6.0
    assert any("wait" in reason for reason in kept[0].reasons)


def test_another_leader_goes_on_with_what_was_wanted(desk: Desk, pool: Pool) -> None:
    pool.agree(mode="follow", up=3, most=50)
    pool.look()
    desk.submit(pages=500)
    for _ in range(40):
        wanted = pool.look()["wanted"]
    pool.watch = ScalingWatch(lambda: pool.now_s)
    assert pool.look()["wanted"] >= wanted > 1


def test_a_pool_without_work_may_have_no_worker(pool: Pool) -> None:
    pool.agree(mode="follow", least=0, down=5, down_every_s=30.0)
    for _ in range(100):
        found = pool.look()
    assert found["wanted"] == 0


def test_a_pool_that_has_only_a_name_is_answered_for(pool: Pool) -> None:
    name = unique("spot")
    with operator_work():
        ModelPool.objects.create(name=name)
    pool.look()
    found = published_pool(name)
    assert (found["ready"], found["wanted"], found["waiting_work_s"]) == (0, 0, 0.0)


def test_work_wakes_a_pool_without_workers(desk: Desk, pool: Pool) -> None:
    pool.agree(mode="follow", least=0, down=5, down_every_s=30.0)
    for _ in range(100):
        pool.look()
    pool.heart.end()
    assert (pool.look()["wanted"], pool.look()["ready"]) == (0, 0)
    desk.submit()
    assert pool.look()["wanted"] == 1


def test_a_call_orders_a_worker_just_after_the_pool_shrank_which_is_kept_until_the_caller_is_back(pool: Pool) -> None:
    pool.agree(mode="follow", least=0, node_start_s=900.0)
    for _ in range(400):
        found = pool.look()
    pool.heart.end()
    assert found["wanted"] == pool.look()["wanted"] == 0
    lane = AsyncLaneClient(settings.MAAS_REDIS_URL)

    async def ask() -> None:
        with pytest.raises(DeadlinePassed):
            await lane.call(pool.key, TextInput(("x",), True), {}, Call(deadline_s=time.monotonic() + 0.1))
        await lane.close()

    asyncio.run(ask())
    found = pool.look()
    assert (found["wanted"], found["calls_work_s"], found["lead_s"]) == (1, 0.0, 903.0)
    assert found["due_in_s"] == [903.0]
    assert next_worker(follows=True, wanted=1, due_in_s=found["due_in_s"], lead_s=903.0, age_s=0.0).retry_after_s == 903
    for _ in range(95):
        assert pool.look(10.0)["wanted"] == 1
    for _ in range(60):
        found = pool.look(10.0)
    assert found["wanted"] == 0


def test_pages_that_no_worker_may_take_order_none(desk: Desk, pool: Pool) -> None:
    pool.agree(mode="follow", up=9, most=50)
    pool.look()
    limit(desk, pages_at_once=2)
    desk.submit(pages=500)
    found = pool.look()
    assert (found["parts"][0]["pieces"], found["parts"][0]["held"]) == (500, 498)
    limit(desk, pages_at_once=None)
    assert pool.look()["parts"][0]["held"] == 0


def limit(desk: Desk, **limits: int | None) -> None:
    with operator_work():
        Tenant.objects.filter(id=desk.identity.tenant_id).update(**limits)


def test_nothing_old_is_given_out(pool: Pool) -> None:
    pool.look()
    _connection().delete(KEY)
    with pytest.raises(ScalingUnavailable):
        published_pool(pool.name)


def ask(path: str, **headers: str) -> Any:
    """Return the answer, or on a busy machine a later one than that nothing is known."""
    until_s = time.monotonic() + 20
    while (answer := Client().get(path, headers=headers)).status_code == 503 and time.monotonic() < until_s:
        ScalingWatch().look()
        time.sleep(0.5)
    return answer


def test_the_token_opens_the_signal_and_no_key_does(desk: Desk, pool: Pool) -> None:
    pool.look()
    token = {"authorization": f"Bearer {settings.MAAS_OPERATOR_TOKEN}"}
    found = ask(f"/v1/operator/scaling/pools/{pool.name}", **token).json()
    assert (found["pool"], found["wanted"]) == (pool.name, 1)
    assert pool.name in [one["pool"] for one in ask("/v1/operator/scaling", **token).json()["data"]]
    assert ask("/v1/operator/scaling/pools/no-such-pool", **token).status_code == 404
    for wrong in ({}, {"authorization": "Bearer wrong"}, {"authorization": "Basic eDp5"}):
        refused = ask("/v1/operator/scaling", **wrong)
        assert refused.status_code == 401
        assert pool.name not in refused.content.decode()


def test_without_a_token_only_operators_who_sign_in_may_read(pool: Pool, settings: Any) -> None:
    pool.look()
    settings.MAAS_OPERATOR_TOKEN = ""
    for sent in ("", "Bearer", "Bearer "):
        assert ask("/v1/operator/scaling", authorization=sent).status_code == 401
