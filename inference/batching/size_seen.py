"""Batches of about one size, and how long they take."""

from dataclasses import dataclass

FASTER, SLOWER = 0.5, 0.15
"""Delays only ever add, so a size is believed to be about as fast as its faster runs."""
STEADY = 16
"""Runs of which a mean says something."""
OUTLIER = 3.0
"""A run this many times slower than its size usually is counts as this much slower, and no more."""
MOST_WEIGHT = 8
STALE_AFTER = 512
"""Observations after which what was seen of a size counts half, unless the size was seen again."""

SizeClass = tuple[int, int]


def size_class(rows: int, padded: int) -> SizeClass:
    return rows.bit_length(), padded.bit_length()


@dataclass(frozen=True, slots=True)
class Usual:
    """A mean of the last runs, delays included: steadier, for where sizes are compared."""

    rows: float
    padded: float
    run_s: float
    runs: int = 1

    @property
    def steady(self) -> bool:
        return self.runs >= STEADY

    @property
    def length(self) -> float:
        return self.padded / self.rows

    def and_again(self, rows: int, padded: int, run_s: float) -> "Usual":
        runs = min(self.runs + 1, STEADY)
        pace = 1 / runs
        return Usual(
            self.rows + pace * (rows - self.rows),
            self.padded + pace * (padded - self.padded),
            self.run_s + pace * (run_s - self.run_s),
            runs,
        )


@dataclass(frozen=True, slots=True)
class SizeSeen:
    rows: float
    padded: float
    run_s: float
    times: int
    last_seen: int
    usual: Usual

    @classmethod
    def once(cls, rows: float, padded: float, run_s: float, now: int, *, times: int = 1) -> "SizeSeen":
        return cls(rows, padded, run_s, times, now, Usual(rows, padded, run_s))

    def and_again(self, rows: int, padded: int, run_s: float, now: int) -> "SizeSeen":
        bounded = min(run_s, OUTLIER * self.run_s)
        pace = FASTER if bounded < self.run_s else SLOWER
        return SizeSeen(
            self.rows + pace * (rows - self.rows),
            self.padded + pace * (padded - self.padded),
            self.run_s + pace * (bounded - self.run_s),
            min(self.times + 1, MOST_WEIGHT),
            now,
            self.usual.and_again(rows, padded, bounded),
        )

    def weight(self, now: int) -> float:
        """By the square: what was seen a few times is believed slower than it is, its faster runs are yet to come.

        Mostly these are the smallest batches, and what they seem to take too long is taken for the cost of a run.
        """
        return float(self.times**2 / MOST_WEIGHT * 0.5 ** ((now - self.last_seen) / STALE_AFTER))
