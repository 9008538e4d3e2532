"""The only actor of a worker, for all queues."""

from uuid import UUID

import dramatiq
from django.db import close_old_connections

from inference.workers.brokers import PAGE_ACTOR, QueueBroker
from jobs.worker.page_runner import PageRunner


def register_page_actor(broker: QueueBroker, runner: PageRunner) -> None:
    """Register the actor. Its message has two ids, and a pool if tiers are in use. It may be lost, late or repeated."""

    @dramatiq.actor(broker=broker, actor_name=PAGE_ACTOR, queue_name="infer")
    def run_page(tenant_id: str, page_id: str, pool: str = "") -> None:
        close_old_connections()
        try:
            runner.run(tenant_id=UUID(tenant_id), page_id=UUID(page_id), pool=pool)
        finally:
            close_old_connections()
