"""Tests of two web processes and workers: answers reach their own callers, and a request sent by many runs once."""

import itertools
import signal
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import pytest

from tenants.billing.metering.roll_up import roll_up_uses
from tenants.billing.usage.models import UsageRecord
from tenants.core.db.unit_of_work import unit_of_work
from tenants.onboarding.create_tenant import CreatedTenant
from tests.maas.fleet.balancer import Balancer, calls_until
from tests.maas.fleet.callers import CALLERS, Call, Caller, all_at_once
from tests.maas.fleet.processes import PRICE, PRICE_OF_HITS, Fleet, Worker
from tests.waiting import eventually

pytestmark = pytest.mark.xdist_group("fleet")
EACH, ROUNDS = 2, 2
START_S = 180.0
_numbers = itertools.count(1)
"""The numbers to send. No test sends what another has sent, and all are small enough for a float to be exact."""


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    with Fleet(tmp_path_factory.mktemp("fleet")) as fleet:
        yield fleet


def ask_all(
    fleet: Fleet,
    tenant: CreatedTenant,
    each: int = EACH,
    callers: int = CALLERS,
    then: Callable[[Call], None] = lambda call: None,
) -> list[Call]:
    """Have each caller send `each` own requests, one after the other. `then` is called with each of them."""

    async def program(caller: Caller) -> Sequence[Call]:
        calls = []
        for _ in range(each):
            calls.append(await caller.ask(next(_numbers)))
            then(calls[-1])
        return calls

    return all_at_once(fleet.webs, tenant, fleet.model, program, callers=callers)


def wait_until_serving(fleet: Fleet, tenant: CreatedTenant, *workers: Worker) -> None:
    def serving() -> bool:
        ask_all(fleet, tenant, 1, 20)
        return all(worker.rows_run(fleet.model) for worker in workers)

    eventually(serving, "a run in each worker", START_S)


def paid(tenant: CreatedTenant) -> Counter[int]:
    """Return the number of calls for each cost."""
    roll_up_uses()
    with unit_of_work(tenant.tenant.id):
        return Counter(UsageRecord.objects.values_list("amount_micros", flat=True))


def test_each_of_many_callers_at_two_processes_gets_what_it_asked_for_and_pays_once(
    fleet: Fleet, tenant: CreatedTenant, other_tenant: CreatedTenant
) -> None:
    wait_until_serving(fleet, other_tenant, *fleet.workers)
    before = [worker.rows_run(fleet.model) for worker in fleet.workers]
    calls = ask_all(fleet, tenant)
    assert len(calls) == CALLERS * EACH
    assert all(call.is_answered and call.is_right for call in calls)
    assert paid(tenant) == {PRICE: CALLERS * EACH}
    runs = [worker.rows_run(fleet.model) - was for worker, was in zip(fleet.workers, before, strict=True)]
    assert all(runs), "each worker had its part"
    assert sum(runs) == CALLERS * EACH


def ask_the_same(fleet: Fleet, tenant: CreatedTenant, model: str) -> Counter[str]:
    """Have all callers send one request, check that all get the right answer, and count their cache headers."""
    number = next(_numbers)

    async def program(caller: Caller) -> Sequence[Call]:
        return [await caller.ask(number)]

    calls = all_at_once(fleet.webs, tenant, model, program)
    assert all(call.is_answered and call.is_right for call in calls)
    return Counter(call.word for call in calls)


def test_what_many_ask_at_once_of_two_processes_runs_once_and_one_pays_for_it(
    fleet: Fleet, tenant: CreatedTenant
) -> None:
    ask_the_same(fleet, tenant, fleet.settled)
    before, was_paid = fleet.rows_run(fleet.settled), paid(tenant)
    for _ in range(ROUNDS):
        words = ask_the_same(fleet, tenant, fleet.settled)
        assert words["MISS"] == 1, words
        assert words["COALESCED"] + words["HIT"] == CALLERS - 1, words
    assert fleet.rows_run(fleet.settled) - before == ROUNDS
    assert paid(tenant) - was_paid == {PRICE: ROUNDS, PRICE_OF_HITS: ROUNDS * (CALLERS - 1)}


def test_where_two_workers_take_it_each_may_run_it_once_and_who_did_not_run_it_pays_for_a_hit(
    fleet: Fleet, tenant: CreatedTenant, other_tenant: CreatedTenant
) -> None:
    wait_until_serving(fleet, other_tenant, *fleet.workers)
    before = fleet.rows_run(fleet.model)
    words = ask_the_same(fleet, tenant, fleet.model)
    runs = int(fleet.rows_run(fleet.model) - before)
    assert 1 <= runs <= len(fleet.webs)
    assert words["MISS"] == runs
    assert paid(tenant) == {PRICE: runs, PRICE_OF_HITS: CALLERS - runs}


def test_a_worker_killed_in_the_middle_costs_nobody_a_wrong_answer_or_a_second_price(
    fleet: Fleet, tenant: CreatedTenant, other_tenant: CreatedTenant
) -> None:
    victim = fleet.workers[0]
    wait_until_serving(fleet, other_tenant, *fleet.workers)
    heard = itertools.count(1)

    def kill_in_the_middle(_: Call) -> None:
        if next(heard) == CALLERS:
            victim.kill()

    calls = ask_all(fleet, tenant, then=kill_in_the_middle)
    assert victim.process.returncode == -signal.SIGKILL
    assert len(calls) == CALLERS * EACH
    answered = [call for call in calls if call.is_answered]
    assert all(call.is_right for call in answered)
    assert all(call.is_clear_failure for call in calls if not call.is_answered)
    assert len(answered) > CALLERS
    assert paid(tenant) == {PRICE: len(answered)}
    fleet.workers.remove(victim)
    fleet.add_worker()


@pytest.mark.long
def test_processes_are_replaced_one_after_the_other_under_load_and_no_call_fails(
    fleet: Fleet, tenant: CreatedTenant, other_tenant: CreatedTenant
) -> None:
    wait_until_serving(fleet, other_tenant, *fleet.workers)
    old_webs, old_workers = list(fleet.webs), list(fleet.workers)

    def replace_all() -> None:
        for web in old_webs:
            fleet.add_web()
            web.process.send_signal(signal.SIGTERM)
            assert web.process.wait(30) == 0
            fleet.webs.remove(web)
        for worker in old_workers:
            newest = fleet.add_worker()
            eventually(partial(newest.rows_run, fleet.model), "a run of the new one", START_S)
            worker.stop()
            fleet.workers.remove(worker)

    balancer = Balancer(lambda: tuple(fleet.webs))
    calls = calls_until(balancer, tenant, fleet.model, _numbers, replace_all, callers=4)
    assert all(call.is_answered and call.is_right for call in calls)
    assert paid(tenant) == {PRICE: len(calls)}
