"""Limits how often a client IP may do something that has a cost for us before we know the caller."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from tenants.core.asgi.client_ip import address_of, client_address, place_of
from tenants.core.asgi.protocol import Scope, headers_of
from tenants.core.errors import DomainError
from tenants.core.token_bucket import Bucket

MAX_PLACES = 10_000
US = 1_000_000


class TooManyTries(DomainError):
    code = "rate_limited"
    gate = "client_ip"


class ClientIpLimit:
    """The limit of this process. The IP counted longest ago is dropped first. `message` has `pause_s` in it."""

    def __init__(self, max_a_minute: int, message: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = max_a_minute
        self._message = message
        self._clock = clock
        self._lock = threading.Lock()
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def __len__(self) -> int:
        return len(self._buckets)

    def check(self, client_ip: str) -> None:
        """Check whether a try is left, without taking it. Raises TooManyTries."""
        with self._lock:
            self._checked(client_ip, self._now_us())

    def take(self, client_ip: str) -> None:
        """Take a try. Raises TooManyTries."""
        with self._lock:
            now_us = self._now_us()
            self._keep(client_ip, self._checked(client_ip, now_us).without(1, self._most, now_us))

    def give_back(self, client_ip: str) -> None:
        with self._lock:
            bucket, now_us = self._buckets.get(client_ip, Bucket()), self._now_us()
            self._keep(client_ip, bucket.given_back(1, self._most, now_us))

    def _checked(self, client_ip: str, now_us: int) -> Bucket:
        bucket = self._buckets.get(client_ip, Bucket())
        if bucket.available(self._most, now_us) < 1:
            pause_s = -(-bucket.wait_us(1, self._most, now_us) // US)
            raise TooManyTries(self._message.format(pause_s=pause_s), extra={"retry_after_s": pause_s})
        return bucket

    def _keep(self, client_ip: str, bucket: Bucket) -> None:
        self._buckets[client_ip] = bucket
        self._buckets.move_to_end(client_ip)
        while len(self._buckets) > MAX_PLACES:
            self._buckets.popitem(last=False)

    def _now_us(self) -> int:
        return int(self._clock() * US)


def place_of_scope(scope: Scope, proxies: int) -> str:
    return place_of(claimed_address(scope, proxies))


def address_of_scope(scope: Scope, proxies: int) -> str:
    """Return the address itself, while `place_of_scope` may return a whole network."""
    return address_of(claimed_address(scope, proxies))


def claimed_address(scope: Scope, proxies: int) -> str:
    """Return the address as it was written, which may not be a valid address."""
    peer = scope.get("client")
    environ = {
        "REMOTE_ADDR": peer[0] if peer else "",
        # A proxy may add a header of its own instead of extending its caller's. Together the headers are one list.
        "HTTP_X_FORWARDED_FOR": ",".join(headers_of(scope, b"x-forwarded-for")),
    }
    return client_address(environ, proxies)
