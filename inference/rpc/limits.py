"""How much may wait in a lane, and how large and how long-lived one request may be."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LaneLimits:
    """For each model version's lane; the same on both ends."""

    waiting: int = 1024
    waiting_per_tenant: int = 256
    waiting_bytes: int = 256 * 2**20
    """Redis refuses every write when it is full, so the sizes are bounded as well as the counts."""
    waiting_bytes_per_tenant: int = 64 * 2**20
    payload_bytes: int = 32 * 2**20
    answer_bytes: int = 128 * 2**20
    inline_bytes: int = 64 * 2**10
    """More than this lies under a key of its own, so that taking many requests stays one short step."""
    longest_s: float = 600.0
    """No request waits longer, whatever its deadline; a lane that nobody touches is gone soon after."""
