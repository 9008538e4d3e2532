"""The seconds of work that wait and run in each pool, by kind and priority, and how much its workers can do.

A second of work is one that occupies a whole worker. So what the workers of a pool can do in a second is their number.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from inference.tiers.routes import version_of_queue

DEFAULT_POOL = "default"
PAGES, CALLS, BATCHES = "pages", "calls", "batches"
UNKNOWN_S = 1.0
"""The seconds of a piece of a model that has never run."""
WEIGHT, WEIGHT_OF_FAR, FAR = 0.02, 0.2, 0.5
"""The weight of the latest look in an average, and that of a look which differs by more than this share.

The average is to be calm: a pool that follows the chance in its last pieces turns more often, and costs more.
"""


@dataclass(frozen=True, slots=True)
class Waiting:
    """Pieces of work of one kind and priority that wait for a model."""

    key: str
    kind: str
    priority: str
    pieces: int
    oldest_s: float = 0.0
    held: int = 0
    """The pieces among them that no worker may take now: their account is suspended, or has as many as it may have."""


@dataclass(frozen=True, slots=True)
class WorkerNow:
    """A worker at one moment, as its heartbeat tells."""

    name: str
    start_id: str
    """The id of its process. Its counts begin anew with another."""
    pools: frozenset[str] = frozenset()
    slots: int = 1
    ready: bool = True
    """Set if it takes work. One that loads its first model, drains or is stuck does not."""
    starting: bool = False
    running: Mapping[str, int] = field(default_factory=dict)
    """The pieces that it works on, by model."""
    done: Mapping[str, int] = field(default_factory=dict)
    """The pieces that it has done since it started, by model."""
    service_s: Mapping[str, float] = field(default_factory=dict)
    """The recent seconds from the start of a piece to its end, by model."""

    @property
    def served_pools(self) -> frozenset[str]:
        return self.pools or frozenset({DEFAULT_POOL})


@dataclass(frozen=True, slots=True)
class ModelNow:
    key: str
    pool: str
    load_s: float


@dataclass(frozen=True, slots=True)
class Part:
    """The waiting work of one kind and priority."""

    kind: str
    priority: str
    pieces: int
    work_s: float
    oldest_wait_s: float
    held: int = 0
    held_work_s: float = 0.0


@dataclass(frozen=True, slots=True)
class ModelWork:
    key: str
    waiting: int
    running: int
    work_s: float
    """The seconds of work that wait."""
    piece_s: float
    load_s: float


@dataclass(frozen=True, slots=True)
class PoolSignal:
    pool: str
    parts: tuple[Part, ...] = ()
    models: tuple[ModelWork, ...] = ()
    ready: int = 0
    starting: int = 0
    """The workers that are alive and do not take work yet."""
    came: int = 0
    """The pieces that have come since the last look, batches not counted: those wait for spare capacity."""
    sent_away: bool = False
    """Set if calls came since the last look, and no worker takes work."""
    running_work_s: float = 0.0
    load_s: float = 0.0
    """The longest load of a model that has work."""
    piece_s: float = UNKNOWN_S
    """The mean work of a piece."""

    @property
    def waiting_work_s(self) -> float:
        return sum(part.work_s for part in self.parts)

    @property
    def oldest_wait_s(self) -> float:
        return max((part.oldest_wait_s for part in self.parts), default=0.0)

    @property
    def prompt_work_s(self) -> float:
        """Return the waiting work that more workers would begin sooner: not that of batches, and none that is held."""
        return sum(part.work_s - part.held_work_s for part in self.parts if part.kind != BATCHES)

    @property
    def prompt_wait_s(self) -> float:
        prompt = (part for part in self.parts if part.kind != BATCHES and part.held < part.pieces)
        return max((part.oldest_wait_s for part in prompt), default=0.0)


class Costs:
    """The seconds of work of a piece of each model, learned from what workers tell."""

    def __init__(self) -> None:
        self._piece_s: dict[str, float] = {}
        self._of_pools_s: dict[str, float] = {}

    def learn(self, workers: Iterable[WorkerNow]) -> None:
        """Learn from the workers that work: with so many pieces at once, each takes that part of its time (Little)."""
        seen: dict[str, list[float]] = {}
        for worker in workers:
            at_once = min(max(1, sum(worker.running.values())), worker.slots)
            for key in worker.running:
                if key in worker.service_s:
                    seen.setdefault(key, []).append(worker.service_s[key] / at_once)
            for key in worker.service_s.keys() - self._piece_s.keys() - seen.keys():
                self._piece_s[key] = worker.service_s[key] / worker.slots
        for key, found in seen.items():
            mean_s = sum(found) / len(found)
            before_s = self._piece_s.get(key, mean_s)
            self._piece_s[key] = learned(before_s, mean_s)

    def of(self, key: str) -> float:
        """Return the seconds of a piece. In a pool where none has run yet, it is that of the model's own pool."""
        return self._piece_s.get(key) or self._piece_s.get(version_of_queue(key), UNKNOWN_S)

    def of_pool(self, pool: str, pieces: Mapping[str, int]) -> float:
        """Return the mean of so many pieces of its models. Without any, it is what it was when there were some."""
        total = sum(pieces.values())
        if total:
            self._of_pools_s[pool] = sum(self.of(key) * count for key, count in pieces.items()) / total
        return self._of_pools_s.get(pool, UNKNOWN_S)


