"""The time that each stage of a call takes while a model works for it."""

import threading
from dataclasses import dataclass, field


@dataclass(slots=True, eq=False)
class Spent:
    """Seconds per stage, summed by the code that spends them. The steps of a pipeline may add to them side by side."""

    load_s: float = 0.0
    """The seconds until its model was in memory."""
    batch_s: float = 0.0
    """The seconds from the arrival at a batcher to the start of a run."""
    infer_s: float = 0.0
    """The seconds for which the model ran, also if it ran for other callers too."""
    device_us: int = 0
    """The call's own share of the device time of its runs, in microseconds."""
    child_wait_s: float = 0.0
    """The seconds until a sandboxed child was free for a document of this call."""
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

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
