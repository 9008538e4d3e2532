"""Decides when the duties of the scheduler are due, and starts each so that none delays another."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import structlog
from django.db import close_old_connections, connections

from tenants.core.growing_threads import GrowingThreads


@dataclass(slots=True)
class _Duty:
    every_s: float
    begin: Callable[[], None]
    position: float
    due_s: float = float("-inf")


class Duties:
    """The duties, each with its own position in its interval.

    A duty needs a thread and often a new connection. If twenty duties were due at the same moment of each minute, they
    would occupy the processors at that moment.
    """

    def __init__(self, duties: Iterable[tuple[float, Callable[[], None]]]) -> None:
        """Take for each duty the seconds from one start to the next, and the function that starts it."""
        many = list(duties)
        self._duties = [_Duty(every_s, begin, number / len(many)) for number, (every_s, begin) in enumerate(many)]

    def begin_due(self, now_s: float) -> None:
        for duty in self._duties:
            if now_s >= duty.due_s:
                duty.due_s = next_due_s(now_s, duty.every_s, duty.position)
                duty.begin()


def next_due_s(now_s: float, every_s: float, position: float) -> float:
    """Return the next of the moments `every_s` apart. `position`, from 0 to 1, is their position in the interval."""
    return now_s + every_s - (now_s - position * every_s) % every_s


log = structlog.get_logger(__name__)
LONG_S = 60.0


class Aside:
    """A duty. Calling the object starts it in another thread, or does nothing while its last run is in progress."""

    def __init__(self, do: Callable[[], object], threads: GrowingThreads) -> None:
        self.name: str = getattr(do, "__name__", repr(do))
        self._do = do
        self._threads = threads
        self._begun_s: float | None = None
        self._told = False

    def __call__(self) -> None:
        if self._begun_s is not None:
            self._tell_if_long()
            return
        self._begun_s, self._told = time.monotonic(), False
        try:
            self._threads.run(self._run)
        except RuntimeError:  # No thread can be started now. The duty is due again.
            self._begun_s = None
            raise

    @property
    def runs_for_s(self) -> float:
        """Return how long the duty has been running, or 0 if it is not."""
        begun_s = self._begun_s
        return 0.0 if begun_s is None else time.monotonic() - begun_s

    def _tell_if_long(self) -> None:
        if not self._told and self.runs_for_s > LONG_S:
            self._told = True
            log.warning("scheduler_task_slow", task=self.name, seconds=round(self.runs_for_s))

    def _run(self) -> None:
        try:
            close_old_connections()
            self._do()
        except Exception:
            log.exception("scheduler_task_failed", task=self.name)
            connections.close_all()
        finally:
            self._begun_s = None
