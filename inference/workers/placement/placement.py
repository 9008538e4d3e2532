"""The choice of the worker that becomes the home of a model. Every worker that reads the same snapshot gets the same
answer.

A model is served by the workers that hold it. A model that no worker holds is taken by one worker: at once if work
waits for it, otherwise only into spare memory. A model whose work waits longer than its load takes gets one more home.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from inference.tiers.routes import version_of_queue
from inference.workers.placement.eviction import Eviction, Wanted, files_of, missing_bytes, room_on
from inference.workers.placement.fleet import Held, Model, Reason, Snapshot, Strategy, Worker, added_up
from inference.workers.placement.ranking import Option, choose

COLD_AT_ONCE = 2
"""The most models that a worker loads at the same time."""
TELLS_AT_ONCE = 4
"""The most models that a worker takes pages of without holding them, not counting models of a random pool."""
QUEUES_AT_ONCE = 32
"""The most queues of models in memory that a worker consumes. Those of other models follow when work comes."""
SILENT_S = 3.0
"""Seconds of silence after which a worker keeps its models and gets no new ones. It has then missed two heartbeats."""
TOO_LARGE_AFTER_S = 60.0
"""Seconds that a model that fits nowhere waits for a larger worker, which may be starting."""
ALONE_AFTER_S = 10.0
"""Seconds that a cold model waits for Redis to come back, since several workers may take it meanwhile."""
HOT_FLOOR_S = 1.0
"""The shortest wait for a second home, in seconds. An expected wait must be longer than an observed one by this."""
HOT_WAITING = 2
SETTLES_S = 5.0
"""Seconds that a new home has to shorten the queue before the model gets another home."""
SPARED_IDLE_S = 30.0
"""Seconds since its last page within which a model is not evicted for a second home of another model."""
RECENT_IDLE_S = 60.0
"""Seconds since its last use within which the model of a worker that drains is given another home."""
SPARE_SHARE = 0.05
"""The share of the memory not filled without demand, since sizes are estimates until a model was loaded once."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision that a worker takes a model for a reason and evicts other models for it."""

    model: Model
    worker: str
    reason: Reason
    leave: tuple[str, ...] = ()

    @property
    def to_load(self) -> bool:
        """Return whether the worker loads the model now, rather than only taking pages of it."""
        return self.reason not in {
            Reason.LOAD_FAILED,
            Reason.TOO_LARGE,
            Reason.RANDOM,
            Reason.ONE_FILE_AT_A_TIME,
        }


@dataclass(frozen=True, slots=True)
class Plan:
    """The actions of one worker at this moment."""

    consume: frozenset[str]
    """Models whose queues the worker takes pages from, unless it evicts them meanwhile."""
    load: tuple[Decision, ...]
    unheld: tuple[Decision, ...]
    """The decisions to consume queues of models that the worker does not hold."""
    hand_over: frozenset[str] = frozenset()
    """Models whose calls the worker goes on serving while it drains, until another worker holds them."""


def plan_for(name: str, snapshot: Snapshot) -> Plan:
    me = snapshot.worker(name)
    if me is None:
        return Plan(frozenset(), (), ())
    if me.draining:
        return Plan(frozenset(), (), (), _to_hand_over(me, snapshot))
    mine = [decision for decision in place(snapshot) if decision.worker == name]
    load = tuple(decision for decision in mine if decision.to_load)
    homeless = [decision for decision in mine if not decision.to_load][:TELLS_AT_ONCE]
    unheld = (*homeless, *_at_random(me, snapshot.models))
    consume = _held_to_consume(me, snapshot) | {decision.model.key for decision in unheld}
    return Plan(consume, load, unheld)


