"""What can keep a synchronous call from its model."""

from inference.core.errors import ModelFailed, ModelOverloaded


class LaneOverloaded(ModelOverloaded):
    """More waits for this model version, or for this tenant, than may wait; nothing was queued."""

    def __init__(self, detail: str, *, waiting: int, wait_s: float | None) -> None:
        super().__init__(detail)
        self.waiting = waiting
        self.wait_s = wait_s
        """How long what waits now will take at the lane's present pace; None where that is not known."""


class LaneUnavailable(ModelFailed):
    """The lane's Redis did not answer, or went away while the call waited."""

    def __init__(self, detail: str) -> None:
        super().__init__("lane_unavailable", detail, retryable=True)


class WorkerGone(LaneUnavailable):
    """The request was taken by a worker that has not been heard of since."""

    def __init__(self, model_key: str) -> None:
        super().__init__(f"the worker that had the request to '{model_key}' is gone; send it again")


class MessageMalformed(ValueError):
    """Bytes from the wire that say nothing that can be understood; told what was wrong, and dropped."""
