"""Sends what is due, in every scheduler process: a loop that takes deliveries, and threads that send them."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import structlog
from django.db import connections

from jobs.webhooks.claims import Held, take_due
from jobs.webhooks.sending import attempt, signed
from jobs.webhooks.settlement import settle
from tenants.egress.client import Outbound

log = structlog.get_logger(__name__)
THREADS = 32
DOUBTFUL_THREADS = 16
"""At most so many wait for endpoints that fail or have never answered: the others are for those that answer."""
LOOK_EVERY_S = 0.25


class Deliverer:
    """Stops within a request's time limit; what it leaves undone is found by its lease."""

    def __init__(self, stopping: threading.Event) -> None:
        self._stopping = stopping
        self._lock = threading.Lock()
        self._room, self._doubtful_room = THREADS, DOUBTFUL_THREADS

    def run(self) -> None:
        with ThreadPoolExecutor(THREADS, thread_name_prefix="webhooks") as threads:
            while not self._stopping.is_set():
                if not self._round(threads.submit):
                    self._stopping.wait(LOOK_EVERY_S)

    def _round(self, submit: Callable[..., object]) -> bool:
        """Whether there may be more to take at once."""
        with self._lock:
            room, doubtful_room = self._room, self._doubtful_room
        if not room:
            return False
        try:
            taken = take_due(room=room, doubtful_room=doubtful_room)
            ready = [(held, signed(held)) for held in taken]
        except Exception:
            # What was taken is sent when its lease ends.
            log.exception("webhooks_not_taken")
            connections.close_all()
            return False
        for held, outbound in ready:
            self._count(held, -1)
            submit(self._deliver, held, outbound)
        return bool(ready)

    def _deliver(self, held: Held, outbound: Outbound) -> None:
        try:
            settle(held, attempt(outbound))
        except Exception:
            # It is sent again when its lease ends.
            log.exception("webhook_not_settled", tenant_id=str(held.tenant_id), delivery_id=str(held.id))
        finally:
            # Threads are many and mostly wait for others: none keeps a connection to the database meanwhile.
            connections.close_all()
            self._count(held, 1)

    def _count(self, held: Held, by: int) -> None:
        with self._lock:
            self._room += by
            self._doubtful_room += by if held.doubtful else 0


def start_deliverer(stopping: threading.Event) -> threading.Thread:
    """Beside the scheduler, whether it leads or stands by."""
    thread = threading.Thread(target=_run, args=(stopping,), name="webhooks", daemon=True)
    thread.start()
    return thread


def _run(stopping: threading.Event) -> None:
    try:
        Deliverer(stopping).run()
    finally:
        connections.close_all()
