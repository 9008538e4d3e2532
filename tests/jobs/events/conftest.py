"""A broker that does not answer."""

from tests.jobs.queue.conftest import hanging_broker

__all__ = ["hanging_broker"]
