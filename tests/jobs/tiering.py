"""Tiers for the tenants of a test, with pools and workers of their own."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID

import pytest
from django.conf import settings as current
from django.db.models.functions import Now

from inference.models import ModelPool, TierPool
from inference.registry import tiers as reading
from inference.workers.brokers import queue_depth
from inference.workers.heartbeats import Beat, Heartbeat, HeldModel
from jobs.core.models import Job, Page
from jobs.core.priorities import STANDARD
from jobs.events.broker import publishing_broker
from jobs.queue import slots
from jobs.queue.release import release_version
from jobs.submission.services import JobRequest, submit_job
from tenants.accounts.models import Tenant
from tenants.core.db.unit_of_work import operator_work
from tenants.identity.identity import Identity
from tenants.tiers.models import Tier
from tests.fixtures import unique
from tests.jobs.conftest import Desk


@dataclass
class Tiers:
    """Tiers for the tenants of a test, with pools of their own, and workers that only report themselves."""

    desk: Desk
    hearts: list[Heartbeat] = field(default_factory=list)
    tenants: set[UUID] = field(default_factory=set)

    def pool(self, name: str = "pool", **fields: object) -> ModelPool:
        with operator_work():
            return ModelPool.objects.create(name=unique(name), **{"dedicated": True, **fields})

    def tier(self, **pools: list[ModelPool | None]) -> Tier:
        with operator_work():
            tier = Tier.objects.create(name=unique("tier"))
            for priority, order in pools.items():
                for position, pool in enumerate(order, 1):
                    TierPool.objects.create(tier=tier, priority=priority, position=position, pool=pool)
        return tier

    def give(self, tier: Tier | None, identity: Identity | None = None) -> None:
        tenant_id = (identity or self.desk.identity).tenant_id
        self.tenants.add(tenant_id)
        with operator_work():
            Tenant.objects.filter(id=tenant_id).update(tier=tier)
        self.look()

    def worker(self, pool: ModelPool, *, holds: bool = True, service_s: float = 1.0, threads: int = 2) -> None:
        heart = Heartbeat(unique("worker"), "CPU")
        key = f"{self.desk.version.key}~{pool.name}"
        held = (HeldModel(self.desk.version.key, load_s=2.0),) if holds else ()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(current, "MAAS_WORKER_THREADS", threads)
            heart.beat(
                Beat(
                    pools=(pool.name,),
                    models=held,
                    serving=(key,) if holds else (),
                    service_s={key: service_s} if holds else {},
                )
            )
        self.hearts.append(heart)
        self.look()

    def look(self) -> None:
        """Make this process look at the tiers and the workers anew."""
        reading._last = reading._Seen()
        slots._last = slots._Seen()

    def submit(self, pages: int = 1, priority: int = STANDARD, identity: Identity | None = None) -> Job:
        if priority == STANDARD and identity is None:
            return self.desk.submit(pages=pages)
        request = JobRequest(model=self.desk.version.served_model.name, input={"text": "a"}, priority=priority)
        return submit_job(identity=identity or self.desk.identity, request=request)

    def release(self) -> int:
        return release_version(self.desk.version.id, self.desk.version.engine_key)

    def waiting_in(self, pool: ModelPool | None) -> int:
        key = self.desk.version.key if pool is None else f"{self.desk.version.key}~{pool.name}"
        return queue_depth(publishing_broker(), f"infer.{key}")

    def take_messages(self, pool: ModelPool) -> None:
        """Take the messages of a pool, as a worker does that dies before it claims a page."""
        publishing_broker().flush(f"infer.{self.desk.version.key}~{pool.name}")

    def lose_messages(self, pool: ModelPool | None = None) -> None:
        """Make the pages count as lost of which workers were notified, or those of a pool."""
        with operator_work():
            pages = Page.objects.filter(model_version=self.desk.version, renotify_at__isnull=False)
            found = pages if pool is None else pages.filter(pool=pool.name)
            found.update(renotify_at=Now() - timedelta(seconds=1))

    def pools_of(self, job: Job) -> list[str | None]:
        with operator_work():
            return list(Page.objects.filter(job=job).order_by("number").values_list("pool", flat=True))

    def end(self) -> None:
        with operator_work():
            Tenant.objects.filter(id__in=self.tenants).update(tier=None)
        for heart in self.hearts:
            heart.end()
        self.look()


@pytest.fixture
def tiers(desk: Desk) -> Iterator[Tiers]:
    made = Tiers(desk)
    yield made
    made.end()
