"""Measures how long pages waited after their worker was killed. It is pure."""

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Waited:
    seconds: float
    alone: bool
    """True if no other fault was active meanwhile."""


@dataclass(frozen=True, slots=True)
class Span:
    """The time span of a fault."""

    begins_s: float
    ends_s: float


def is_alone(kill_s: float, again_s: float, others: Sequence[Span], heals_s: float) -> bool:
    """Say whether no other fault overlaps. `heals_s` is the time that a part may need to work again after another
    fault.
    """
    return not any(span.begins_s < again_s and span.ends_s + heals_s > kill_s for span in others)


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least this share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def describe(waits: Sequence[Waited], lease_s: float) -> list[str]:
    lines = []
    for name, some in (
        ("nothing else broken", [wait.seconds for wait in waits if wait.alone]),
        ("all", [wait.seconds for wait in waits]),
    ):
        if some:
            p50, p99 = percentile(some, 0.5), percentile(some, 0.99)
            lines.append(
                f"pages of killed workers, {name}: {len(some)} waited p50 {p50:.1f} s, p99 {p99:.1f} s, "
                f"at most {max(some):.1f} s (lease {lease_s:g} s + 2 s)"
            )
    return lines or ["pages of killed workers: none was in hand"]
