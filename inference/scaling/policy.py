"""The number of replicas that costs least, with what missed promises cost."""

from dataclasses import replace

import numpy as np

from inference.scaling.pool import HOUR_S, Expected, PoolNow, PoolTerms, Wanted
from inference.scaling.taming import grown_in_time
from inference.scaling.waits import Matrix, Vector, late_by_chance, late_in_line

STEPS = 48
HORIZON_LEADS = 2.0
LEAST_HORIZON_S = 120.0
MAX_STEPS = 400
CHANCES = ((0.25, -1.0), (0.5, 0.0), (0.25, 1.0))
"""The weights of a lower, the expected and a higher rate, by multiples of the error of past predictions."""
TRIED = 64
SPIKES_SHARE = 0.7
"""The share of the missed promises that spikes may use up."""
NOTICED_AFTER_S = 20.0
CATCHES_UP = 2
"""The multiple of the work that comes for which replicas are ordered when a line has formed."""
AIM = 0.25
"""The share of the promised wait that is planned for. A standing line saves nothing, and the rest absorbs surprises."""


def horizon_s(terms: PoolTerms) -> float:
    """Return how far a decision looks ahead: to where what is ordered now has worked for as long as it took to come."""
    return max(LEAST_HORIZON_S, HORIZON_LEADS * terms.lead_s) + terms.promise.wait_s


def step_s(terms: PoolTerms) -> float:
    finest_s = horizon_s(terms) / MAX_STEPS
    return max(finest_s, min(horizon_s(terms) / STEPS, AIM * terms.promise.wait_s))


def decide(now: PoolNow, terms: PoolTerms, expected: Expected) -> Wanted:
    """Return the number of replicas with the lowest cost over the time that the decision affects."""
    cheapest, misses = _cheapest(now, terms, expected)
    rising = _rising(now, terms, expected)
    needed = max(
        cheapest,
        _keeping_up(now, terms, expected),
        buffered(now, terms, expected),
        rising,
        int(now.expects_callers),
    )
    replicas = min(max(needed, terms.least), terms.most)
    if replicas != cheapest:
        misses = float(_costs(np.array([replicas]), now, terms, expected)[1][0])
    reasons = _reasons(replicas, misses, now, terms, expected)
    if rising > cheapest:
        reasons = (f"{rising} now can grow in time to what is needed later, at the pool's pace", *reasons)
    return Wanted(replicas, needed, reasons, _soon(now, terms, expected))


def _cheapest(now: PoolNow, terms: PoolTerms, expected: Expected) -> tuple[int, float]:
    """Return the number that costs least, and how many requests would begin too late with it."""
    low, high = _range(now, terms, expected)
    tried = np.unique(np.linspace(low, high, min(TRIED, high - low + 1)).round().astype(int))
    costs, misses = _costs(tried, now, terms, expected)
    best = int(np.argmin(costs))
    if len(tried) > 1 and high - low + 1 > TRIED:
        near = np.arange(tried[max(0, best - 1)], tried[min(len(tried) - 1, best + 1)] + 1)
        tried = near if len(near) <= TRIED else np.unique(np.linspace(near[0], near[-1], TRIED).round().astype(int))
        costs, misses = _costs(tried, now, terms, expected)
        best = int(np.argmin(costs))
    return int(tried[best]), float(misses[best])


def _range(now: PoolNow, terms: PoolTerms, expected: Expected) -> tuple[int, int]:
    highest = max(expected.rates) * (1 + 2 * expected.spread) * now.service_s
    backlog = now.waiting_work_s / max(terms.promise.wait_s, 1.0)
    high = int(np.ceil((1.3 * highest + 3 * np.sqrt(highest) + backlog) / terms.slots)) + 2
    high = min(max(high, terms.least), terms.most)
    return min(terms.least, high), high


def _keeping_up(now: PoolNow, terms: PoolTerms, expected: Expected) -> int:
    """Return the replicas that can do what comes. With fewer, a line would grow for ever, however little it costs."""
    work = float(np.mean(expected.rates)) * now.service_s
    return int(np.ceil(work / terms.slots))


def _rising(now: PoolNow, terms: PoolTerms, expected: Expected) -> int:
    """Return the replicas from which the pool can grow, as fast as it may, to what later rates will need.

    What is needed within one step of growth is weighed by its cost, as everything else.
    """
    work = np.array(expected.later[1:]) * now.service_s
    needs = np.ceil((work + np.sqrt(work)) / terms.slots).astype(int)
    return grown_in_time([0, *np.minimum(needs, terms.most).tolist()], terms.taming)


