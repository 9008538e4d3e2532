"""Tests of the release of pages to the pools of tiers, over the real tables. The workers only report themselves."""

from collections import Counter
from uuid import UUID

import pytest
from django.conf import settings as current
from django.db.models import ProtectedError
from django.db.models.functions import Now

from inference.models import ModelPool
from inference.registry import tiers as reading
from inference.registry.tiers import current_tiers, read_tiers
from jobs.core.models import FairShare, Page
from jobs.core.priorities import BULK, INTERACTIVE, STANDARD
from jobs.queue.admission import require_short_queue
from jobs.queue.claims import claim_page
from jobs.queue.demand import pages_demand
from jobs.queue.queue_positions import standing_of
from jobs.queue.tiered_release import take_for_pools
from tenants.accounts.models import Tenant
from tenants.billing.ledger.subscriptions import subscribe
from tenants.core.db.unit_of_work import operator_work
from tenants.identity.identity import Identity
from tests.jobs.tiering import Tiers, tiers
from tests.tenants.plans.selling import make_plan

__all__ = ["tiers"]

pytestmark = [pytest.mark.usefixtures("quiet", "nothing_seen")]


def test_without_a_tier_a_page_waits_in_the_queue_of_its_version(tiers: Tiers) -> None:
    job = tiers.submit()
    assert tiers.release() == 1
    assert tiers.waiting_in(None) == 1
    assert tiers.pools_of(job) == [None]


def test_pages_of_a_tenant_with_a_tier_go_to_its_home_and_those_of_others_do_not(
    tiers: Tiers, other_identity: Identity
) -> None:
    gold = tiers.pool()
    tiers.give(tiers.tier(standard=[gold]))
    job, other = tiers.submit(2), tiers.submit(identity=other_identity)
    assert tiers.release() == 3
    assert (tiers.waiting_in(gold), tiers.waiting_in(None)) == (2, 1)
    assert tiers.pools_of(job) == [gold.name] * 2
    assert tiers.pools_of(other) == ["default"]


def test_each_priority_goes_to_its_own_pool_and_one_without_pools_to_that_of_the_model(tiers: Tiers) -> None:
    reserved, spot = tiers.pool(capacity="reserved"), tiers.pool(capacity="spot")
    tiers.give(tiers.tier(interactive=[reserved], bulk=[spot]))
    jobs = [tiers.submit(priority=priority) for priority in (INTERACTIVE, STANDARD, BULK)]
    tiers.release()
    assert [tiers.pools_of(job)[0] for job in jobs] == [reserved.name, "default", spot.name]


def test_the_tier_of_the_plan_counts_unless_the_tenant_has_its_own(tiers: Tiers) -> None:
    of_plan, own = tiers.pool(), tiers.pool()
    plan = make_plan(tier=tiers.tier(standard=[of_plan]))
    subscribe(tenant_id=tiers.desk.identity.tenant_id, plan=plan)
    tiers.look()
    first = tiers.submit()
    tiers.release()
    tiers.give(tiers.tier(standard=[own]))
    second = tiers.submit()
    tiers.release()
    assert (tiers.pools_of(first), tiers.pools_of(second)) == ([of_plan.name], [own.name])
    with operator_work():
        type(plan).objects.filter(pk=plan.pk).update(tier=None)


def test_what_the_home_would_begin_too_late_overflows(tiers: Tiers) -> None:
    home, overflow = tiers.pool(), tiers.pool()
    tiers.give(tiers.tier(standard=[home, overflow]))
    tiers.worker(home)
    tiers.worker(overflow)
    job = tiers.submit(40)
    tiers.release()
    assert {home.name, overflow.name} <= set(tiers.pools_of(job))
    assert tiers.waiting_in(home) > 0
    assert tiers.waiting_in(overflow) > 0


def test_few_pages_stay_at_home(tiers: Tiers) -> None:
    home, overflow = tiers.pool(), tiers.pool()
    tiers.give(tiers.tier(standard=[home, overflow]))
    tiers.worker(home)
    tiers.worker(overflow, holds=False)
    job = tiers.submit(2)
    tiers.release()
    assert tiers.pools_of(job) == [home.name] * 2


def test_a_home_without_workers_loses_its_pages_to_the_overflow_and_without_any_they_wait(tiers: Tiers) -> None:
    home, overflow = tiers.pool(), tiers.pool()
    tiers.give(tiers.tier(standard=[home, overflow]))
    waiting = tiers.submit()
    tiers.release()
    assert tiers.pools_of(waiting) == [home.name]
    tiers.worker(overflow, holds=False)
    late = tiers.submit()
    tiers.release()
    assert tiers.pools_of(late) == [overflow.name]
    tiers.lose_messages()
    tiers.release()
    assert tiers.pools_of(waiting) == [overflow.name], "a message that nobody took is decided on anew"


