"""Runs one pool over time: a policy sees what it would see of a real one and orders replicas, and requests wait."""

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from inference.scaling.pool import HOUR_S, PoolNow, PoolTerms
from jobs.simulation.line import Line, Numbers
from jobs.simulation.mixed_line import MixedLine
from jobs.simulation.model_kinds import Details

SPOT_NOTICE_S = 30.0
HISTORY_POINTS = 2000
LONGEST_TAIL_S = 86_400.0
"""The seconds after the last arrival within which the line must be empty, or the rest counts as missed."""


@dataclass(frozen=True, slots=True)
class Seen:
    """The view of a pool that a policy has at one moment."""

    now: PoolNow
    since_s: float
    came: int
    """The requests since then."""
    waits: Numbers
    """The waits of the requests that have begun since then."""


class Policy(Protocol):
    def first(self) -> int:
        """Return how many replicas there are at the beginning."""

    def wanted(self, seen: Seen) -> int:
        """Return how many there are to be."""


@dataclass(frozen=True, slots=True)
class PoolTrace:
    """The requests of a pool, and what the pool is."""

    name: str
    arrivals: Numbers
    """Times in seconds, in order."""
    work: Numbers
    """Seconds of a slot."""
    terms: PoolTerms
    ends_s: float
    stands_for: int = 1
    """The real requests and replicas that each of these stands for."""
    spot_losses_per_hour: float = 0.0
    details: Details | None = None
    """The models and callers of the requests, if they decide what is next."""

    def __post_init__(self) -> None:
        if len(self.arrivals) != len(self.work):
            raise ValueError(f"{len(self.arrivals)} arrivals have {len(self.work)} amounts of work")

    @property
    def mean_work_s(self) -> float:
        return float(self.work.mean()) if len(self.work) else 1.0


@dataclass(frozen=True, slots=True)
class Moment:
    at_s: float
    wanted: int
    ready: int
    waiting_work_s: float


@dataclass(frozen=True, slots=True)
class Target:
    """The target of an autoscaler of Kubernetes that was chosen for a run."""

    wait_s: float
    is_equal: bool
    """Set if it misses no more promises than the product's policy. Otherwise the target is the one with the fewest."""


@dataclass(slots=True)
class PoolRun:
    """The result of a run: the wait of each request, and what the replicas cost."""

    trace: PoolTrace
    waits: Numbers
    counts: list[tuple[float, int]]
    """The times at which the number of replicas changed, and the number from then on."""
    replica_s: float = 0.0
    turned: list[float] = field(default_factory=list)
    """The times at which the pool began to grow or to shrink after the opposite."""
    lost: int = 0
    """The replicas that were lost."""
    moments: list[Moment] = field(default_factory=list)
    target: "Target | None" = None

    @property
    def peak(self) -> int:
        return max(count for _, count in self.counts)

    @property
    def missed(self) -> int:
        late = int((self.waits > self.trace.terms.promise.wait_s).sum())
        return late + len(self.trace.arrivals) - len(self.waits)

    @property
    def replica_hours(self) -> float:
        return self.replica_s / HOUR_S * self.trace.stands_for

    @property
    def cost(self) -> float:
        return self.replica_hours * self.trace.terms.price_per_hour


class Replicas:
    """The replicas of a pool: ready ones as slots of its line, others by the time at which they will be."""

    def __init__(self, line: Line | MixedLine, terms: PoolTerms, ready: int) -> None:
        self._line, self._terms = line, terms
        self.starting: list[float] = []
        """The times at which they will be ready, in order."""
        self.drained_s = 0.0
        """The seconds for which replicas went on with their last work after they were given up."""
        for _ in range(ready):
            line.add(0.0)

    @property
    def ready(self) -> int:
        return self._line.replicas

    @property
    def count(self) -> int:
        return self.ready + len(self.starting)

    def become(self, wanted: int, at_s: float) -> None:
        """Order replicas, or give up those that start, then those that have the least work left."""
        more = wanted - self.count
        self.starting += [at_s + self._terms.lead_s] * more
        for _ in range(-more):
            if self.starting:
                self.starting.pop()
            else:
                self.drained_s += max(0.0, self._line.take_away() - at_s)

    def get_ready(self, until_s: float) -> None:
        while self.starting and self.starting[0] <= until_s:
            self._line.add(self.starting.pop(0))

    def lose(self, count: int, at_s: float, rng: np.random.Generator) -> None:
        """Lose replicas by chance. What does not end within the notice begins again elsewhere."""
        self._line.lose(count, at_s + SPOT_NOTICE_S, rng)


