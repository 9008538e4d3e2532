"""One caller's wish for an answer: for whom it is, until when it is of use, and whether it still stands."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import TypeVar

from inference.core.errors import CallCanceled, DeadlinePassed
from inference.core.spent import Spent

Answer = TypeVar("Answer")


class Call:
    """Handed down to whatever waits or works for the caller; canceled at most once, from any thread."""

    def __init__(
        self, *, tenant: str = "", deadline_s: float | None = None, spent: Spent | None = None
    ) -> None:
        self.tenant = tenant
        self.deadline_s = deadline_s
        """On the clock of `time.monotonic`; None where the caller waits for as long as it takes."""
        self.spent = spent or Spent()
        self._canceled = False
        self._told: list[Callable[[], None]] = []
        self._lock = threading.Lock()

    @property
    def canceled(self) -> bool:
        return self._canceled

    def cancel(self) -> None:
        """Everyone who asked is told, in this thread; what they do must not wait."""
        with self._lock:
            self._canceled = True
            told, self._told = self._told, []
        for tell in told:
            tell()

    def on_cancel(self, tell: Callable[[], None]) -> Callable[[], None]:
        """`tell` is called once, when the call is canceled or now if it is; the answer withdraws the wish."""
        with self._lock:
            if not self._canceled:
                self._told.append(tell)
                return lambda: self._forget(tell)
        tell()
        return lambda: None

    def result_of(self, work: "Future[Answer]") -> Answer:
        """Waits for what is done elsewhere, maybe for others too: leaving it, canceled or late, ends nothing."""
        ended = threading.Event()
        work.add_done_callback(lambda _: ended.set())
        withdraw = self.on_cancel(ended.set)
        try:
            while not work.done():
                self.check()
                ended.wait(self._left_s())
        finally:
            withdraw()
        return work.result()

    def check(self) -> None:
        """Between two steps of work: raises when nobody waits any more, or would be answered in time."""
        if self._canceled:
            raise CallCanceled
        if self.deadline_s is not None and time.monotonic() >= self.deadline_s:
            raise DeadlinePassed("the deadline passed before the work was done")

    def _forget(self, tell: Callable[[], None]) -> None:
        with self._lock:
            if tell in self._told:
                self._told.remove(tell)

    def _left_s(self) -> float | None:
        return None if self.deadline_s is None else max(0.0, self.deadline_s - time.monotonic())


@contextmanager
def own_call(call: Call, spent: Spent | None = None) -> Iterator[Call]:
    """Ends with the caller's, and can be ended alone. `spent`: where its time is counted, if not with the caller's."""
    own = Call(tenant=call.tenant, deadline_s=call.deadline_s, spent=spent or call.spent)
    withdraw = call.on_cancel(own.cancel)
    try:
        yield own
    finally:
        withdraw()
