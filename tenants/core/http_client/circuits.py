"""The circuits of this process's endpoints, and the effect of requests on them."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import ceil
from time import monotonic

import structlog

from tenants.core.http_client.breaker import Circuit
from tenants.core.http_client.errors import EgressFailed

log = structlog.get_logger(__name__)

MAX_REMEMBERED = 10_000


class Circuits:
    """The circuits by endpoint. Each process learns separately, as this is no reason to write a row."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._known: OrderedDict[str, Circuit] = OrderedDict()

    @contextmanager
    def of(self, endpoint: str) -> Iterator[None]:
        """Run one request under a circuit. Only EgressFailed counts as a failure of the endpoint."""
        self._enter(endpoint)
        try:
            yield
        except EgressFailed:
            self.failed(endpoint)
            raise

    def failed(self, endpoint: str) -> None:
        with self._lock:
            before = self._known.get(endpoint, Circuit())
            after = before.failed(self._clock())
            self._keep(endpoint, after)
        if after.is_open and not before.is_open:
            log.info("circuit_opened", endpoint=endpoint, failures=after.failures)

    def succeeded(self, endpoint: str) -> None:
        with self._lock:
            before = self._known.pop(endpoint, Circuit())
        if before.is_open:
            log.info("circuit_closed", endpoint=endpoint)

    def _enter(self, endpoint: str) -> None:
        with self._lock:
            now_s, circuit = self._clock(), self._known.get(endpoint)
            if circuit is None:
                return
            if circuit.lets_through(now_s):
                self._known[endpoint] = circuit.after_request(now_s)
                return
        raise EgressFailed(
            "endpoint_paused",
            f"The last {circuit.failures} requests failed, so requests are paused for a while.",
            extra={"retry_after_s": max(1, ceil(circuit.paused_until_s - now_s))},
        )

    def _keep(self, endpoint: str, circuit: Circuit) -> None:
        """Store a circuit. If there are too many, those that failed longest ago are dropped."""
        self._known[endpoint] = circuit
        self._known.move_to_end(endpoint)
        while len(self._known) > MAX_REMEMBERED:
            self._known.popitem(last=False)
