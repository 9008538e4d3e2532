"""Compare the policy with Kubernetes' own on a day with a spike, and with itself without predictions, at equal cost.

The first part runs `diurnal-spike` with every target of the autoscaler. The second runs three weeks of traffic with a
steep morning, and spends more and more on the policy without predictions, until it costs what the policy with them
does: by the price of a missed promise, and then by more replicas that are always there.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from inference.scaling.pool import PoolTerms, Promise, Taming
from jobs.simulation.comparison import TARGETS_S, first_replicas
from jobs.simulation.line import Numbers
from jobs.simulation.node_types import EXAMPLES
from jobs.simulation.policies import Hpa, Ours
from jobs.simulation.pool_run import Policy, PoolRun, PoolTrace, Seen, run_pool
from jobs.simulation.scenarios import SCENARIOS, TICK_S

DAY_S = 86_400.0
WEEKS = 3
JUDGED_FROM_S = 14 * DAY_S
"""The last week is judged. In the two before, the policy gathers what it predicts from."""
SPENT = ((1.0, 1), (5.0, 1), (80.0, 1), *((80.0, least) for least in range(3, 24)))
"""What is tried to spend more: multiples of the price of a missed promise, and the fewest replicas."""


@dataclass
class Counted:
    """A policy whose replicas are counted from a moment on."""

    policy: Policy
    from_s: float
    replica_s: float = 0.0
    last_s: float = field(default=0.0)

    def first(self) -> int:
        return self.policy.first()

    def wanted(self, seen: Seen) -> int:
        if seen.now.at_s > self.from_s:
            self.replica_s += (seen.now.at_s - self.last_s) * seen.now.replicas
        self.last_s = seen.now.at_s
        return self.policy.wanted(seen)


def weeks_of_offices(rng: np.random.Generator, mean_per_s: float = 4.0) -> Numbers:
    """Return arrivals of people who begin at eight, pause at noon, go home at five, and are away on weekends."""
    minutes = np.arange(WEEKS * 7 * 24 * 60)
    hour = minutes / 60 % 24
    office = np.where((hour >= 8) & (hour < 17), 1.0, 0.06)
    office[(hour >= 12) & (hour < 13)] *= 0.5
    weekend = (minutes // (24 * 60)) % 7 >= 5
    rates = mean_per_s * 2.4 * office * np.where(weekend, 0.15, 1.0)
    # Each day differs by a tenth or so.
    rates *= np.repeat(rng.lognormal(-0.005, 0.1, WEEKS * 7), 24 * 60)
    counts = rng.poisson(rates * 60)
    times: Numbers = np.sort(np.repeat(minutes * 60.0, counts) + rng.random(int(counts.sum())) * 60)
    return times


def office_trace(seed: int) -> PoolTrace:
    rng = np.random.default_rng(seed)
    times = weeks_of_offices(rng)
    work: Numbers = rng.lognormal(np.log(3.5) - 0.045, 0.3, len(times))
    terms = PoolTerms(
        Promise(0.95, 30), node_start_s=180, load_s=40, most=1000, taming=Taming(up_share=0.2, down_share=0.1)
    )
    return PoolTrace("offices", times, work, terms, WEEKS * 7 * DAY_S)


def judged(trace: PoolTrace, policy: Policy) -> tuple[float, float]:
    """Return the share of missed promises and the replica-hours of the last week."""
    counted = Counted(policy, JUDGED_FROM_S)
    made = run_pool(trace, counted, tick_s=TICK_S)
    last = trace.arrivals[: len(made.waits)] >= JUDGED_FROM_S
    late = made.waits[last] > trace.terms.promise.wait_s
    return float(late.mean()), counted.replica_s / 3600


def compare_predictions(seed: int) -> None:
    trace = office_trace(seed)
    first = first_replicas(trace)
    missed, hours = judged(trace, Ours(trace.terms, first))
    print(f"offices, seed {seed}: with predictions {missed:.2%} missed, {hours:,.0f} replica-hours")
    usual = trace.terms.cost_of_a_miss(trace.mean_work_s)
    for times, least in SPENT:
        terms = replace(trace.terms, missed_cost=usual * times, least=least)
        without, spent = judged(replace(trace, terms=terms), Ours(terms, first, predicts=False))
        of_both = f"{spent:,.0f} replica-hours ({spent / hours:.2f}x)"
        print(f"  without, a miss costs {times:g}x, {least} at least: {without:.2%} missed, {of_both}", flush=True)
        if spent >= hours:
            break


def compare_with_kubernetes() -> None:
    (trace,) = SCENARIOS["diurnal-spike"]().traces(EXAMPLES)
    first = first_replicas(trace)

    def tell(name: str, made: PoolRun) -> None:
        share = made.missed / len(trace.arrivals)
        print(f"  {name:>24}: {share:7.2%} missed, {made.replica_hours:,.0f} replica-hours, {len(made.turned)} turns")

    print("diurnal-spike")
    tell("ours", run_pool(trace, Ours(trace.terms, first), tick_s=TICK_S))
    for target_s in TARGETS_S:
        tell(f"HPA on {1000 * target_s:g} ms", run_pool(trace, Hpa(trace.terms, first, target_s), tick_s=TICK_S))


def main() -> None:
    compare_with_kubernetes()
    for seed in (1, 2):
        compare_predictions(seed)


if __name__ == "__main__":
    main()
