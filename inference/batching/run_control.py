"""A handle on one run, by which it is ended when nobody waits for it any more."""

import threading
from collections.abc import Callable


class RunControl:
    """The run registers how it is ended, such as setting `terminate` in ONNX Runtime's RunOptions."""

    def __init__(self) -> None:
        self.device_s = 0.0
        """What was computed for it so far, by whom it controls."""
        self._ended = False
        self._enders: list[Callable[[], None]] = []
        self._lock = threading.Lock()

    @property
    def ended(self) -> bool:
        return self._ended

    def computed(self, seconds: float) -> None:
        """From the run's own thread."""
        self.device_s += seconds

    def end(self) -> None:
        """From any thread, any number of times."""
        with self._lock:
            self._ended = True
            enders, self._enders = self._enders, []
        for ender in enders:
            ender()

    def on_end(self, ender: Callable[[], None]) -> Callable[[], None]:
        """`ender` is called once, when the run is ended or now if it is; the answer withdraws the wish."""
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
