"""Runs a pool with a policy of a name: with a fixed number that suffices, or an autoscaler with its best target."""

from collections.abc import Callable
from enum import StrEnum
from math import ceil

from jobs.simulation.policies import Hpa, Ours, Static
from jobs.simulation.pool_run import Policy, PoolRun, PoolTrace, Target, run_pool

FIRST_RATE_S = 900.0
"""The first seconds of a trace, whose rate decides how many replicas there are at the beginning."""
TARGETS_S = (0.005, 0.05, 0.5, 2.0, 5.0, 10.0, 20.0, 40.0, 120.0, 300.0)
"""The waits tried as the autoscaler's target. The first is the one that the founding documents name."""


class PolicyName(StrEnum):
    OURS = "ours"
    REACTIVE = "reactive"
    """Ours, without what came a week ago."""
    STATIC = "static"
    """The smallest fixed number that keeps the promise."""
    HPA = "hpa"
    """A HorizontalPodAutoscaler on the time in the queue, with the target that misses as few promises as ours does."""


Run = Callable[[Policy], PoolRun]


def run_with(name: PolicyName, trace: PoolTrace, *, tick_s: float) -> PoolRun:
    def run(policy: Policy) -> PoolRun:
        return run_pool(trace, policy, tick_s=tick_s)

    first = first_replicas(trace)
    if name is PolicyName.STATIC:
        return _smallest(trace, run)
    if name is PolicyName.HPA:
        ours = run(Ours(trace.terms, first))
        return _best_autoscaler(trace, first, allowed=ours.missed, run=run)
    return run(Ours(trace.terms, first, predicts=name is PolicyName.OURS))


def first_replicas(trace: PoolTrace) -> int:
    """Return how many replicas a pool begins with: enough for its first minutes."""
    rate = trace.arrivals.searchsorted(FIRST_RATE_S) / FIRST_RATE_S
    wanted = ceil(1.2 * rate * trace.mean_work_s / trace.terms.slots) + 1
    return min(max(wanted, trace.terms.least), trace.terms.most)


def _smallest(trace: PoolTrace, run: Run) -> PoolRun:
    """Return the run with the smallest number of replicas that keeps the promise, found by halving."""
    allowed = (1 - trace.terms.promise.share) * len(trace.arrivals)
    low, high = 1, first_replicas(trace)
    while (made := run(Static(high))).missed > allowed and high < trace.terms.most:
        low, high = high + 1, min(2 * high, trace.terms.most)
    while low < high:
        middle = (low + high) // 2
        tried = run(Static(middle))
        if tried.missed <= allowed:
            high, made = middle, tried
        else:
            low = middle + 1
    return made


def _best_autoscaler(trace: PoolTrace, first: int, *, allowed: int, run: Run) -> PoolRun:
    """Return the cheapest run that misses no more than is allowed. If there is none, the one that misses the least."""
    made = []
    for target_s in TARGETS_S:
        tried = run(Hpa(trace.terms, first, target_s))
        tried.target = Target(target_s, is_equal=tried.missed <= allowed)
        made.append(tried)
    able = [each for each in made if each.missed <= allowed]
    return min(able, key=lambda each: each.cost) if able else min(made, key=lambda each: each.missed)
