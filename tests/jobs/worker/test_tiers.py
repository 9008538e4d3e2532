"""Tests of tiers with worker processes of different pools: pages run where the tier of their tenant allows, and nowhere
else.
"""

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from django.conf import settings

from inference.core.calls import Call
from inference.core.contracts import TensorInput
from inference.models import ModelPool, TierPool
from inference.registry import tiers as reading
from inference.rpc import LaneClient
from inference.workers.heartbeats import WorkerReport, live_workers
from jobs.core.models import Job, Page
from jobs.queue import slots
from jobs.queue.release import release_version, waiting_versions
from jobs.submission.services import JobRequest, submit_job
from tenants.accounts.models import Tenant
from tenants.core.db.unit_of_work import operator_work
from tenants.identity.identity import Identity
from tenants.tiers.models import Tier
from tests.fixtures import unique
from tests.inference.workers.placement.models import INPUTS, ONE_ROW, PoolOfModels, pool_of_models
from tests.jobs.worker.test_process import StartWorker, done, report_of, start
from tests.waiting import eventually

__all__ = ["start"]


def named(pool: ModelPool) -> PoolOfModels:
    """Return the pool as the starter of workers takes it: its name alone matters."""
    return PoolOfModels(pool.name, ())


def make_pool(name: str, **fields: object) -> ModelPool:
    with operator_work():
        return ModelPool.objects.create(name=unique(name), **{"dedicated": True, **fields})


def give(identity: Identity, *pools: ModelPool | None, priority: str = "standard") -> None:
    """Give the tenant a tier of its own, with these pools for work of a priority: the home first."""
    with operator_work():
        tier = Tier.objects.create(name=unique("tier"))
        for position, pool in enumerate(pools, 1):
            TierPool.objects.create(tier=tier, priority=priority, position=position, pool=pool)
        Tenant.objects.filter(id=identity.tenant_id).update(tier=tier)
    reading._last = reading._Seen()


@pytest.fixture(autouse=True)
def no_tier_afterwards(identity: Identity, other_identity: Identity) -> Iterator[None]:
    yield
    with operator_work():
        Tenant.objects.filter(id__in=[identity.tenant_id, other_identity.tenant_id]).update(tier=None)
    reading._last = reading._Seen()


@pytest.fixture
def models(tmp_path: Path) -> PoolOfModels:
    return pool_of_models(1, tmp_path)


def submit(identity: Identity, key: str, count: int = 1) -> list[Job]:
    request = JobRequest(model=key, input=ONE_ROW, cache_control="no-store")
    return [submit_job(identity=identity, request=request) for _ in range(count)]


def release() -> None:
    """Release as the scheduler does, which these tests have none of."""
    slots._last = slots._Seen()
    for version_id, key in waiting_versions():
        release_version(version_id, key)


def finished(identity: Identity, jobs: list[Job]) -> bool:
    if done(identity, *jobs):
        return True
    release()
    return False


def ran_by(jobs: list[Job]) -> set[str]:
    with operator_work():
        return set(Page.objects.filter(job__in=jobs).values_list("worker", flat=True))


def of_pool(name: str) -> WorkerReport | None:
    return next((worker for worker in live_workers() if tuple(worker.pools) == (name,)), None)


def name_of(pool: str) -> str:
    report = of_pool(pool)
    assert report is not None
    return report.name


def test_the_pages_of_a_tier_run_on_its_workers_alone_and_those_of_others_never_do(
    start: StartWorker, identity: Identity, other_identity: Identity, models: PoolOfModels
) -> None:
    (key,) = models.keys
    gold = make_pool("gold")
    give(identity, gold)
    shared, own = start(models), start(named(gold))
    eventually(lambda: report_of(shared) and report_of(own), "both workers", 120)
    mine, theirs = submit(identity, key, 6), submit(other_identity, key, 6)
    eventually(lambda: finished(identity, mine) and finished(other_identity, theirs), "all jobs", 60)
    assert ran_by(mine) == {name_of(gold.name)}
    assert ran_by(theirs) == {name_of(models.name)}


def test_without_a_worker_at_home_the_overflow_runs_the_pages_and_the_home_has_them_again_when_it_is_back(
    start: StartWorker, identity: Identity, models: PoolOfModels
) -> None:
    (key,) = models.keys
    gold = make_pool("gold")
    give(identity, gold, None)
    shared = start(models)
    eventually(lambda: report_of(shared), "the worker of the model's own pool")
    first = submit(identity, key, 2)
    eventually(lambda: finished(identity, first), "the first jobs", 60)
    assert ran_by(first) == {name_of(models.name)}
    start(named(gold))
    eventually(lambda: of_pool(gold.name), "the worker at home")
    slots._last = slots._Seen()

    def at_home() -> bool:
        """Return whether a job ran at home. The first may stay where the model is in memory already."""
        jobs = submit(identity, key)
        eventually(lambda: finished(identity, jobs), "a job", 60)
        return ran_by(jobs) == {name_of(gold.name)}

    with operator_work():
        TierPool.objects.filter(tier__tenants=identity.tenant_id, pool=None).delete()
    reading._last = reading._Seen()
    eventually(at_home, "a job that ran at home", 60)
    eventually(at_home, "another")


def test_a_worker_that_names_no_pool_takes_no_pages_of_a_dedicated_pool(
    start: StartWorker, identity: Identity, models: PoolOfModels
) -> None:
    (key,) = models.keys
    gold = make_pool("gold")
    give(identity, gold)
    anything = start(PoolOfModels("", ()))
    eventually(lambda: report_of(anything), "a worker without pools")
    jobs = submit(identity, key)
    release()
    eventually(lambda: key in (report_of(anything) or of_nothing()).resident, "the model in its memory", 60)
    assert not done(identity, *jobs)
    own = start(named(gold))
    eventually(lambda: finished(identity, jobs), "the job on the tenant's own worker", 60)
    assert ran_by(jobs) == {(report_of(own) or of_nothing()).name}


def of_nothing() -> WorkerReport:
    return WorkerReport(name="", pid=0, provider="", threads=0, seen_at=0.0)


def test_a_synchronous_call_of_a_tier_runs_on_its_workers_though_nothing_was_loaded_there(
    start: StartWorker, identity: Identity, models: PoolOfModels
) -> None:
    (key,) = models.keys
    gold = make_pool("gold")
    give(identity, gold, priority="interactive")
    start(models)
    own = start(named(gold))
    eventually(lambda: report_of(own), "the worker of the tier")
    row = TensorInput({"x": np.ones((1, INPUTS), np.float32)})
    with closing(LaneClient(settings.MAAS_REDIS_URL)) as client:
        call = Call(tenant=str(identity.tenant_id), deadline_s=time.monotonic() + 60)
        answer = client.call(f"{key}~{gold.name}", row, {}, call)
    assert answer.output.tensors
    eventually(lambda: (report_of(own) or of_nothing()).done.get(f"{key}~{gold.name}") == 1, "the call counted there")
