"""The time of a run on its device in microseconds, divided among the callers whose inputs it held. It is pure."""

from collections.abc import Sequence
from itertools import accumulate, pairwise

US_PER_MS = 1000


def run_us(seconds: float, inputs: int) -> int:
    """Return the time of a whole run. It is at least one microsecond for each input."""
    return max(inputs, round(seconds * 1_000_000))


def shared_out(whole_us: int, weights: Sequence[int]) -> tuple[int, ...]:
    """Divide the whole exactly, in proportion to the weights. Each part is at least 1 if the whole suffices."""
    least = 1 if whole_us >= len(weights) else 0
    above, total = whole_us - least * len(weights), sum(weights)
    ends = [above * weight // total for weight in accumulate(weights, initial=0)]
    return tuple(least + end - start for start, end in pairwise(ends))


def charged_ms(device_us: int) -> int:
    """Return the time in milliseconds, rounded half up. It is at least 1 for any time above 0."""
    return max(1, (device_us + US_PER_MS // 2) // US_PER_MS) if device_us else 0
