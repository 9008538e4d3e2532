"""Chooses the threads and the largest batch of a version from measurements. It makes no file."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

MAX_BATCH = 32
ENOUGH_GAIN = 1.1
"""The gain in throughput below which more threads or a larger batch are not worth what they take from others."""


@dataclass(frozen=True, slots=True)
class Setting:
    threads: int
    batch: int


@dataclass(frozen=True, slots=True)
class Measured:
    """A measurement of a setting."""

    setting: Setting
    rows_per_s: float
    p99_ms: float

    def to_json(self) -> dict[str, float]:
        return {
            "threads": self.setting.threads,
            "batch": self.setting.batch,
            "rows_per_s": round(self.rows_per_s, 1),
            "p99_ms": round(self.p99_ms, 3),
        }


def settings_to_try(cores: int, *, may_batch: bool) -> tuple[Setting, ...]:
    """Return the settings to measure: threads and batches by powers of two, and all cores."""
    threads = sorted({1, *(2**power for power in range(cores.bit_length()) if 2**power <= cores), cores})
    batches = [1, *(2**power for power in range(1, MAX_BATCH.bit_length()))] if may_batch else [1]
    return tuple(Setting(one, batch) for one in threads for batch in batches)


def chosen_setting(measured: Iterable[Measured], *, max_p99_ms: float | None = None) -> Measured | None:
    """Return the setting with the most throughput that keeps the latency, or None if none keeps it.

    A setting that takes more threads, or waits for more rows, must gain for it.
    """
    fitting = [each for each in measured if max_p99_ms is None or each.p99_ms <= max_p99_ms]
    return _most_for_least(sorted(fitting, key=lambda each: (each.setting.threads, each.setting.batch)))


def _most_for_least(ordered: Sequence[Measured]) -> Measured | None:
    best: Measured | None = None
    for each in ordered:
        if best is None or each.rows_per_s >= ENOUGH_GAIN * best.rows_per_s:
            best = each
    return best