class _Run:
    def __init__(self, trace: PoolTrace, policy: Policy, tick_s: float, seed: int) -> None:
        self._trace, self._policy, self._tick_s = trace, policy, tick_s
        self._rng = np.random.default_rng(seed)
        slots = trace.terms.slots
        self._line = (
            Line(trace.arrivals, trace.work, slots)
            if trace.details is None
            else MixedLine(trace.arrivals, trace.work, trace.details, slots)
        )
        self._replicas = Replicas(self._line, trace.terms, policy.first())
        self._moment_every_s = trace.ends_s / HISTORY_POINTS
        self._direction = 0
        self._came = 0
        self.made = PoolRun(trace, np.zeros(0), [(0.0, self._replicas.count)])

    def to_end(self) -> PoolRun:
        at_s, ends_s, waits = 0.0, self._trace.ends_s, list[Numbers]()
        while at_s < ends_s or (self._line.begun < len(self._trace.arrivals) and at_s < ends_s + LONGEST_TAIL_S):
            at_s += self._tick_s
            waits.append(self._tick(at_s))
        # What has begun is done, and paid for.
        self.made.replica_s += self._replicas.drained_s + self._line.left_s(at_s)
        self.made.counts.append((at_s, 0))
        self.made.waits = np.concatenate(waits) if waits else np.zeros(0)
        return self.made

    def _tick(self, at_s: float) -> Numbers:
        replicas = self._replicas
        replicas.get_ready(at_s)
        waits = self._line.run(at_s)
        before = replicas.count
        self.made.replica_s += before * self._tick_s
        now = self._now(at_s)
        came, self._came = self._came, int(np.searchsorted(self._trace.arrivals, at_s))
        wanted = self._policy.wanted(Seen(now, at_s - self._tick_s, self._came - came, waits))
        replicas.become(wanted, at_s)
        self._lose_some(at_s)
        self._note(now, before, wanted)
        return waits

    def _now(self, at_s: float) -> PoolNow:
        waiting_work_s, oldest_s = self._line.waiting(at_s)
        return PoolNow(
            at_s,
            waiting_work_s=waiting_work_s,
            oldest_wait_s=oldest_s,
            ready=self._replicas.ready,
            starting_s=tuple(ready_s - at_s for ready_s in self._replicas.starting),
            service_s=self._line.piece_s,
        )

    def _lose_some(self, at_s: float) -> None:
        per_hour = self._trace.spot_losses_per_hour * self._replicas.ready
        if per_hour:
            count = min(self._replicas.ready, int(self._rng.poisson(per_hour * self._tick_s / HOUR_S)))
            self._replicas.lose(count, at_s, self._rng)
            self.made.lost += count

    def _note(self, now: PoolNow, before: int, wanted: int) -> None:
        made, direction = self.made, (wanted > before) - (wanted < before)
        if direction and self._direction and direction != self._direction:
            made.turned.append(now.at_s)
        self._direction = direction or self._direction
        if self._replicas.count != made.counts[-1][1]:
            made.counts.append((now.at_s, self._replicas.count))
        if not made.moments or now.at_s - made.moments[-1].at_s >= self._moment_every_s:
            made.moments.append(Moment(now.at_s, wanted, now.ready, now.waiting_work_s))


def run_pool(trace: PoolTrace, policy: Policy, *, tick_s: float, seed: int = 1) -> PoolRun:
    """Run all requests. The policy looks every `tick_s`."""
    return _Run(trace, policy, tick_s, seed).to_end()
