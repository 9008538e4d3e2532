"""A pool of threads that grows with the work, and shrinks when it is idle."""

import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue

from django.db import connections

Work = Callable[[], None]


class GrowingThreads:
    """A pool that grows as far as work runs at the same time, so that work that hangs delays no other.

    The thread that became idle last gets the next work. A few threads then do nearly everything, and keep their
    database connections: a new connection costs the database more than most work.
    """

    def __init__(self, name: str, *, idle_s: float) -> None:
        """Set up the pool. A thread without work ends after `idle_s` and closes its connections."""
        self._name = name
        self._idle_s = idle_s
        self._idle: list[SimpleQueue[Work]] = []
        self._lock = threading.Lock()

    def run(self, work: Work) -> None:
        """Run the work in a thread. It must not raise. Raises RuntimeError if no thread can be started for it."""
        with self._lock:
            inbox = self._idle.pop() if self._idle else None
        if inbox is None:
            inbox = SimpleQueue()
            # It is a daemon thread, because work that hangs must not keep the process from stopping.
            threading.Thread(target=self._serve, args=(inbox,), name=self._name, daemon=True).start()
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
        return inbox.get()  # It was chosen for work at this moment.
