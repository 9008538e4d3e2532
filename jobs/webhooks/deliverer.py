"""Sends deliveries that are due, in every scheduler process: a loop takes them, and threads send them."""

import threading
import time
from functools import partial

import structlog
from django.db import DatabaseError, InterfaceError, OperationalError, close_old_connections, connections

from jobs.webhooks.claims import Held, Walk, take_due
from jobs.webhooks.sending import attempt, not_sent, signed
from jobs.webhooks.settlement import Outcome, settle, without_words
from tenants.core.growing_threads import GrowingThreads

log = structlog.get_logger(__name__)
THREADS = 40
DOUBTFUL_THREADS = 16
"""The highest number of threads that wait for endpoints that fail or have never responded. The other threads are for
endpoints that respond.
"""
IDLE_S = 5.0
"""Seconds for which a thread and its connection are kept for the next delivery."""
LOOK_EVERY_S = 0.5
AWAY_S = 2.0
HANGS_S = 60.0
"""Seconds after which the loop counts as hung. A look takes less time if the database is cut off silently."""
STOP_S = 5.0
"""Seconds to wait at a stop for requests that are under way. A request that is cut off then is sent again by another
process after its lease.
"""


class Deliverer:
    def __init__(self, stopping: threading.Event) -> None:
        self._stopping = stopping
        self._changed = threading.Condition()
        self._room, self._doubtful_room = THREADS, DOUBTFUL_THREADS
        self._ended = False
        """Set if a request has ended since the last look, so that its endpoint may get the next one."""
        self._walk = Walk()
        self._threads = GrowingThreads("webhook", idle_s=IDLE_S)
        self._said: set[str] = set()
        """The names of errors that prevent sending and have been logged."""
        self.looked_s = time.monotonic()

    def run(self) -> None:
        while not self._stopping.is_set():
            pause_s = self._round()
            self.looked_s = time.monotonic()
            with self._changed:
                self._changed.wait_for(lambda: self._ended, pause_s)
                self._ended = False
        with self._changed:
            self._changed.wait_for(lambda: self._room == THREADS, STOP_S)

    def _round(self) -> float:
        """Take and start deliveries, and return how long to wait before the next round."""
        with self._changed:
            room, doubtful_room = self._room, self._doubtful_room
        if not room:
            return LOOK_EVERY_S
        try:
            taken = take_due(room=room, doubtful_room=doubtful_room, walk=self._walk)
        except Exception as error:
            self._not_taken(error)
            self._stopping.wait(AWAY_S)
            return 0
        for held in taken:
            self._start(held)
        return 0 if taken or self._walk.goes_on else LOOK_EVERY_S

    def _not_taken(self, error: Exception) -> None:
        connections.close_all()
        if isinstance(error, OperationalError | InterfaceError):
            log.warning("webhooks_database_unavailable", error=str(error).strip())
        else:
            log.exception("webhook_deliveries_not_claimed")

    def _start(self, held: Held) -> None:
        """Start to send a delivery. A failure with one delivery must not stop the others."""
        self._count(held, -1)
        try:
            self._threads.run(partial(self._deliver, held))
        except RuntimeError as error:
            self._count(held, 1)
            log.warning("webhook_thread_not_started", delivery_id=str(held.id), error=str(error))

    def _deliver(self, held: Held) -> None:
        close_old_connections()
        try:
            _settle(held, self._attempted(held))
        except Exception:
            connections.close_all()
            log.exception("webhook_delivery_not_recorded", tenant_id=str(held.tenant_id), delivery_id=str(held.id))
        finally:
            self._count(held, 1)

    def _attempted(self, held: Held) -> Outcome:
        """Send the delivery and return the outcome. A delivery that cannot be sent counts as an attempt as well,
        otherwise it would be tried every minute forever.
        """
        try:
            outcome = attempt(signed(held))
        except (OperationalError, InterfaceError):
            raise
        except Exception as error:
            self._say_once(error, held)
            return not_sent()
        self._said.clear()
        return outcome

    def _say_once(self, error: Exception, held: Held) -> None:
        """Log such an error once until something is sent, as an error that blocks one message mostly blocks all."""
        name = type(error).__name__
        if name not in self._said:
            self._said.add(name)
            log.exception("webhook_delivery_failed", tenant_id=str(held.tenant_id), delivery_id=str(held.id))

    def _count(self, held: Held, by: int) -> None:
        with self._changed:
            self._room += by
            self._doubtful_room += by if held.doubtful else 0
            self._ended = self._ended or by > 0
            self._changed.notify_all()


def _settle(held: Held, outcome: Outcome) -> None:
    """Store the outcome. If the database refuses it, store it without the text of the other side; otherwise the message
    would be sent every minute.
    """
    try:
        settle(held, outcome)
    except (OperationalError, InterfaceError):
        raise
    except DatabaseError:
        log.exception("webhook_response_not_stored", tenant_id=str(held.tenant_id), delivery_id=str(held.id))
        settle(held, without_words(outcome))


class Deliveries(threading.Thread):
    """The thread that delivers webhooks. It runs in every scheduler process, leader or standby. It ends within STOP_S
    seconds of a stop.
    """

    def __init__(self, stopping: threading.Event) -> None:
        super().__init__(name="webhooks", daemon=True)
        self._stopping = stopping
        self._deliverer = Deliverer(stopping)

    @property
    def well(self) -> bool:
        """Return whether the thread runs and has recently looked for deliveries."""
        return self.is_alive() and time.monotonic() - self._deliverer.looked_s < HANGS_S

    def run(self) -> None:
        while not self._stopping.is_set():
            try:
                self._deliverer.run()
            except BaseException:
                # Every error is caught, because without this thread no webhook would be sent any more.
                log.exception("webhook_deliverer_failed")
                self._stopping.wait(AWAY_S)
            finally:
                connections.close_all()


def start_deliverer(stopping: threading.Event) -> Deliveries:
    deliveries = Deliveries(stopping)
    deliveries.start()
    return deliveries
