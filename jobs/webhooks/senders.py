"""The threads that send webhooks: as many as there is work for. Each keeps its database connection while it lives."""

import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue

from django.db import connections

from jobs.webhooks.claims import Held

IDLE_S = 5.0
"""Seconds for which a thread and its connection are kept for the next delivery."""


class Senders:
    """The pool of threads. The caller that gives them work keeps count of it. `send` must not raise."""

    def __init__(self, send: Callable[[Held], None]) -> None:
        self._send = send
        self._work: SimpleQueue[Held] = SimpleQueue()
        self._lock = threading.Lock()
        self._idle = 0

    def give(self, held: Held) -> None:
        """Send the delivery in a thread. Raises RuntimeError if the system has no thread for it."""
        with self._lock:
            is_awaited = self._idle > 0
            self._idle -= is_awaited
        if is_awaited:
            self._work.put(held)
        else:
            # It is a daemon thread, because a receiver that hangs must not keep the process from stopping.
            threading.Thread(target=self._run, args=(held,), name="webhook", daemon=True).start()

    def _run(self, held: Held | None) -> None:
        try:
            while held is not None:
                self._send(held)
                held = self._next()
        finally:
            connections.close_all()

    def _next(self) -> Held | None:
        with self._lock:
            self._idle += 1
        try:
            return self._work.get(timeout=IDLE_S)
        except Empty:
            with self._lock:
                leaves = self._idle > 0
                self._idle -= leaves
            # If the idle count is used up, a delivery was given at this very moment, and its giver counts on this
            # thread.
            return None if leaves else self._work.get()
