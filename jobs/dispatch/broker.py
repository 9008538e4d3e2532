"""This process's connection to the broker, for those who only publish."""

from functools import cache
from uuid import UUID

from django.conf import settings

from inference.brokers import QueueBroker, build_broker, dead_letters, publish, queue_depth


@cache
def publishing_broker() -> QueueBroker:
    return build_broker(settings.MAAS_BROKER_URL)


def publish_page(queue_name: str, *, tenant_id: UUID, page_id: UUID) -> None:
    """Ids only: what to do is in the database, where it can neither be forged nor go stale."""
    publish(publishing_broker(), queue_name, {"tenant_id": str(tenant_id), "page_id": str(page_id)})


def pages_waiting(queue_name: str) -> int:
    """Messages that no worker has fetched yet, repeats included."""
    return queue_depth(publishing_broker(), queue_name)


def messages_set_aside(queue_name: str) -> int:
    return dead_letters(publishing_broker(), queue_name)
