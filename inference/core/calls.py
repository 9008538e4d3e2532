"""A caller's request for an answer, and the control of a run: each is ended at most once, from any thread."""

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
    """A request, passed to all code that waits or works for the caller. Any thread may cancel it, at most once."""

    def __init__(self, *, tenant: str = "", deadline_s: float | None = None, spent: Spent | None = None) -> None:
        self.tenant = tenant
        self.deadline_s = deadline_s
        """The deadline on the clock of `time.monotonic`, or None if the caller waits without a limit."""
        self.spent = spent or Spent()
        self._canceled = False
        self._told: list[Callable[[], None]] = []
        self._lock = threading.Lock()

    @property
    def canceled(self) -> bool:
        return self._canceled

    def cancel(self) -> None:
        """Cancel the call and notify every subscriber in this thread. The callbacks must not wait."""
        with self._lock:
            self._canceled = True
            callbacks, self._told = self._told, []
        for tell in callbacks:
            tell()

    def on_cancel(self, tell: Callable[[], None]) -> Callable[[], None]:
        """Call `tell` once, at the cancellation or now. The returned function removes the subscription."""
        with self._lock:
            if not self._canceled:
                self._told.append(tell)
                return lambda: self._forget(tell)
        tell()
        return lambda: None

    def result_of(self, work: "Future[Answer]") -> Answer:
        """Wait for work done elsewhere. If this call is canceled or late, it stops waiting, and the work goes on."""
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
        """Raise if the call is canceled or its deadline has passed. This is called between two steps of work."""
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
def own_call(call: Call, spent: Spent | None = None, *, within_s: float | None = None) -> Iterator[Call]:
    """Yield a call that ends with the caller's call or alone. `spent` counts its time, by default the caller's.

    With `within_s` it has this time, or less if the caller's deadline is earlier.
    """
    ends_s = [] if within_s is None else [time.monotonic() + within_s]
    deadlines_s = ends_s if call.deadline_s is None else [*ends_s, call.deadline_s]
    own = Call(tenant=call.tenant, deadline_s=min(deadlines_s, default=None), spent=spent or call.spent)
    withdraw = call.on_cancel(own.cancel)
    try:
        yield own
    finally:
        withdraw()


class RunControl:
    """The control of a run. The run registers how it is ended, such as `terminate` in ONNX Runtime's RunOptions."""

    def __init__(self, *, has_company: bool = False, pieces: int = 1) -> None:
        """Create the control. `has_company` says that other runs of the same session are in progress or wait, and
        `pieces` how many pieces of callers run together.
        """
        self.has_company = has_company
        self.pieces = pieces
        self.device_s = 0.0
        """The time in seconds that was computed for it so far, reported by the run that it controls."""
        self._call = Call()
        self.end, self.on_end = self._call.cancel, self._call.on_cancel
        """Any thread may end the run, any number of times. `on_end` subscribes as `Call.on_cancel` does."""

    @property
    def ended(self) -> bool:
        return self._call.canceled

    def computed(self, seconds: float) -> None:
        """Add computed seconds. The run's own thread calls this."""
        self.device_s += seconds
