"""The time that each stage of a call takes while a model works for it."""

import threading


class Spent:
    """Seconds per stage, summed by the code that spends them. The steps of a pipeline may add to them side by side."""

    __slots__ = ("_lock", "batch_s", "child_wait_s", "device_us", "infer_s", "load_s")

    def __init__(self) -> None:
        self.load_s = 0.0
        """The seconds until its model was in memory."""
        self.batch_s = 0.0
        """The seconds from the arrival at a batcher to the start of a run."""
        self.infer_s = 0.0
        """The seconds for which the model ran, also if it ran for other callers too."""
        self.device_us = 0
        """The call's own share of the device time of its runs, in microseconds."""
        self.child_wait_s = 0.0
        """The seconds until a sandboxed child was free for a document of this call."""
        self._lock = threading.Lock()

    def add(
        self,
        *,
        load_s: float = 0.0,
        batch_s: float = 0.0,
        infer_s: float = 0.0,
        device_us: int = 0,
        child_wait_s: float = 0.0,
    ) -> None:
        with self._lock:
            self.load_s += load_s
            self.batch_s += batch_s
            self.infer_s += infer_s
            self.device_us += device_us
            self.child_wait_s += child_wait_s
