"""The time that a run takes on its device, shared out between those whose inputs it held: pure, in microseconds."""

from collections.abc import Sequence
from itertools import accumulate, pairwise

US_PER_MS = 1000


def run_us(seconds: float, inputs: int) -> int:
    """Of a whole run. No input runs in no time."""
    return max(inputs, round(seconds * 1_000_000))


def shared_out(whole_us: int, weights: Sequence[int]) -> tuple[int, ...]:
    """Parts like their weights, which add up to the whole exactly; each at least 1, where that is there for all."""
    least = 1 if whole_us >= len(weights) else 0
    above, total = whole_us - least * len(weights), sum(weights)
    ends = [above * weight // total for weight in accumulate(weights, initial=0)]
    return tuple(least + end - start for start, end in pairwise(ends))


def charged_ms(device_us: int) -> int:
    """Rounded half up, and at least 1 of whatever ran."""
    return max(1, (device_us + US_PER_MS // 2) // US_PER_MS) if device_us else 0
