"""A handle that ends a run when no caller waits for it any more."""

from inference.core.calls import Call


class RunControl:
    """The control of a run. The run registers how it is ended, such as `terminate` in ONNX Runtime's RunOptions."""

    def __init__(self) -> None:
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