def test_interactive_pages_never_overflow_to_spot_machines(tiers: Tiers) -> None:
    home, spot = tiers.pool(), tiers.pool()
    tiers.give(tiers.tier(interactive=[home, spot]))
    with operator_work():
        ModelPool.objects.filter(pk=spot.pk).update(capacity="spot")
    tiers.worker(spot)
    job = tiers.submit(priority=INTERACTIVE)
    tiers.release()
    assert tiers.pools_of(job) == [home.name]


def test_the_window_of_a_pool_is_its_own(tiers: Tiers, other_identity: Identity) -> None:
    gold = tiers.pool()
    tiers.give(tiers.tier(standard=[gold]))
    tiers.worker(gold)
    tiers.submit(50)
    tiers.release()
    assert 2 <= tiers.waiting_in(gold) <= 4
    other = tiers.submit(identity=other_identity)
    tiers.release()
    assert tiers.pools_of(other) == ["default"]
    assert tiers.release() == 0


def test_a_tenant_with_workers_of_its_own_may_use_all_of_them(tiers: Tiers, other_identity: Identity) -> None:
    own, shared = tiers.pool(), tiers.pool()
    with operator_work():
        other_tier = tiers.tier(bulk=[shared])
    tiers.give(tiers.tier(standard=[own], bulk=[shared]))
    tiers.give(other_tier, other_identity)
    facts = read_tiers().pools
    assert facts[own.name].of_one
    assert not facts[shared.name].of_one
    tiers.worker(own, threads=8, service_s=10.0)
    tiers.submit(30)
    tiers.release()
    assert tiers.waiting_in(own) >= 8


def test_a_page_whose_message_was_lost_is_charged_once(tiers: Tiers) -> None:
    gold, silver = tiers.pool(), tiers.pool()
    tiers.give(tiers.tier(standard=[gold]))
    tiers.worker(gold, threads=32)
    tiers.worker(silver, threads=32)
    job = tiers.submit(4)
    assert tiers.release() == 4
    charged = shares(tiers)
    assert charged
    tiers.lose_messages()
    assert (tiers.release(), tiers.pools_of(job)) == (4, [gold.name] * 4)
    tiers.give(tiers.tier(standard=[silver]))
    tiers.lose_messages()
    assert (tiers.release(), tiers.pools_of(job)) == (4, [silver.name] * 4)
    assert shares(tiers) == charged


def shares(tiers: Tiers) -> list[tuple[str, float, float]]:
    with operator_work():
        found = FairShare.objects.filter(model_version=tiers.desk.version)
        return list(found.order_by("id").values_list("pool", "began", "ends"))


def test_lost_pages_go_before_all_others_and_within_the_limit_of_their_tenant(
    tiers: Tiers, other_identity: Identity
) -> None:
    gold = tiers.pool()
    tier = tiers.tier(standard=[gold], bulk=[gold])
    tiers.give(tier)
    tiers.give(tier, other_identity)
    tiers.worker(gold, threads=3, service_s=10.0)
    job = tiers.submit(3)
    assert tiers.release() == 3
    tiers.take_messages(gold)
    tiers.lose_messages()
    for _ in range(20):
        tiers.submit(identity=other_identity)
    with operator_work():
        Tenant.objects.filter(id=tiers.desk.identity.tenant_id).update(pages_at_once=2)
    released = tiers.release()
    with operator_work():
        Tenant.objects.filter(id=tiers.desk.identity.tenant_id).update(pages_at_once=None)
    under_way = notified(tiers)
    assert (under_way[tiers.desk.identity.tenant_id], under_way.total()) == (2, released)
    assert released > 2
    assert tiers.pools_of(job) == [gold.name] * 3
    assert tiers.release() == 0


def notified(tiers: Tiers) -> Counter[UUID]:
    """Return the number of pages by tenant of which workers were notified a moment ago."""
    with operator_work():
        pages = Page.objects.filter(model_version=tiers.desk.version, renotify_at__gt=Now())
        return Counter(pages.values_list("tenant_id", flat=True))


def test_a_lost_page_that_has_to_wait_waits_for_its_new_pool(tiers: Tiers) -> None:
    gold, silver = tiers.pool(), tiers.pool()
    tiers.give(tiers.tier(standard=[gold]))
    job = tiers.submit(200)
    first = tiers.release()
    assert first
    tiers.give(tiers.tier(standard=[silver]))
    assert tiers.release() > 0, "the pages that wait fill the new pool"
    tiers.lose_messages(gold)
    assert tiers.release() == 0
    pools = Counter(tiers.pools_of(job))
    assert (pools[gold.name], pools[silver.name]) == (0, 2 * first)
    assert pages_demand()[f"{tiers.desk.version.key}~{silver.name}"].waiting >= 2 * first


