"""Sends what is due, in every scheduler process: a loop that takes deliveries, and threads that send them."""

import threading

import structlog
from django.db import InterfaceError, OperationalError, connections

from jobs.webhooks.claims import Held, take_due
from jobs.webhooks.sending import attempt, signed
from jobs.webhooks.settlement import settle
from tenants.egress.client import Outbound

log = structlog.get_logger(__name__)
THREADS = 32
DOUBTFUL_THREADS = 16
"""At most so many wait for endpoints that fail or have never answered: the others are for those that answer."""
LOOK_EVERY_S = 0.25
AWAY_S = 2.0
STOP_S = 5.0
"""For requests that are under way at a stop; what is cut off then is sent again after its lease, by another process."""


class Deliverer:
    def __init__(self, stopping: threading.Event) -> None:
        self._stopping = stopping
        self._changed = threading.Condition()
        self._room, self._doubtful_room = THREADS, DOUBTFUL_THREADS
        self._ended = False
        """A request has, since it was last looked: its endpoint may have the next."""

    def run(self) -> None:
        while not self._stopping.is_set():
            pause_s = self._round()
            with self._changed:
                self._changed.wait_for(lambda: self._ended, pause_s)
                self._ended = False
        with self._changed:
            self._changed.wait_for(lambda: self._room == THREADS, STOP_S)

    def _round(self) -> float:
        """How long to wait before the next."""
        with self._changed:
            room, doubtful_room = self._room, self._doubtful_room
        if not room:
            return LOOK_EVERY_S
        try:
            taken = take_due(room=room, doubtful_room=doubtful_room)
        except Exception as error:
            self._not_taken(error)
            self._stopping.wait(AWAY_S)
            return 0
        for held in taken:
            self._start(held)
        return 0 if taken else LOOK_EVERY_S

    def _not_taken(self, error: Exception) -> None:
        connections.close_all()
        if isinstance(error, OperationalError | InterfaceError):
            log.warning("webhooks_database_away", error=str(error).strip())
        else:
            log.exception("webhooks_not_taken")

    def _start(self, held: Held) -> None:
        """What goes wrong with one must not keep the others: it is tried again when its lease ends."""
        try:
            outbound = signed(held)
        except Exception:
            connections.close_all()
            log.exception("webhook_not_signed", tenant_id=str(held.tenant_id), delivery_id=str(held.id))
            return
        self._count(held, -1)
        try:
            # A daemon: a receiver that hangs must not keep the process from stopping.
            threading.Thread(
                target=self._deliver, args=(held, outbound), name=f"webhook {held.id}", daemon=True
            ).start()
        except RuntimeError as error:
            self._count(held, 1)
            log.warning("webhook_thread_not_started", delivery_id=str(held.id), error=str(error))

    def _deliver(self, held: Held, outbound: Outbound) -> None:
        try:
            settle(held, attempt(outbound))
        except Exception:
            log.exception("webhook_not_settled", tenant_id=str(held.tenant_id), delivery_id=str(held.id))
        finally:
            connections.close_all()
            self._count(held, 1)

    def _count(self, held: Held, by: int) -> None:
        with self._changed:
            self._room += by
            self._doubtful_room += by if held.doubtful else 0
            self._ended = self._ended or by > 0
            self._changed.notify_all()


def start_deliverer(stopping: threading.Event) -> threading.Thread:
    """Beside the scheduler, whether it leads or stands by. Ends within STOP_S of a stop."""
    thread = threading.Thread(target=_run, args=(stopping,), name="webhooks", daemon=True)
    thread.start()
    return thread


def _run(stopping: threading.Event) -> None:
    try:
        Deliverer(stopping).run()
    finally:
        connections.close_all()