def _soon(now: PoolNow, terms: PoolTerms, expected: Expected) -> int:
    """Return the replicas that are needed so soon that the pool, if it had fewer, would grow again at once.

    They are those that the highest foreseen rate would want if it came all the time.
    """
    steps = int((terms.taming.down_every_s + horizon_s(terms)) / terms.taming.up_every_s)
    highest = max(expected.later[:steps], default=0.0)
    if not highest:
        return 0
    calm = replace(now, waiting_work_s=0.0, oldest_wait_s=0.0, ready=terms.most, starting_s=())
    return _cheapest(calm, terms, replace(expected, rates=(highest,) * len(expected.rates)))[0]


def _costs(tried: "np.ndarray", now: PoolNow, terms: PoolTerms, expected: Expected) -> tuple[Vector, Vector]:
    each_s, steps = expected.step_s, len(expected.rates)
    servers = _servers(tried, steps, each_s, now, terms)
    rates = np.array(expected.rates)
    misses = np.zeros(len(tried))
    for weight, times in _futures(expected):
        misses += weight * _late(servers, rates * times, now, terms, each_s)
    hours = tried * (steps * each_s) / HOUR_S
    return hours * terms.price_per_hour + misses * terms.cost_of_a_miss(now.service_s), misses


def _futures(expected: Expected) -> tuple[tuple[float, float], ...]:
    """Return what may come, as weights and multiples of the expected rate."""
    if not expected.spread:
        return ((1.0, 1.0),)
    return tuple((weight, max(0.0, 1 + bands * expected.spread)) for weight, bands in CHANCES)


def _late(servers: Matrix, rates: Vector, now: PoolNow, terms: PoolTerms, each_s: float) -> Vector:
    aim_s = max(each_s, AIM * terms.promise.wait_s)
    in_line = late_in_line(servers, rates, now, step_s=each_s, waits_s=(aim_s, terms.promise.wait_s))
    by_chance: Vector = late_by_chance(servers, rates, now, step_s=each_s, wait_s=aim_s)
    return in_line + by_chance


def _servers(tried: "np.ndarray", steps: int, each_s: float, now: PoolNow, terms: PoolTerms) -> Matrix:
    """Return the slots that work in each step, if the pool were to have so many replicas."""
    begins = (np.arange(steps) + 0.5) * each_s
    starting = np.sort(np.array(now.starting_s)) if now.starting_s else np.zeros(0)
    there = now.ready + np.searchsorted(starting, begins, side="right")
    kept = np.minimum(tried[:, None], there[None, :])
    ordered = np.maximum(tried - now.replicas, 0)[:, None] * (begins >= terms.lead_s)[None, :]
    servers: Matrix = (kept + ordered) * float(terms.slots)
    return servers


def _reasons(replicas: int, misses: float, now: PoolNow, terms: PoolTerms, expected: Expected) -> tuple[str, ...]:
    work = max(expected.rates) * now.service_s
    back = ("callers found no worker, and are expected back",) if now.expects_callers else ()
    return (
        *back,
        f"{work:.1f} s of work come in a second at most",
        f"{now.waiting_work_s:.0f} s of work wait",
        f"{_replicas(now.ready)} ready, {len(now.starting_s)} start; one more works after {terms.lead_s:.0f} s",
        f"with {replicas}, {misses:.1f} requests are expected to wait longer than is planned for,"
        f" {100 * AIM:g} % of the promised {terms.promise.wait_s:g} s",
    )


def _replicas(count: int) -> str:
    return "1 replica is" if count == 1 else f"{count} replicas are"


def buffered(now: PoolNow, terms: PoolTerms, expected: Expected) -> int:
    """Return the replicas with which the promise of a day survives the spike that the pool is to absorb.

    Until help comes, what is there must do. Then there is as much more as a policy orders that sees the spike.
    """
    spike = terms.spike
    if spike is None or not expected.usual_rate:
        return terms.least
    rate = expected.usual_rate * spike.times
    allowed = SPIKES_SHARE * (1 - terms.promise.share) * expected.per_day / spike.per_day
    enough = int(np.ceil(rate * now.service_s / terms.slots)) + 1
    low = min(terms.least, enough)
    tried = np.unique(np.linspace(low, enough, min(TRIED, enough - low + 1)).round().astype(int))
    steps = len(expected.rates)
    helped = (np.arange(steps) + 0.5) * expected.step_s >= terms.lead_s + NOTICED_AFTER_S
    servers = np.where(helped[None, :], max(enough * CATCHES_UP, 1), tried[:, None]) * float(terms.slots)
    calm = PoolNow(now.at_s, service_s=now.service_s, service_spread=now.service_spread)
    wait_s = terms.promise.wait_s
    late = late_in_line(servers, np.full(steps, rate), calm, step_s=expected.step_s, waits_s=(wait_s, wait_s))
    return int(tried[int(np.argmax(late <= max(allowed, late[-1])))])
