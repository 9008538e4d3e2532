"""The known workers, models and waiting work at the moment when homes are chosen."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from inference.tiers.routes import version_of_queue

DEFAULT_POOL = "default"
"""The pool of models that have no pool of their own."""


class Strategy(StrEnum):
    """The rule by which the home of a model is chosen."""

    STICKY = "sticky"
    """The worker that begins soonest, including the load and the cost of models that have to leave for it."""
    LEAST_OUTSTANDING = "least-outstanding"
    """The worker that holds the fewest pages."""
    RESPONSE_TIME = "response-time"
    """The worker that has an answer ready soonest, whatever has to leave for it."""
    RANDOM = "random"
    """No home: every worker takes pages from every queue. The other strategies are measured against this one."""


class Reason(StrEnum):
    """The reason for a worker, for logs and counts. The first that applies is given."""

    RANDOM = "random"
    NO_REDIS = "no_redis"
    """The other workers are unknown, and work waits."""
    LOAD_FAILED = "load_failed"
    """No worker can load the model, so a worker must report the reason to the waiting callers."""
    TOO_LARGE = "too_large"
    """No worker has the memory, and none came for a while, so a worker must report it to the waiting callers."""
    ONE_FILE_AT_A_TIME = "one_file_at_a_time"
    """No worker has the memory for all files together. This one has it for each, so the files take turns."""
    SECOND_WORKER = "second_worker"
    HANDED_OVER = "handed_over"
    """The only workers that hold the model drain, and it was used a moment ago."""
    WORKER_LOST = "worker_lost"
    SPARE_MEMORY = "spare_memory"
    ONLY_CANDIDATE = "only_candidate"
    """No other worker could take the model."""
    MEMORY_FIT = "memory_fit"
    """Fewer models have to leave than on other workers."""
    LOAD_CHEAPEST = "load_cheapest"
    LEAST_LOADED = "least_loaded"
    FASTEST = "fastest"
    TIE = "tie"
    """The workers did not differ, so a hash decided."""


@dataclass(frozen=True, slots=True)
class Model:
    """A version that may be requested, or that work still waits for, in one of the pools that serve it."""

    key: str
    """The key of its queue: that of the version, with the name of the pool outside of the model's own pool."""
    version_id: int
    files: Mapping[str, int]
    """The bytes in memory by the digest of the file, measured or estimated. Versions may share files."""
    load_s: float
    """The time to load all its files: measured if some worker has loaded it, otherwise estimated."""
    pool: str = DEFAULT_POOL
    dedicated: bool = False
    """Set if only workers that name the pool serve it."""
    strategy: Strategy = Strategy.STICKY
    min_bytes: int = 0
    """The bytes that the model takes at least, if `files` are estimates."""
    min_in_turns_bytes: int = 0
    """The bytes that the largest of its files takes at least."""
    warm: bool = True
    """The model is to be held without demand if memory is spare."""
    current: bool = True
    """The version answers under its model's name. Other versions are requested by number."""
    wanted: bool = True
    """A value of False marks a retired version that no work waits for any more, but some worker still holds."""

    @property
    def version_key(self) -> str:
        """Return the key under which workers hold it. Its files are in memory once, whatever queues need them."""
        return version_of_queue(self.key)

    @property
    def needed_bytes(self) -> int:
        return sum(self.files.values())

    def may_fit(self, budget_bytes: int) -> bool:
        """Return whether the model may fit. An estimate is never a reason not to try."""
        return (self.min_bytes or self.needed_bytes) <= budget_bytes

    def may_fit_in_turns(self, budget_bytes: int) -> bool:
        """Return whether it may fit one file at a time, as the steps of a page need them."""
        return (self.min_in_turns_bytes or max(self.files.values(), default=0)) <= budget_bytes


@dataclass(frozen=True, slots=True)
class Held:
    """A model in a worker's memory."""

    held_s: float
    """Seconds since the model was loaded."""
    idle_s: float
    """Seconds since its last page."""
    load_s: float


@dataclass(frozen=True, slots=True)
class Worker:
    name: str
    budget_bytes: int
    free_bytes: int
    files: Mapping[str, int] = field(default_factory=dict)
    """The bytes of the files in its memory, by digest."""
    held: Mapping[str, Held] = field(default_factory=dict)
    """Models that the worker holds and serves. Models that are about to leave are not included."""
    loading: frozenset[str] = frozenset()
    failed: frozenset[str] = frozenset()
    """Models that the worker failed to load a moment ago."""
    pools: frozenset[str] = frozenset()
    """The pools that the worker serves. An empty set means all pools."""
    slots: int = 1
    outstanding: int = 0
    """The number of pages that the worker has taken from queues and not ended."""
    service_s: Mapping[str, float] = field(default_factory=dict)
    """The recent time from a page's start to its end, by model."""
    draining: bool = False
    silent_s: float = 0.0
    stuck: bool = False
    """The worker is alive but no longer checks what it should hold."""

    def serves(self, pool: str, *, dedicated: bool = False) -> bool:
        return serves(self.pools, pool, dedicated=dedicated)

    def is_open_to(self, pool: str, *, dedicated: bool = False) -> bool:
        return not self.draining and self.serves(pool, dedicated=dedicated)

    def is_home_of(self, model: Model) -> bool:
        return self.is_open_to(model.pool, dedicated=model.dedicated) and model.version_key in self.held

    @property
    def mean_service_s(self) -> float:
        return sum(self.service_s.values()) / len(self.service_s) if self.service_s else 0.0


def serves(pools: Collection[str], pool: str, *, dedicated: bool = False) -> bool:
    """Return whether a worker of these pools serves one. A worker that names none serves all but dedicated ones."""
    return pool in pools or not (pools or dedicated)


@dataclass(frozen=True, slots=True)
class Demand:
    """Work that waits for a model."""

    waiting: int
    oldest_s: float


NO_DEMAND = Demand(0, 0.0)


def added_up(demands: Iterable[tuple[str, Demand]]) -> dict[str, Demand]:
    """Add up the demands of each key."""
    total: dict[str, Demand] = {}
    for key, demand in demands:
        before = total.get(key, NO_DEMAND)
        total[key] = Demand(before.waiting + demand.waiting, max(before.oldest_s, demand.oldest_s))
    return total


@dataclass(frozen=True, slots=True)
class Snapshot:
    workers: tuple[Worker, ...]
    models: tuple[Model, ...]
    demand: Mapping[str, Demand] = field(default_factory=dict)
    lost: frozenset[str] = frozenset()
    """Models whose home was alive a moment ago and is not alive now."""
    alone: bool = False
    """Redis is unavailable, so nothing is known of the other workers."""
    returning: bool = False
    """Redis is available again, but not every worker has been seen yet. No model is taken meanwhile."""

    def waiting_for(self, key: str) -> Demand:
        return self.demand.get(key, NO_DEMAND)

    def worker(self, name: str) -> Worker | None:
        return next((worker for worker in self.workers if worker.name == name), None)