def _held_to_consume(me: Worker, snapshot: Snapshot) -> frozenset[str]:
    """Return the held models whose queues to consume. Each costs a thread: the busiest are chosen."""

    def turn(model: Model) -> tuple[float, float, str]:
        return -snapshot.waiting_for(model.key).oldest_s, me.held[model.version_key].idle_s, model.key

    held = [model for model in snapshot.models if model.wanted and model.version_key in me.held and _serves(me, model)]
    return frozenset(model.key for model in sorted(held, key=turn)[:QUEUES_AT_ONCE])


def _to_hand_over(me: Worker, snapshot: Snapshot) -> frozenset[str]:
    if snapshot.alone:
        return frozenset()
    return frozenset(
        model.key
        for model in snapshot.models
        if model.version_key in me.held
        and is_left_behind(model, snapshot)
        and any(_may_take_over(worker, model) for worker in snapshot.workers)
    )


def is_left_behind(model: Model, snapshot: Snapshot) -> bool:
    """Return whether a model in use is held only by workers that drain."""
    if not model.wanted or model.strategy is Strategy.RANDOM:
        return False
    homes = [worker for worker in snapshot.workers if _serves(worker, model) and model.version_key in worker.held]
    return all(worker.draining for worker in homes) and any(
        worker.held[model.version_key].idle_s <= RECENT_IDLE_S for worker in homes
    )


def _may_take_over(worker: Worker, model: Model) -> bool:
    able = model.may_fit(worker.budget_bytes) and model.version_key not in worker.failed
    return able and not worker.draining and _serves(worker, model) and _takes_more(worker)


def place(snapshot: Snapshot) -> tuple[Decision, ...]:
    """Return all new homes of this moment."""
    if snapshot.returning:
        return ()
    board = _Board(snapshot)
    placed = [model for model in snapshot.models if model.wanted and model.strategy is not Strategy.RANDOM]
    waited = sorted(placed, key=lambda model: (-snapshot.waiting_for(model.key).oldest_s, model.key))
    made: list[Decision | None] = []
    for model in waited:
        if snapshot.waiting_for(model.key).waiting:
            made.append(board.second_home(model) if board.homes_of(model) else board.first_home(model))
    for model in waited:
        if is_left_behind(model, snapshot) and not snapshot.waiting_for(model.key).waiting:
            made.append(None if board.homes_of(model) else board.next_home(model))
    for model in sorted(
        placed, key=lambda model: (model.version_key not in snapshot.lost, not model.current, model.key)
    ):
        if model.warm and not snapshot.alone and not snapshot.waiting_for(model.key).waiting:
            made.append(None if board.homes_of(model) else board.spare_home(model))
    return tuple(decision for decision in made if decision is not None)


def _at_random(me: Worker, models: Iterable[Model]) -> Iterator[Decision]:
    for model in models:
        fits = model.may_fit_in_turns(me.budget_bytes)
        if model.wanted and model.strategy is Strategy.RANDOM and _serves(me, model) and fits:
            yield Decision(model, me.name, Reason.RANDOM)