def learned(before_s: float, mean_s: float, *, looks: float = 1.0) -> float:
    """Return an average after so many looks that see the same."""
    while looks > 0 and abs(mean_s - before_s) > FAR * before_s:
        before_s = _nearer(before_s, mean_s, WEIGHT_OF_FAR, min(1.0, looks))
        looks -= 1
    return _nearer(before_s, mean_s, WEIGHT, max(0.0, looks))


def _nearer(before_s: float, mean_s: float, weight: float, looks: float) -> float:
    kept: float = (1 - weight) ** looks
    return mean_s + kept * (before_s - mean_s)


class Arrivals:
    """The pieces that came for each model between two looks: those that were done, and those that are here now more.

    A piece that a worker has begun since its heartbeat is not seen. It would count as one that came when it is seen
    again. So it must be missing from what came: a number below zero counts in the next look.
    """

    def __init__(self) -> None:
        self._done: dict[str, tuple[str, Mapping[str, int]]] = {}
        self._here: dict[str, int] | None = None
        self._unseen: dict[str, int] = {}

    def since_last(
        self, waiting: Iterable[Waiting], workers: Collection[WorkerNow], unserved: Mapping[str, int]
    ) -> dict[str, int]:
        """Return what came, by model. `unserved` are the calls that no worker served, some of which have ended."""
        here: dict[str, int] = {}
        for one in waiting:
            if one.kind != BATCHES:
                here[one.key] = here.get(one.key, 0) + one.pieces
        done: dict[str, int] = {}
        for worker in workers:
            start_id, before = self._done.get(worker.name, (worker.start_id, worker.done))
            before = before if start_id == worker.start_id else {}
            for key, count in worker.done.items():
                done[key] = done.get(key, 0) + count - before.get(key, 0)
            for key, count in worker.running.items():
                here[key] = here.get(key, 0) + count
        self._done = {worker.name: (worker.start_id, worker.done) for worker in workers}
        before_here, self._here = self._here, here
        if before_here is None:
            return dict(unserved)
        keys = done.keys() | here.keys() | before_here.keys()
        grown = {key: done.get(key, 0) + here.get(key, 0) - before_here.get(key, 0) for key in keys}
        came = {key: count + self._unseen.get(key, 0) for key, count in grown.items()}
        # For one look only: what was canceled does not come again.
        self._unseen = {key: count for key, count in grown.items() if count < 0}
        for key, count in unserved.items():
            came[key] = max(came.get(key, 0), count)
        return {key: count for key, count in came.items() if count > 0}


