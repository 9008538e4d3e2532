"""Define the errors that can keep a synchronous call from its model."""

from inference.core.errors import ModelFailed, ModelOverloaded
from inference.tiers.routes import version_of_queue


class LaneOverloaded(ModelOverloaded):
    """The error if too many requests wait for this model version, or of this tenant. Nothing was queued."""

    def __init__(self, detail: str, *, waiting: int, wait_s: float | None) -> None:
        super().__init__(detail)
        self.waiting = waiting
        self.wait_s = wait_s
        """The estimated time to process what waits now, at the present rate, or None if it is not known."""


class LaneUnavailable(ModelFailed):
    """The Redis of the RPC did not answer, or the connection broke while the call waited."""

    def __init__(self, detail: str, *, retry_after_s: int = 1) -> None:
        super().__init__("rpc_unavailable", detail, retryable=True)
        self.retry_after_s = retry_after_s


class WorkerGone(LaneUnavailable):
    """The worker that took the request has not reported it since."""

    def __init__(self, model_key: str) -> None:
        super().__init__(f"the worker that had the request to '{version_of_queue(model_key)}' is gone; send it again")


class NoWorker(LaneUnavailable):
    """No worker serves a pool that may serve the call."""


class MessageMalformed(ValueError):
    """A message that cannot be understood. The error says what is wrong, and the message is dropped."""
