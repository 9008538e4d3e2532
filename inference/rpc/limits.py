"""Define how much may wait for a model version, and how large and how long-lived a request may be."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LaneLimits:
    """The limits of the queue of each model version. They must be the same in clients and workers."""

    waiting: int = 1024
    waiting_per_tenant: int = 256
    waiting_bytes: int = 256 * 2**20
    """The most bytes that may wait. Redis refuses every write when it is full, so the sizes are bounded as well as the
    counts.
    """
    waiting_bytes_per_tenant: int = 64 * 2**20
    payload_bytes: int = 32 * 2**20
    answer_bytes: int = 128 * 2**20
    inline_bytes: int = 64 * 2**10
    """The largest payload in a message. A larger one is stored under a separate key, so that taking many requests
    remains a short step.
    """
    longest_s: float = 600.0
    """The longest time that a request may wait, whatever its deadline. An unused queue disappears soon after
    this time.
    """
