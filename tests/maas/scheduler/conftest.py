"""Jobs at each stage of their life, and a broker that does not answer."""

from tests.jobs.conftest import make_desk
from tests.jobs.queue.conftest import hanging_broker

__all__ = ["hanging_broker", "make_desk"]
