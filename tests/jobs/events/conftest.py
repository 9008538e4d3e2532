"""A broker that does not answer."""

from tests.jobs.queue.conftest import hanging_broker, hanging_redis

__all__ = ["hanging_broker", "hanging_redis"]
