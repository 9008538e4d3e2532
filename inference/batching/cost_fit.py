"""The time that a batch takes: `t = fixed + row x rows + padded x padded`, learned from the batches that were run."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

FORM = 1
FASTER, SLOWER = 0.5, 0.15
"""The weights of a faster and a slower run. Delays only lengthen a run, so faster runs count more."""
OUTLIER = 3.0
"""The limit for a slow run, as a multiple of the usual time of its size. A slower run counts as this much slower."""
MAX_WEIGHT = 8
STALE_AFTER = 512
"""The number of observations after which the weight of a size is halved, unless the size was seen again."""
MAX_SIZES = 48
PRIOR_WEIGHT = 0.02
REFIT_EVERY = 16
WORTH_A_REFIT_S = 0.005
"""Seconds above which a run leads to a new fit at once. A fit takes up to a tenth of a millisecond."""

SizeClass = tuple[int, int]
Vector = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Coefficients:
    fixed_s: float
    row_s: float
    padded_s: float

    def predict(self, rows: int, padded: int) -> float:
        return self.fixed_s + self.row_s * rows + self.padded_s * padded


PRIOR = Coefficients(fixed_s=0.005, row_s=0.0005, padded_s=0.00005)
"""The proportions of the costs of a small model on a CPU. The first run sets the scale."""


@dataclass(frozen=True, slots=True)
class SizeSeen:
    """Batches of about one size."""

    rows: float
    padded: float
    run_s: float
    times: int
    last_seen: int

    def and_again(self, rows: int, padded: int, run_s: float, now: int) -> "SizeSeen":
        bounded = min(run_s, OUTLIER * self.run_s)
        pace = FASTER if bounded < self.run_s else SLOWER
        return SizeSeen(
            self.rows + pace * (rows - self.rows),
            self.padded + pace * (padded - self.padded),
            self.run_s + pace * (bounded - self.run_s),
            min(self.times + 1, MAX_WEIGHT),
            now,
        )

    def weight(self, now: int) -> float:
        return float(self.times * 0.5 ** ((now - self.last_seen) / STALE_AFTER))


@dataclass(frozen=True, slots=True)
class CostFit:
    """An immutable fit; `after` returns the next. It is kept by size: single rows erase nothing of large batches."""

    observations: int = 0
    sizes: Mapping[SizeClass, SizeSeen] = field(default_factory=dict)
    coefficients: Coefficients = PRIOR

    def predict(self, rows: int, padded: int) -> float:
        return self.coefficients.predict(rows, padded)

    def share(self, rows: int, padded: int, *, of_rows: int) -> float:
        """Return the cost of these rows within a full batch of `of_rows` rows."""
        cost = self.coefficients
        return cost.row_s * rows + cost.padded_s * padded + cost.fixed_s * min(1.0, rows / of_rows)

    def after(self, rows: int, padded: int, run_s: float) -> "CostFit":
        if rows < 1 or padded < 1 or not math.isfinite(run_s) or run_s <= 0:
            return self
        now = self.observations + 1
        sizes = dict(self.sizes)
        size = (rows.bit_length(), padded.bit_length())
        seen = sizes.get(size)
        if seen is None:
            sizes[size] = SizeSeen(rows, padded, run_s, 1, now)
            if len(sizes) > MAX_SIZES:
                del sizes[min(sizes, key=lambda size: sizes[size].weight(now))]
        else:
            sizes[size] = seen.and_again(rows, padded, run_s, now)
        if seen is None or run_s > WORTH_A_REFIT_S or now % REFIT_EVERY == 0:
            return CostFit(now, sizes, _fit(sizes.values(), now))
        return CostFit(now, sizes, self.coefficients)

    def saved(self) -> dict[str, Any]:
        """Return the fit as JSON data that `CostFit.restored` reads."""
        return {
            "form": FORM,
            "observations": self.observations,
            "sizes": [[size.rows, size.padded, size.run_s, size.times, size.last_seen] for size in self.sizes.values()],
        }

    @classmethod
    def restored(cls, saved: Mapping[str, Any]) -> "CostFit":
        """Restore what `saved()` returned. It raises ValueError if that is damaged or of another form."""
        if saved.get("form") != FORM:
            raise ValueError(f"a saved fit of form {saved.get('form')!r} cannot be read; this release reads {FORM}")
        try:
            observations = int(saved["observations"])
            seen = [_size_from(entry, observations) for entry in saved["sizes"][:MAX_SIZES]]
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise ValueError(f"the saved fit is damaged: {type(error).__name__}: {error}") from error
        sizes = {(int(size.rows).bit_length(), int(size.padded).bit_length()): size for size in seen}
        return cls(observations, sizes, _fit(sizes.values(), observations))


def _size_from(entry: Sequence[float], observations: int) -> SizeSeen:
    rows, padded, run_s, times, last_seen = entry
    numbers = (float(rows), float(padded), float(run_s))
    if not all(map(math.isfinite, numbers)) or min(numbers) <= 0 or rows < 1 or padded < 1:
        raise ValueError(f"{entry!r} is no batch that was run")
    times, last_seen = int(times), int(last_seen)
    if not (1 <= times <= MAX_WEIGHT and 0 <= last_seen <= observations):
        raise ValueError(f"{entry!r} was not seen {times} times by observation {observations}")
    return SizeSeen(*numbers, times, last_seen)


def _fit(seen: Iterable[SizeSeen], now: int) -> Coefficients:
    """Fit by least squares of relative errors, no coefficient below 0, pulled slightly toward the scaled prior."""
    sizes = list(seen)
    if not sizes:
        return PRIOR
    weights = np.array([size.weight(now) for size in sizes])
    # The unknowns are in units of the scaled prior, so that the ridge is the same for each of them.
    units = np.array([PRIOR.fixed_s, PRIOR.row_s, PRIOR.padded_s]) * _scale(sizes, weights)
    x = np.array([(1.0, size.rows, size.padded) for size in sizes]) * units
    x /= np.array([[size.run_s] for size in sizes])
    best = _least_squares(x.T * weights @ x + PRIOR_WEIGHT * np.eye(3), weights @ x + PRIOR_WEIGHT)
    return Coefficients(*(best * units).tolist())


def _scale(sizes: Sequence[SizeSeen], weights: Vector) -> float:
    """Return how many times slower than the prior this model is, as a geometric mean."""
    if weights.sum() <= 0:
        return 1.0
    logs = [math.log(size.run_s / PRIOR.predict(int(size.rows), int(size.padded))) for size in sizes]
    return math.exp(np.average(logs, weights=weights))


def _least_squares(gram: Vector, right: Vector) -> Vector:
    """Return the best x >= 0: of the few sets of unknowns that may be above 0, the one that explains the most."""
    best, most = np.zeros(3), 0.0
    for count in (3, 2, 1):
        for chosen in map(list, combinations(range(3), count)):
            try:
                solution = np.linalg.solve(gram[np.ix_(chosen, chosen)], right[chosen])
            except np.linalg.LinAlgError:  # The ridge may be lost beside values of very different sizes.
                continue
            explained = float(solution @ right[chosen])
            if solution.min() >= 0 and explained > most:
                best, most = np.zeros(3), explained
                best[chosen] = solution
        if count == 3 and most > 0:
            break
    return best
