"""Threads that run the duties of the scheduler, one duty at a time each."""

import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue

from django.db import connections

IDLE_S = 3.0
"""Seconds after which a thread without work ends and closes its connections."""

Work = Callable[[], None]


class DutyThreads:
    """A pool that grows as far as duties run at the same time. A duty that hangs therefore delays no other.

    The thread that became idle last gets the next duty. A few threads then do nearly everything, and keep their
    connections: a new connection costs the database more than most duties.
    """

    def __init__(self, idle_s: float = IDLE_S) -> None:
        self._idle_s = idle_s
        self._idle: list[SimpleQueue[Work]] = []
        self._lock = threading.Lock()

    def run(self, work: Work, name: str) -> None:
        """Run the work in a thread. The work must not raise."""
        with self._lock:
            inbox = self._idle.pop() if self._idle else None
        if inbox is None:
            inbox = SimpleQueue()
            threading.Thread(target=self._serve, args=(inbox,), name=f"duty-{name}", daemon=True).start()
        inbox.put(work)

    @property
    def idle(self) -> int:
        """Return the number of threads that wait for work."""
        return len(self._idle)

    def _serve(self, inbox: SimpleQueue[Work]) -> None:
        try:
            while work := self._next(inbox):
                work()
                with self._lock:
                    self._idle.append(inbox)
        finally:
            connections.close_all()

    def _next(self, inbox: SimpleQueue[Work]) -> Work | None:
        try:
            return inbox.get(timeout=self._idle_s)
        except Empty:
            with self._lock:
                if inbox in self._idle:
                    self._idle.remove(inbox)
                    return None
        return inbox.get()  # It was chosen for a duty at this moment.
