"""A handle that ends a run when no caller waits for it any more."""

import threading
from collections.abc import Callable


class RunControl:
    """The control of a run. The run registers how it is ended, such as `terminate` in ONNX Runtime's RunOptions."""

    def __init__(self) -> None:
        self.device_s = 0.0
        """The time in seconds that was computed for it so far, reported by the run that it controls."""
        self._ended = False
        self._enders: list[Callable[[], None]] = []
        self._lock = threading.Lock()

    @property
    def ended(self) -> bool:
        return self._ended

    def computed(self, seconds: float) -> None:
        """Add computed seconds. The run's own thread calls this."""
        self.device_s += seconds

    def end(self) -> None:
        """End the run. Any thread may call this, any number of times."""
        with self._lock:
            self._ended = True
            enders, self._enders = self._enders, []
        for ender in enders:
            ender()

    def on_end(self, ender: Callable[[], None]) -> Callable[[], None]:
        """Call `ender` once, when the run is ended or now. The returned function removes the subscription."""
        with self._lock:
            if not self._ended:
                self._enders.append(ender)
                return lambda: self._forget(ender)
        ender()
        return lambda: None

    def _forget(self, ender: Callable[[], None]) -> None:
        with self._lock:
            if ender in self._enders:
                self._enders.remove(ender)