@dataclass(frozen=True, slots=True)
class FleetNow:
    """All models, their waiting work and their workers at one moment."""

    models: Sequence[ModelNow]
    waiting: Sequence[Waiting]
    workers: Sequence[WorkerNow]
    came: Mapping[str, int] = field(default_factory=dict)
    """The pieces that came since the last look, by model."""
    unserved: frozenset[str] = frozenset()
    """The models for which calls came since the last look while no worker served them."""

    def of(self, pool: str) -> "FleetNow":
        """Return the part of a pool. Work of unknown models is that of the default pool."""
        pool_of = {model.key: model.pool for model in self.models}
        return FleetNow(
            [model for model in self.models if model.pool == pool],
            [one for one in self.waiting if pool_of.get(one.key, DEFAULT_POOL) == pool],
            [worker for worker in self.workers if pool in worker.served_pools],
            {key: count for key, count in self.came.items() if pool_of.get(key, DEFAULT_POOL) == pool},
            frozenset(key for key in self.unserved if pool_of.get(key, DEFAULT_POOL) == pool),
        )

    def running(self, keys: Collection[str]) -> dict[str, int]:
        found: dict[str, int] = {}
        for worker in self.workers:
            for key in worker.running.keys() & keys:
                found[key] = found.get(key, 0) + worker.running[key]
        return found


def pool_signals(fleet: FleetNow, costs: Costs, known: Iterable[str] = ()) -> dict[str, PoolSignal]:
    """Return the signal of every known pool, of every pool that has a model or a worker, and of the default pool."""
    pools = {DEFAULT_POOL, *known, *(model.pool for model in fleet.models)}
    pools.update(pool for worker in fleet.workers for pool in worker.served_pools)
    return {pool: _signal(pool, fleet, costs) for pool in sorted(pools)}


def _signal(pool: str, fleet: FleetNow, costs: Costs) -> PoolSignal:
    own = fleet.of(pool)
    models = {model.key: model for model in own.models}
    # A worker without pools of its own takes work of any pool.
    running = fleet.running(models.keys())
    with_work = {*running, *(one.key for one in own.waiting if one.pieces)}
    found = [_model(key, models, own.waiting, running.get(key, 0), costs) for key in sorted(with_work)]
    pieces = own.came or {work.key: work.waiting + work.running for work in found}
    return PoolSignal(
        pool,
        parts=_parts(own.waiting, costs),
        models=tuple(found),
        ready=sum(worker.ready for worker in own.workers),
        starting=sum(worker.starting for worker in own.workers),
        came=sum(own.came.values()),
        sent_away=bool(own.unserved) and not any(worker.ready for worker in own.workers),
        # What runs is half done on average.
        running_work_s=sum(count * costs.of(key) for key, count in running.items()) / 2,
        load_s=max((work.load_s for work in found), default=max((one.load_s for one in own.models), default=0.0)),
        piece_s=costs.of_pool(pool, pieces),
    )


def _model(
    key: str, models: Mapping[str, ModelNow], waiting: Sequence[Waiting], running: int, costs: Costs
) -> ModelWork:
    pieces = sum(one.pieces for one in waiting if one.key == key)
    piece_s = costs.of(key)
    load_s = models[key].load_s if key in models else 0.0
    return ModelWork(key, pieces, running, pieces * piece_s, piece_s, load_s)


def _parts(waiting: Sequence[Waiting], costs: Costs) -> tuple[Part, ...]:
    found: dict[tuple[str, str], list[Waiting]] = {}
    for one in waiting:
        if one.pieces:
            found.setdefault((one.kind, one.priority), []).append(one)
    return tuple(
        Part(
            kind,
            priority,
            sum(one.pieces for one in ones),
            sum(one.pieces * costs.of(one.key) for one in ones),
            max(one.oldest_s for one in ones),
            sum(one.held for one in ones),
            sum(one.held * costs.of(one.key) for one in ones),
        )
        for (kind, priority), ones in sorted(found.items())
    )