def test_two_tenants_of_a_pool_take_turns_there(tiers: Tiers, other_identity: Identity) -> None:
    gold = tiers.pool()
    tier = tiers.tier(standard=[gold], bulk=[gold])
    tiers.give(tier)
    tiers.give(tier, other_identity)
    tiers.worker(gold, threads=32)
    tiers.submit(60)
    for _ in range(20):
        tiers.submit(identity=other_identity)
    tiers.release()
    with operator_work():
        taken = Page.objects.filter(model_version=tiers.desk.version, renotify_at__isnull=False)
        counted = Counter(taken.filter(pool=gold.name).values_list("tenant_id", flat=True))
        assert {pool for pool, *_ in shares(tiers)} == {gold.name}
    assert abs(counted[tiers.desk.identity.tenant_id] - counted[other_identity.tenant_id]) <= 1


def test_a_tenant_whose_tier_changes_while_pages_wait_loses_none(tiers: Tiers) -> None:
    gold, silver = tiers.pool(), tiers.pool()
    tiers.give(tiers.tier(standard=[gold]))
    job = tiers.submit(10)
    tiers.release()
    announced = tiers.pools_of(job).count(gold.name)
    assert announced
    for tier, pool in ((tiers.tier(standard=[silver]), silver.name), (None, "default")):
        tiers.give(tier)
        tiers.lose_messages()
        tiers.release()
        pools = tiers.pools_of(job)
        assert gold.name not in pools
        # Without any tier in the installation nothing is written about pools.
        assert pool in pools or (tier is None and tiers.waiting_in(None) > 0)


def test_a_message_of_a_pool_that_the_page_has_left_claims_nothing(tiers: Tiers) -> None:
    gold, silver = tiers.pool(), tiers.pool()
    (page,) = tiers.desk.pages(tiers.submit())
    left = []
    for pool in (None, gold, silver):
        tiers.give(tiers.tier(standard=[pool]))
        tiers.lose_messages()
        left += [released.pool for released in take_for_pools(*version_of(tiers), current_tiers())]
    assert left == ["default", gold.name, silver.name]
    tenant = tiers.desk.identity.tenant_id
    for former in left[:-1]:
        assert claim_page(tenant, page.id, "a former worker", pool=former or "") is None
    assert claim_page(tenant, page.id, "a worker of silver", pool=silver.name) is not None


def version_of(tiers: Tiers) -> tuple[int, str]:
    return tiers.desk.version.id, tiers.desk.version.engine_key


def test_the_demand_is_in_the_pool_where_pages_are_to_run(tiers: Tiers, other_identity: Identity) -> None:
    home, overflow = tiers.pool(), tiers.pool()
    tiers.give(tiers.tier(standard=[home, overflow]))
    tiers.worker(home)
    tiers.worker(overflow)
    tiers.submit(40)
    tiers.submit(identity=other_identity)
    key = tiers.desk.version.key
    before = pages_demand()
    assert before[f"{key}~{home.name}"].waiting == 20
    assert before[key].waiting == 1
    assert f"{key}~{overflow.name}" not in before
    tiers.release()
    assert pages_demand()[f"{key}~{overflow.name}"].waiting == tiers.waiting_in(overflow)


def test_a_pool_that_a_tier_names_is_not_deleted_and_neither_is_a_tier_that_a_tenant_has(tiers: Tiers) -> None:
    gold = tiers.pool()
    tier = tiers.tier(standard=[gold])
    tiers.give(tier)
    with operator_work(), pytest.raises(ProtectedError):
        gold.delete()
    with operator_work(), pytest.raises(ProtectedError):
        tier.delete()


def test_a_flood_in_one_pool_lets_nobody_of_another_wait_or_be_refused(
    tiers: Tiers, other_identity: Identity, monkeypatch: pytest.MonkeyPatch
) -> None:
    gold = tiers.pool()
    tiers.give(tiers.tier(standard=[gold]), other_identity)
    tiers.worker(gold)
    tiers.submit(3000)
    mine = tiers.submit(identity=other_identity)
    current_tiers()
    assert standing_of(mine).position == 0
    monkeypatch.setattr(current, "MAAS_MAX_QUEUE_AGE_STANDARD_S", 30)
    require_short_queue(other_identity.tenant_id, tiers.desk.version, STANDARD)


def test_tiers_that_nobody_has_change_nothing(tiers: Tiers, monkeypatch: pytest.MonkeyPatch) -> None:
    tiers.tier(standard=[tiers.pool()])
    monkeypatch.setattr(reading, "_last", reading._Seen())
    job = tiers.submit()
    tiers.release()
    assert not current_tiers().orders or tiers.pools_of(job) == ["default"]
