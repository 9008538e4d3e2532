"""A pool of replicas: what it promises, what it costs, how fast it may change, and its state at one moment."""

import math
from dataclasses import dataclass

HOUR_S = 3600.0


@dataclass(frozen=True, slots=True)
class Promise:
    """The share of the requests that begin within a time."""

    share: float = 0.95
    wait_s: float = 30.0

    def __post_init__(self) -> None:
        if not 0 < self.share < 1:
            raise ValueError(f"the share of a promise must be between 0 and 1, not {self.share:g}")
        if not 0 < self.wait_s < math.inf:
            raise ValueError(f"the time of a promise must be a number of seconds above 0, not {self.wait_s:g}")


@dataclass(frozen=True, slots=True)
class Taming:
    """The most that a pool may grow and shrink. Of a number and a share, the larger counts."""

    up: int = 2
    up_share: float = 0.0
    up_every_s: float = 120.0
    down: int = 1
    down_share: float = 0.0
    down_every_s: float = 300.0


@dataclass(frozen=True, slots=True)
class Spike:
    """A rise of the traffic that nobody foresees, which the pool is to absorb within its promise."""

    times: float
    per_day: float = 1.0

    def __post_init__(self) -> None:
        if not 1 < self.times < math.inf:
            raise ValueError(f"a spike must be a multiple above 1, not {self.times:g}")


@dataclass(frozen=True, slots=True)
class PoolTerms:
    """The terms of a pool, which its operator decides."""

    promise: Promise = Promise()
    price_per_hour: float = 1.0
    """The price of a replica."""
    node_start_s: float = 0.0
    load_s: float = 0.0
    slots: int = 1
    """The pieces of work that a replica does at once."""
    least: int = 1
    most: int = 1000
    taming: Taming = Taming()
    spike: Spike | None = None
    missed_cost: float | None = None
    """The cost of a request that begins too late. Without it, see `cost_of_a_miss`."""

    @property
    def lead_s(self) -> float:
        """Return the seconds from the order of a replica to its first work."""
        return self.node_start_s + self.load_s

    def cost_of_a_miss(self, service_s: float) -> float:
        """Return the operator's price of a miss, or a price that makes the promise worth keeping.

        Of a promise to 99 % of the requests, one that is missed uses up what 100 are allowed. So it costs as much as
        100 requests' work.
        """
        if self.missed_cost is not None:
            return self.missed_cost
        return self.price_per_hour * service_s / self.slots / HOUR_S / (1 - self.promise.share)


@dataclass(frozen=True, slots=True)
class PoolNow:
    """A pool at one moment. Work is counted in seconds of one slot."""

    at_s: float
    waiting_work_s: float = 0.0
    oldest_wait_s: float = 0.0
    ready: int = 0
    starting_s: tuple[float, ...] = ()
    """The seconds until each replica that starts or loads is ready."""
    expects_callers: bool = False
    """Set if callers were sent away because there was no replica, and may still come again."""
    service_s: float = 1.0
    """The mean work of a request."""
    service_spread: float = 0.5
    """The standard deviation of that work, as a share of the mean."""

    @property
    def replicas(self) -> int:
        return self.ready + len(self.starting_s)


@dataclass(frozen=True, slots=True)
class Expected:
    """The expected traffic: requests per second at the beginning of each step."""

    step_s: float
    rates: tuple[float, ...]
    spread: float = 0.0
    """The error of past predictions, as a share of the rate."""
    usual_rate: float = 0.0
    """The rate of the last hour, whatever happens at the moment."""
    per_day: float = 0.0
    """The requests of a day."""
    later: tuple[float, ...] = ()
    """The highest rate in each time in which the pool may grow once, from when a replica ordered now would work. Empty
    unless the traffic of a week ago is expected.
    """


@dataclass(frozen=True, slots=True)
class Wanted:
    """The number of replicas that a pool is to have, and why."""

    replicas: int
    needed: int
    """The number before the limits of the pool."""
    reasons: tuple[str, ...]
    soon: int = 0
    """The number that is foreseen to be needed so soon that the pool, if it had fewer, would grow again at once."""