class _Board:
    """The snapshot plus the homes chosen so far. Each takes memory and time that the next choice cannot have."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._models = {model.key: model for model in snapshot.models}
        self._demand = added_up((version_of_queue(key), demand) for key, demand in snapshot.demand.items())
        """The work that waits for each version, in all of its queues."""
        self._workers = {
            worker.name: self._with_room_told(worker) for worker in snapshot.workers if not worker.draining
        }
        self._extra_s = dict.fromkeys(self._workers, 0.0)
        self._given_up: set[tuple[str, str]] = set()

    def homes_of(self, model: Model) -> list[Worker]:
        """Return the workers that hold the model or are about to."""
        key = model.version_key
        return [worker for worker in self._serving(model) if key in worker.held or key in worker.loading]

    def first_home(self, model: Model) -> Decision | None:
        oldest_s = self._snapshot.waiting_for(model.key).oldest_s
        serving = self._serving(model)
        if not serving:
            return None
        large = [worker for worker in serving if model.may_fit_in_turns(worker.budget_bytes)]
        if not large:
            late = oldest_s > TOO_LARGE_AFTER_S
            return self._to_tell(model, serving, Reason.TOO_LARGE) if late else None
        able = [worker for worker in large if model.version_key not in worker.failed]
        if not able:
            return self._to_tell(model, serving, Reason.LOAD_FAILED)
        if self._snapshot.alone and oldest_s < ALONE_AFTER_S:
            return None
        if not any(model.may_fit(worker.budget_bytes) for worker in able):
            return self._in_turns(model, able)
        reason = Reason.NO_REDIS if self._snapshot.alone else None
        if model.version_key in self._snapshot.lost:
            reason = reason or Reason.WORKER_LOST
        return self._settle(model, able, Wanted(model, oldest_s), reason)

    def _in_turns(self, model: Model, able: list[Worker]) -> Decision | None:
        """Return the worker where a model whose files take turns in memory begins soonest, anew at every look."""
        options = [self._as_option(model, worker, Eviction((), 0.0)) for worker in able if _takes_more(worker)]
        if not options:
            return None
        best, _ = choose(model.key, options, model.strategy)
        return Decision(model, best.worker, Reason.ONE_FILE_AT_A_TIME)

    def second_home(self, model: Model) -> Decision | None:
        demand = self._snapshot.waiting_for(model.key)
        homes = self.homes_of(model)
        wait_s = max(demand.oldest_s, self._last_begins_s(model, homes) - HOT_FLOOR_S)
        hot = demand.waiting >= HOT_WAITING and wait_s > max(HOT_FLOOR_S, model.load_s)
        if not hot or self._snapshot.alone or any(_unsettled(worker.held.get(model.version_key)) for worker in homes):
            return None
        names = {worker.name for worker in homes}
        able = [
            worker
            for worker in self._serving(model)
            if worker.name not in names
            and model.version_key not in worker.failed
            # Another home helps only if a page begins sooner there than here.
            and self._wait_s(worker) + model.load_s < wait_s
        ]
        return self._settle(model, able, Wanted(model, 0.0, idle_at_least_s=SPARED_IDLE_S), Reason.SECOND_WORKER)

    def next_home(self, model: Model) -> Decision | None:
        """Return the worker that takes over a model in use from workers that drain. Only idle models leave for it."""
        if self._snapshot.alone:
            return None
        able = [worker for worker in self._serving(model) if model.version_key not in worker.failed]
        wanted = Wanted(model, 0.0, idle_at_least_s=SPARED_IDLE_S)
        return self._settle(model, able, wanted, Reason.HANDED_OVER)

    def spare_home(self, model: Model) -> Decision | None:
        able = [
            worker
            for worker in self._serving(model)
            if model.version_key not in worker.failed
            and worker.free_bytes - missing_bytes(model, worker) >= SPARE_SHARE * worker.budget_bytes
        ]
        reason = Reason.WORKER_LOST if model.version_key in self._snapshot.lost else Reason.SPARE_MEMORY
        return self._settle(model, able, Wanted(model, may_evict=False), reason)

    def _settle(self, model: Model, able: list[Worker], wanted: Wanted, reason: Reason | None) -> Decision | None:
        """Choose a worker and record it. `reason` is given if it says more than how the workers differ."""
        options = [option for worker in able if (option := self._option(worker, wanted)) is not None]
        if not options:
            return None
        best, told_apart = choose(model.key, options, model.strategy)
        self._take(model, best)
        return Decision(model, best.worker, reason or told_apart, best.leave)

    def _option(self, worker: Worker, wanted: Wanted) -> Option | None:
        model = wanted.model
        if len(worker.loading) >= COLD_AT_ONCE or not _takes_more(worker):
            return None
        if not model.may_fit(worker.budget_bytes) or (worker.name, model.version_key) in self._given_up:
            return None
        room = room_on(worker, wanted, models=self._models, demand=self._demand, homes=self._homes())
        return self._as_option(model, worker, room) if room is not None else None

    def _as_option(self, model: Model, worker: Worker, room: Eviction) -> Option:
        return Option(
            worker=worker.name,
            leave=room.leave,
            loss_s=room.loss_s,
            load_s=model.load_s * missing_bytes(model, worker) / max(1, model.needed_bytes),
            wait_s=self._wait_s(worker),
            service_s=worker.service_s.get(model.key, self._usual_service_s(model)),
            outstanding=worker.outstanding,
        )

    def _take(self, model: Model, option: Option) -> None:
        worker = self._workers[option.worker]
        held = {key: held for key, held in worker.held.items() if key not in option.leave}
        loading = worker.loading | {model.version_key}
        gone = files_of(option.leave, self._models) - files_of((*held, *loading), self._models)
        files = {**model.files, **{file: size for file, size in worker.files.items() if file not in gone}}
        free_bytes = worker.free_bytes + sum(worker.files.values()) - sum(files.values())
        self._workers[worker.name] = replace(worker, held=held, loading=loading, files=files, free_bytes=free_bytes)
        self._extra_s[worker.name] += option.load_s
        self._given_up.update((worker.name, key) for key in option.leave)

    def _to_tell(self, model: Model, serving: list[Worker], reason: Reason) -> Decision | None:
        if self._snapshot.alone:
            # Another worker may hold the model and run the pages that would fail here.
            return None
        options = [Option(worker.name, (), 0, 0, self._wait_s(worker), 0, worker.outstanding) for worker in serving]
        best, _ = choose(model.key, options, model.strategy)
        return Decision(model, best.worker, reason)

    def _serving(self, model: Model) -> list[Worker]:
        return [worker for worker in self._workers.values() if _serves(worker, model)]

    def _homes(self) -> Counter[str]:
        return Counter(key for worker in self._workers.values() for key in worker.held)

    def _with_room_told(self, worker: Worker) -> Worker:
        """Count the files of loading models as in memory, and those of no model as free: they leave soon."""
        here = (*worker.held, *worker.loading)
        stray = worker.files.keys() - files_of(here, self._models)
        if not all(key in self._models for key in here):
            stray = set()
        kept = {file: size for file, size in worker.files.items() if file not in stray}
        coming = (self._models[key].files for key in worker.loading if key in self._models)
        files = {**{file: size for files_of_model in coming for file, size in files_of_model.items()}, **kept}
        free_bytes = worker.free_bytes + sum(worker.files.values()) - sum(files.values())
        return replace(worker, files=files, free_bytes=free_bytes)

    def _wait_s(self, worker: Worker) -> float:
        busy_s = worker.outstanding * worker.mean_service_s / max(1, worker.slots)
        return busy_s + self._extra_s[worker.name]

    def _last_begins_s(self, model: Model, homes: list[Worker]) -> float:
        """Return the time until these homes have begun all waiting pages of the model, or 0 if its speed is unknown."""
        usual_s = self._usual_service_s(model)
        if not homes or usual_s <= 0:
            return 0.0
        pages_a_s = math.fsum(max(1, home.slots) / (home.service_s.get(model.key) or usual_s) for home in homes)
        waiting = self._snapshot.waiting_for(model.key).waiting
        return min(self._wait_s(home) for home in homes) + waiting / pages_a_s

    def _usual_service_s(self, model: Model) -> float:
        """Return the mean service time of the model, which is also expected of a worker that has not run it."""
        seen = [worker.service_s[model.key] for worker in self._workers.values() if model.key in worker.service_s]
        return math.fsum(seen) / len(seen) if seen else 0.0


def _serves(worker: Worker, model: Model) -> bool:
    return worker.serves(model.pool, dedicated=model.dedicated)


def _takes_more(worker: Worker) -> bool:
    return worker.silent_s <= SILENT_S and not worker.stuck


def _unsettled(held: Held | None) -> bool:
    """Return whether a home is too new to judge. None means that the model is still being loaded."""
    return held is None or held.held_s < max(SETTLES_S, 2 * held.load_s)
