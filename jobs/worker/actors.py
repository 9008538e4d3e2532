"""The only actor. Its message is two ids, and may be lost, late or repeated without harm."""

from typing import TYPE_CHECKING
from uuid import UUID

import dramatiq
from django.db import close_old_connections

from inference.workers.brokers import PAGE_ACTOR, QueueBroker

if TYPE_CHECKING:
    from jobs.worker.page_runner import PageRunner


def register_page_actor(broker: QueueBroker, runner: "PageRunner") -> None:
    """Register the actor that runs pages from every queue. The queue's name has the name of the model."""

    @dramatiq.actor(broker=broker, actor_name=PAGE_ACTOR, queue_name="infer")
    def run_page(tenant_id: str, page_id: str) -> None:
        close_old_connections()
        try:
            runner.run(tenant_id=UUID(tenant_id), page_id=UUID(page_id))
        finally:
            close_old_connections()
