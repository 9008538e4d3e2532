"""What it costs to run a batch as smaller ones, where that was seen to be less than the fit's straight line says.

Beyond some size a processor's caches no longer hold what a run works on, and each token takes longer than in a smaller
batch. A wrong belief heals by itself: the smaller sizes are seen all the time, and what nobody has seen for long is no
longer held against the larger ones, which then run again.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from inference.batching.size_seen import MOST_WEIGHT, SizeClass, SizeSeen, Usual

SURE_WEIGHT = MOST_WEIGHT / 2
"""What was seen longer ago says nothing about other sizes."""
CLEARLY = 0.08
"""Smaller differences between sizes are noise: other work on the machine moves single runs by tens of percent."""
IN_FORCE, SETTLED = 4, 8
"""A difference holds once it was found so many more times than not, each time by new runs; more than so many findings
are not kept, so that as many to the contrary end it."""
LEAST_PART, MOST_PART = 0.2, 0.75
"""A size is compared with those from a fifth to three quarters of it, together: the best of them would be luck."""
SHORTEST, LONGEST = 0.8, 1.75
"""Only sizes of about one length are compared: attention takes more for each token of a longer text."""

Predict = Callable[[float, float], float]


@dataclass(frozen=True, slots=True)
class Cut:
    cost_s: float
    """Of each run that is added; below 0 where the parts together take less than the whole."""
    found: int
    last_seen: int

    @property
    def in_force(self) -> bool:
        return self.found >= IN_FORCE


def cuts_after(
    before: Mapping[SizeClass, Cut], sizes: Mapping[SizeClass, SizeSeen], now: int, predict: Predict
) -> dict[SizeClass, Cut]:
    """Looked at now and then; by the size of the whole."""
    sure = {
        seen.usual: weight
        for seen in sizes.values()
        if seen.usual.steady and (weight := seen.weight(now)) >= SURE_WEIGHT
    }
    cuts = {}
    for size, whole in sizes.items():
        if whole.usual not in sure:
            continue
        known = before.get(size)
        cost_s = _cost_s(whole.usual, sure, predict)
        if cost_s is not None:
            cuts[size] = _found(known, cost_s, whole)
        elif known is not None and known.found > 1:
            cuts[size] = replace(known, found=known.found - 1)
    return cuts


def _found(known: Cut | None, cost_s: float, whole: SizeSeen) -> Cut:
    if known is None:
        return Cut(cost_s, 1, whole.last_seen)
    if known.in_force or whole.last_seen > known.last_seen:
        return Cut(cost_s, min(known.found + 1, SETTLED), whole.last_seen)
    return replace(known, cost_s=cost_s)


def _cost_s(whole: Usual, sure: Mapping[Usual, float], predict: Predict) -> float | None:
    """None where the straight line holds, or where a still larger batch is as cheap as the smaller ones."""
    alike = [seen for seen in sure if SHORTEST <= seen.length / whole.length <= LONGEST]
    parts = [seen for seen in alike if _is_part(seen, whole)]
    if not parts:
        return None
    paces = {seen: _Pace.of(seen, whole.length, predict) for seen in alike}
    weight = sum(sure[part] for part in parts)
    in_parts_s = sum(sure[part] * paces[part].seen_s for part in parts) / weight
    straight_s = sum(sure[part] * paces[part].straight_s for part in parts) / weight
    ratio = in_parts_s / paces[whole].seen_s
    if ratio > (1 - CLEARLY) * straight_s / paces[whole].straight_s:
        return None
    if any(paces[seen].seen_s <= in_parts_s for seen in alike if _is_part(whole, seen)):
        return None
    more_runs = whole.rows * weight / sum(sure[part] * part.rows for part in parts) - 1
    cost_s = whole.run_s * (ratio - 1) / more_runs
    return cost_s if ratio <= 1 - CLEARLY else max(cost_s, 0.0)


def _is_part(seen: Usual, whole: Usual) -> bool:
    return (
        LEAST_PART * whole.padded <= seen.padded <= MOST_PART * whole.padded
        and seen.rows <= MOST_PART * whole.rows
    )


@dataclass(frozen=True, slots=True)
class _Pace:
    """Seconds for each padded token of so many rows, had they a certain length."""

    seen_s: float
    straight_s: float

    @classmethod
    def of(cls, seen: Usual, length: float, predict: Predict) -> "_Pace":
        straight_s = predict(seen.rows, seen.rows * length) / (seen.rows * length)
        return cls(seen.run_s / predict(seen.rows, seen.padded) * straight_s, straight_s)
