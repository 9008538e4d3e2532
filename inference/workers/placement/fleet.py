"""What is known of workers, models and waiting work at the moment that homes are chosen."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

DEFAULT_POOL = "default"
"""Of models that are in no pool of their own."""


class Strategy(StrEnum):
    """By what the home of a model is chosen."""

    STICKY = "sticky"
    """What begins soonest, loads and what has to leave for it included."""
    LEAST_OUTSTANDING = "least-outstanding"
    """Whoever holds the fewest pages."""
    RESPONSE_TIME = "response-time"
    """Where an answer is ready soonest, whatever has to leave for it."""
    RANDOM = "random"
    """No home: every worker takes from every queue, the control that others are measured against."""


class Reason(StrEnum):
    """What decided for a worker; the first that applies, for logs and counts."""

    RANDOM = "random"
    NO_REDIS = "no_redis"
    """The others cannot be asked, and somebody waits."""
    LOAD_FAILED = "load_failed"
    """No worker can load it: somebody must tell those who wait why."""
    TOO_LARGE = "too_large"
    """No worker has the memory, and none came for a while: somebody must tell those who wait."""
    IN_TURNS = "in_turns"
    """No worker has the memory for all of its files together, and this one has it for each: they take turns."""
    SECOND_HOME = "second_home"
    HOME_LOST = "home_lost"
    SPARE_MEMORY = "spare_memory"
    ONLY_ONE = "only_one"
    """No other worker could take it."""
    MEMORY_FIT = "memory_fit"
    """Less has to leave than elsewhere."""
    LOAD_CHEAPEST = "load_cheapest"
    LEAST_LOADED = "least_loaded"
    FASTEST = "fastest"
    EVEN = "even"
    """Nothing told the workers apart; a hash did."""


@dataclass(frozen=True, slots=True)
class Model:
    """A version that may be asked for, or that work still waits for."""

    key: str
    version_id: int
    files: Mapping[str, int]
    """Bytes in memory by the digest of the file, measured or guessed; versions may share some."""
    load_s: float
    """Of all its files; measured where some worker has loaded it, else estimated."""
    pool: str = DEFAULT_POOL
    strategy: Strategy = Strategy.STICKY
    least_bytes: int = 0
    """Where `files` are guesses: what it takes at any rate."""
    least_in_turns_bytes: int = 0
    """And what the largest of its files takes at any rate."""
    warm: bool = True
    """To be held without demand where memory is spare."""
    current: bool = True
    """It answers under its model's name; others are asked for by number."""
    wanted: bool = True
    """False for a retired one that nobody waits for any more, but somebody still holds."""

    @property
    def needed_bytes(self) -> int:
        return sum(self.files.values())

    def may_fit(self, budget_bytes: int) -> bool:
        """No guess is a reason not to try."""
        return (self.least_bytes or self.needed_bytes) <= budget_bytes

    def may_fit_in_turns(self, budget_bytes: int) -> bool:
        """One file at a time, as the steps of a page need them."""
        return (self.least_in_turns_bytes or max(self.files.values(), default=0)) <= budget_bytes


@dataclass(frozen=True, slots=True)
class Held:
    """A model in a worker's memory."""

    held_s: float
    """Since it was loaded."""
    idle_s: float
    """Since its last page."""
    load_s: float


@dataclass(frozen=True, slots=True)
class Worker:
    name: str
    budget_bytes: int
    free_bytes: int
    files: Mapping[str, int] = field(default_factory=dict)
    """What is in its memory, by digest."""
    held: Mapping[str, Held] = field(default_factory=dict)
    """Models that it holds and serves; what is about to leave is not among them."""
    loading: frozenset[str] = frozenset()
    failed: frozenset[str] = frozenset()
    """Models that it tried to load a moment ago, and could not."""
    pools: frozenset[str] = frozenset()
    """Empty for all."""
    slots: int = 1
    outstanding: int = 0
    """Pages that it has taken from queues and not ended."""
    service_s: Mapping[str, float] = field(default_factory=dict)
    """Time from a page's start to its end, lately, by model."""
    draining: bool = False
    silent_s: float = 0.0
    stuck: bool = False
    """It lives, and does not look what it should hold."""

    def serves(self, pool: str) -> bool:
        return not self.pools or pool in self.pools

    def is_open_to(self, pool: str) -> bool:
        return not self.draining and self.serves(pool)

    def is_home_of(self, model: Model) -> bool:
        return self.is_open_to(model.pool) and model.key in self.held

    @property
    def mean_service_s(self) -> float:
        return sum(self.service_s.values()) / len(self.service_s) if self.service_s else 0.0


@dataclass(frozen=True, slots=True)
class Demand:
    """Work that waits for a model."""

    waiting: int
    oldest_s: float


NO_DEMAND = Demand(0, 0.0)


@dataclass(frozen=True, slots=True)
class Snapshot:
    workers: tuple[Worker, ...]
    models: tuple[Model, ...]
    demand: Mapping[str, Demand] = field(default_factory=dict)
    lost: frozenset[str] = frozenset()
    """Models whose home was alive a moment ago and is not now."""
    alone: bool = False
    """Redis is away: of the others nothing is known."""
    returning: bool = False
    """It was, until a moment ago: not everybody has been heard of yet, and nothing is taken."""

    def waiting_for(self, key: str) -> Demand:
        return self.demand.get(key, NO_DEMAND)

    def worker(self, name: str) -> Worker | None:
        return next((worker for worker in self.workers if worker.name == name), None)
