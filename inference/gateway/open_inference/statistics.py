"""Report how often a tenant's calls were answered and how long that took, in the form of Triton's statistics
extension.
"""

from dataclasses import dataclass, fields

from inference.core.contracts import Json


@dataclass(frozen=True, slots=True)
class CallCounts:
    success: int = 0
    success_ns: int = 0
    """The time from the arrival of the whole body to the answer."""
    failed: int = 0
    failed_ns: int = 0
    queue_ns: int = 0
    """The time that answered calls waited for their run: for a worker, for the model to load, and for a batch."""
    infer_ns: int = 0
    """The time in which the model ran."""
    last_ms: int = 0
    """The Unix time of the last call. It is not summed up."""
    hits: int = 0
    """The number of answered calls that were cache hits."""
    hits_ns: int = 0

    def __add__(self, other: "CallCounts") -> "CallCounts":
        """Return the sum of the counts, field by field. The code is written out because it runs for every call."""
        return CallCounts(
            self.success + other.success,
            self.success_ns + other.success_ns,
            self.failed + other.failed,
            self.failed_ns + other.failed_ns,
            self.queue_ns + other.queue_ns,
            self.infer_ns + other.infer_ns,
            max(self.last_ms, other.last_ms),
            self.hits + other.hits,
            self.hits_ns + other.hits_ns,
        )


NAMES = tuple(part.name for part in fields(CallCounts))
NONE = CallCounts()


def model_statistics(model: str, number: int, counts: CallCounts) -> Json:
    """Return the statistics of a model version. Values that are not known are 0: tenants share batches, so no run
    belongs to a single tenant.
    """
    answered = counts.success
    return {
        "name": model,
        "version": str(number),
        "last_inference": counts.last_ms,
        "inference_count": answered,
        "execution_count": 0,
        "inference_stats": {
            "success": _duration(answered, counts.success_ns),
            "fail": _duration(counts.failed, counts.failed_ns),
            "queue": _duration(answered, counts.queue_ns),
            "compute_input": _duration(0, 0),
            "compute_infer": _duration(answered, counts.infer_ns),
            "compute_output": _duration(0, 0),
            "cache_hit": _duration(counts.hits, counts.hits_ns),
            "cache_miss": _duration(0, 0),
        },
        "batch_stats": [],
    }


def _duration(count: int, ns: int) -> Json:
    return {"count": count, "ns": ns}
