"""Where the time of one call goes while a model works for it."""

import threading


class Spent:
    """Seconds, added up by whoever spends them; the steps of a pipeline may do so side by side."""

    __slots__ = ("_lock", "batch_s", "child_wait_s", "device_us", "infer_s", "load_s")

    def __init__(self) -> None:
        self.load_s = 0.0
        """Until its model was in memory."""
        self.batch_s = 0.0
        """From coming to a batcher to the start of a run."""
        self.infer_s = 0.0
        """While the model ran, for others too."""
        self.device_us = 0
        """Its own share of what its runs took on their device, in microseconds."""
        self.child_wait_s = 0.0
        """Until a sandboxed child was free for what it wants read."""
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
