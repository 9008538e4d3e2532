"""Runs each duty in its own thread, so that a duty that waits for something delays no other."""

import threading
import time
from collections.abc import Callable

import structlog
from django.db import close_old_connections, connections

log = structlog.get_logger(__name__)
LINGER_S = 1.5
"""Seconds for which an idle thread keeps its connections. A duty that is due every second must not open new ones each
time.
"""
LONG_S = 60.0


class Aside:
    """A duty with its thread. Calling the object starts the duty, or does nothing while the last run is in progress."""

    def __init__(self, do: Callable[[], object]) -> None:
        self.name: str = getattr(do, "__name__", repr(do))
        self._do = do
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._wanted = False
        self._begun_s: float | None = None
        self._told = False

    def __call__(self) -> None:
        with self._changed:
            if self._begun_s is not None:
                self._tell_if_long()
                return
            if self._thread is None:
                self._thread = self._started()
            self._begun_s, self._wanted, self._told = time.monotonic(), True, False
            self._changed.notify()

    def _started(self) -> threading.Thread:
        thread = threading.Thread(target=self._serve, name=f"duty-{self.name}", daemon=True)
        thread.start()
        return thread

    @property
    def runs_for_s(self) -> float:
        """Return how long the duty has been running, or 0 if it is not."""
        begun_s = self._begun_s
        return 0.0 if begun_s is None else time.monotonic() - begun_s

    def _tell_if_long(self) -> None:
        if not self._told and self.runs_for_s > LONG_S:
            self._told = True
            log.warning("scheduler_task_slow", task=self.name, seconds=round(self.runs_for_s))

    def _serve(self) -> None:
        try:
            while self._called():
                try:
                    self._run()
                finally:
                    with self._changed:
                        self._begun_s = None
        except BaseException:
            with self._changed:
                self._thread = None
            raise
        finally:
            connections.close_all()

    def _called(self) -> bool:
        """Wait for the next call. Return False after a while without one; a later call starts another thread."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._wanted, LINGER_S):
                self._thread = None
                return False
            self._wanted = False
            return True

    def _run(self) -> None:
        try:
            close_old_connections()
            self._do()
        except Exception:
            log.exception("scheduler_task_failed", task=self.name)
            connections.close_all()
