"""Threads that send webhooks: as many as there is work for, each with its connection to the database while it lasts."""

import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue

from django.db import connections

from jobs.webhooks.claims import Held

IDLE_S = 5.0
"""How long a thread and its connection are kept for what may come next."""


class Senders:
    """Who gives them work keeps count of it; `send` must not raise."""

    def __init__(self, send: Callable[[Held], None]) -> None:
        self._send = send
        self._work: SimpleQueue[Held] = SimpleQueue()
        self._lock = threading.Lock()
        self._idle = 0

    def give(self, held: Held) -> None:
        """RuntimeError where the system has no thread for it."""
        with self._lock:
            is_awaited = self._idle > 0
            self._idle -= is_awaited
        if is_awaited:
            self._work.put(held)
        else:
            # A daemon: a receiver that hangs must not keep the process from stopping.
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
            # Who gave something in this very moment has counted on it.
            return None if leaves else self._work.get()
