"""A pool's line of requests of several models and tenants, on the product's own placement, turns and batching.

It is exact about who is next and where, and some eighty times slower than the plain line, which a trace of one model
and one tenant has.
"""

import math
from collections import Counter
from collections.abc import Callable
from heapq import heappop, heappush
from itertools import count

import numpy as np

from inference.scaling.deletion import deletion_costs
from inference.scaling.signal import Costs
from inference.workers.placement.fleet import Demand, Model, Snapshot
from inference.workers.placement.placement import Decision, place
from jobs.simulation.errors import SimulationRefused
from jobs.simulation.known_work import KnownWork
from jobs.simulation.line import Numbers
from jobs.simulation.model_kinds import Details
from jobs.simulation.model_queue import ModelQueue
from jobs.simulation.replica import Replica

LOOK_S = 1.0
"""Seconds between two looks of the placement, as workers take them."""
NEVER = math.inf


class MixedLine:
    """The requests of a pool, its replicas, and the events that are due."""

    def __init__(self, arrivals: Numbers, work: Numbers, details: Details, slots: int) -> None:
        self.begun = 0
        self._arrivals, self._work, self._details, self._slots = arrivals.tolist(), work.tolist(), details, slots
        _require_fit(details)
        self._mean_s = _means(work, details)
        self._models = tuple(
            Model(key, number, {key: details.kinds[key].memory_bytes}, details.kinds[key].load_s)
            for number, key in enumerate(details.models)
        )
        self._queues = {key: ModelQueue(details.queues, self._mean_s[key]) for key in details.models}
        self._fleet: dict[str, Replica] = {}
        self._idle: dict[str, Replica] = {}
        """Replicas with a free slot."""
        self._events: list[tuple[float, int, Callable[[float], None]]] = []
        self._order, self._turns, self._names = count(), count(1), count(1)
        self._next = 0
        self._at_s = 0.0
        self._look_s = NEVER
        self._lost: set[int] = set()
        """Requests that begin again: they have waited once already."""
        self._waits: list[float] = []
        self._known = {key: KnownWork(mean_s) for key, mean_s in self._mean_s.items()}
        self._began: dict[str, list[float]] = {}
        """The work of the requests of each model that have begun since the last look of the policy."""
        self._came: Counter[str] = Counter()
        self._piece_s = float(work.mean()) if len(work) else 1.0
        self._costs = Costs()

    @property
    def piece_s(self) -> float:
        """Return the seconds of a request as the product knows them now."""
        return self._piece_s

    @property
    def replicas(self) -> int:
        return sum(not replica.leaves for replica in self._fleet.values())

    # ---- time

    def run(self, until_s: float) -> Numbers:
        """Run everything that is due before this time, and return how long each request waited."""
        began_s, self._waits = self._at_s, []
        while True:
            arrives_s = self._arrivals[self._next] if self._next < len(self._arrivals) else NEVER
            event_s = self._events[0][0] if self._events else NEVER
            at_s = min(arrives_s, event_s, self._look_s)
            if at_s >= until_s:
                break
            self._at_s = max(self._at_s, at_s)
            if event_s == at_s:
                heappop(self._events)[2](at_s)
            elif arrives_s == at_s:
                self._arrive(at_s)
            else:
                self._look(at_s)
        self._at_s = max(self._at_s, until_s)
        self._learn(self._at_s - began_s)
        return np.array(self._waits)

    def _learn(self, passed_s: float) -> None:
        for key, begun in self._began.items():
            holding = sum(key in replica.held for replica in self._fleet.values())
            self._known[key].learn(np.array(begun), replicas=holding, passed_s=passed_s)
        if self._came:
            work_s = sum(count * self._known[key].piece_s for key, count in self._came.items())
            self._piece_s = work_s / self._came.total()
        self._began, self._came = {}, Counter()

    def _due(self, at_s: float, act: Callable[[float], None]) -> None:
        heappush(self._events, (at_s, next(self._order), act))

    def waiting(self, at_s: float) -> tuple[float, float]:
        """Return the known seconds of the work that waits, and how long the oldest request has waited."""
        with_some = {key: queue for key, queue in self._queues.items() if queue.count}
        work_s = sum(queue.count * self._known[key].piece_s for key, queue in with_some.items())
        return work_s, max((at_s - queue.oldest_s() for queue in with_some.values()), default=0.0)

    # ---- requests

    def _arrive(self, at_s: float) -> None:
        request, self._next = self._next, self._next + 1
        key = self._key_of(request)
        self._came[key] += 1
        self._queues[key].come(request, self._details.queue_of[request], at_s)
        for replica in self._idle.values():
            if key in replica.held:
                self._fill(replica, at_s)
                return
        self._look_soon(at_s)

    def _key_of(self, request: int) -> str:
        return self._details.models[self._details.model_of[request]]

    def _fill(self, replica: Replica, at_s: float) -> None:
        """Begin requests on the free slots of a replica. Of its models, the one that was served longest ago is next."""
        while replica.free > 0 and not replica.leaves:
            keys = [key for key in replica.held if self._queues[key].count]
            if not keys:
                break
            key = min(keys, key=lambda key: (replica.served.get(key, 0), self._queues[key].oldest_s()))
            replica.served[key] = next(self._turns)
            request = self._queues[key].next(self._slots * max(1, self.replicas))
            self._begin(replica, key, request, at_s)
        self._note_idle(replica)

    def _begin(self, replica: Replica, key: str, request: int, at_s: float) -> None:
        if request in self._lost:
            self._lost.discard(request)
        else:
            self.begun += 1
            self._waits.append(at_s - self._arrivals[request])
            self._began.setdefault(key, []).append(self._work[request])
        replica.held[key] = (replica.held[key][0], at_s)
        kind = self._details.kinds[key].batch
        if kind is None:
            ends_s = at_s + self._work[request]
            replica.running[request] = (key, ends_s)
            self._due(ends_s, lambda at_s: self._end(replica, request, at_s))
            return
        replica.running[request] = (key, NEVER)
        tenant = self._details.queues[self._details.queue_of[request]][0]
        replica.batches_of(key, kind).add(request, tenant, at_s)
        self._due(at_s, lambda at_s: self._run_batch(replica, key, at_s))

    def _end(self, replica: Replica, request: int, at_s: float) -> None:
        if replica.running.pop(request, None) is not None:
            self._after_end(replica, at_s)

    def _run_batch(self, replica: Replica, key: str, at_s: float) -> None:
        batches = replica.batches.get(key)
        decided = None if batches is None else batches.run(at_s)
        if decided is None:
            return
        if isinstance(decided, float):
            self._due(max(decided, at_s), lambda at_s: self._run_batch(replica, key, at_s))
            return
        requests, takes_s = decided
        for request in requests:
            replica.running[request] = (key, at_s + takes_s)
        self._due(at_s + takes_s, lambda at_s: self._end_batch(replica, key, requests, at_s))

    def _end_batch(self, replica: Replica, key: str, requests: list[int], at_s: float) -> None:
        if replica.batches.get(key) is None:
            return
        for request in requests:
            replica.running.pop(request, None)
        replica.batches[key].ended(len(requests), at_s)
        self._after_end(replica, at_s)
        self._run_batch(replica, key, at_s)

    def _after_end(self, replica: Replica, at_s: float) -> None:
        if not replica.leaves:
            self._fill(replica, at_s)
        elif not replica.running:
            self._fleet.pop(replica.name, None)

    def _note_idle(self, replica: Replica) -> None:
        if replica.free > 0 and not replica.leaves:
            self._idle[replica.name] = replica
        else:
            self._idle.pop(replica.name, None)

    # ---- homes

    def _look_soon(self, at_s: float) -> None:
        """Let the placement look at the next full second, as workers do."""
        self._look_s = min(self._look_s, math.floor(at_s / LOOK_S) * LOOK_S + LOOK_S)

    def _look(self, at_s: float) -> None:
        self._look_s = NEVER
        open_replicas = [replica for replica in self._fleet.values() if not replica.leaves]
        kinds = self._details.kinds
        demand = {
            key: Demand(queue.count, at_s - queue.oldest_s()) for key, queue in self._queues.items() if queue.count
        }
        workers = tuple(replica.as_worker(kinds, self._mean_s, at_s) for replica in open_replicas)
        for decision in place(Snapshot(workers, self._models, demand)):
            if decision.to_load:
                self._load(decision, at_s)
        if demand:
            self._look_s = at_s + LOOK_S

    def _load(self, decision: Decision, at_s: float) -> None:
        replica, key = self._fleet[decision.worker], decision.model.key
        replica.evict(decision.leave)
        takes_s = 0.0 if replica.is_new else decision.model.load_s
        replica.is_new = False
        replica.loading[key] = at_s + takes_s

        def loaded(at_s: float) -> None:
            if replica.loading.pop(key, None) is not None:
                replica.held[key] = (at_s, at_s)
                self._fill(replica, at_s)

        self._due(at_s + takes_s, loaded)

    # ---- replicas

    def add(self, free_at_s: float) -> None:
        replica = Replica(f"replica-{next(self._names)}", self._slots, self._details.memory_bytes)
        self._fleet[replica.name] = replica
        if len(self._models) == 1:
            # A pool of one model has nothing to place: each replica holds it when it is ready.
            replica.held[self._models[0].key] = (free_at_s, free_at_s)
        self._due(max(free_at_s, self._at_s), lambda at_s: self._joined(replica, at_s))

    def _joined(self, replica: Replica, at_s: float) -> None:
        self._fill(replica, at_s)
        if len(self._models) > 1:
            self._look_soon(at_s)

    def take_away(self) -> float:
        """Take away the replica that the product would, and return when its last request ends."""
        open_replicas = {replica.name: replica for replica in self._fleet.values() if not replica.leaves}
        costs = deletion_costs([replica.as_worker_now() for replica in open_replicas.values()], self._costs)
        replica = open_replicas[min(costs, key=lambda name: (costs[name], name))]
        replica.leaves = True
        self._idle.pop(replica.name, None)
        if not replica.running:
            del self._fleet[replica.name]
        self._look_soon(self._at_s)
        return replica.ends_s(self._mean_s, self._at_s)

    def left_s(self, at_s: float) -> float:
        """Return the seconds for which replicas still work after this time."""
        # Those that leave were counted when they were given up.
        replicas = [replica for replica in self._fleet.values() if not replica.leaves]
        return sum(max(0.0, replica.ends_s(self._mean_s, at_s) - at_s) for replica in replicas)

    def lose(self, number: int, gone_s: float, rng: np.random.Generator) -> None:
        """Lose replicas by chance. Requests that would end after `gone_s` begin again elsewhere."""
        names = sorted(replica.name for replica in self._fleet.values() if not replica.leaves)
        for name in rng.choice(names, size=number, replace=False).tolist():
            replica = self._fleet.pop(name)
            replica.leaves = True
            self._idle.pop(name, None)
            for request, (key, ends_s) in sorted(replica.running.items()):
                if ends_s > gone_s:
                    del replica.running[request]
                    self._lost.add(request)
                    self._queues[key].come_again(request, self._arrivals[request])
            replica.batches.clear()
        self._look_soon(self._at_s)


def _means(work: Numbers, details: Details) -> dict[str, float]:
    model_of = np.array(details.model_of)
    return {
        key: float(work[model_of == number].mean()) if (model_of == number).any() else 1.0
        for number, key in enumerate(details.models)
    }


def _require_fit(details: Details) -> None:
    largest = max(details.models, key=lambda key: details.kinds[key].memory_bytes)
    needed = details.kinds[largest].memory_bytes
    if details.memory_bytes and needed > details.memory_bytes:
        raise SimulationRefused(
            f"{largest} takes {needed / 1e6:,.0f} MB, and a replica has {details.memory_bytes / 1e6:,.0f} MB"
        )
