"""Choose the broker that a URL names."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from dramatiq import Middleware

from inference.workers.brokers.contract import QueueBroker
from inference.workers.brokers.errors import BrokerMisconfigured
from inference.workers.brokers.redis import RedisQueueBroker

REDIS, RABBITMQ = frozenset({"redis", "rediss", "unix"}), frozenset({"amqp", "amqps"})


def build_broker(url: str, *, middleware: Sequence[Middleware] = (), timeout_s: float | None = None) -> QueueBroker:
    """Build the broker for a URL, without connecting before the first use.

    The caller's `middleware` is all the middleware there is. Dramatiq's defaults are left out on purpose: Retries and
    AgeLimit because the database decides what runs again and what has expired, TimeLimit because it cannot interrupt
    native code.

    `timeout_s` is the longest time in seconds that publishing or counting may wait. The default is a few seconds.
    """
    scheme = urlsplit(url).scheme
    if scheme in REDIS:
        return RedisQueueBroker(url, middleware=middleware, timeout_s=timeout_s)
    if scheme not in RABBITMQ:
        schemes = ", ".join(sorted(REDIS | RABBITMQ))
        raise BrokerMisconfigured(f"MAAS_BROKER_URL has the scheme {scheme!r}: use one of {schemes}.")
    from inference.workers.brokers.rabbitmq import RabbitmqQueueBroker  # noqa: PLC0415  # a tenth of a start

    return RabbitmqQueueBroker(url, middleware=middleware, timeout_s=timeout_s)
