"""Write the `Server-Timing` header, which says where the time of an answer went."""

from dataclasses import dataclass

from inference.rpc.answers import NOTHING_SPENT, SpentMs

_FORM = b"queue;dur=%.2f, load;dur=%.2f, batch;dur=%.2f, infer;dur=%.2f, post;dur=%.2f, total;dur=%.2f"

_FORM_AT_ONCE = b"queue;dur=0.00, load;dur=0.00, batch;dur=0.00, infer;dur=0.00, post;dur=%(ms).2f, total;dur=%(ms).2f"


@dataclass(frozen=True, slots=True)
class Timings:
    """The timings of an answer in milliseconds."""

    queue: float
    """The time from the RPC client to a worker, without the load of the model."""
    run: float
    """The whole time in the worker."""
    total: float
    """The time from the arrival of the whole body to the answer."""
    spent: SpentMs = NOTHING_SPENT
    """The time spent on loading the model, in the worker's batcher, and in the model."""

    @property
    def post(self) -> float:
        """Return the remaining time: before and after the model, in transit, and in this process."""
        spent = self.spent
        return max(0.0, self.total - self.queue - spent.load - spent.batch - spent.infer)


def server_timing(timings: Timings) -> tuple[bytes, bytes]:
    spent = timings.spent
    said = (timings.queue, spent.load, spent.batch, spent.infer, timings.post, timings.total)
    return b"server-timing", _FORM % said


def timing_at_once(total_ms: float) -> tuple[bytes, bytes]:
    """Return the header for an answer that needed no worker."""
    return b"server-timing", _FORM_AT_ONCE % {b"ms": total_ms}
