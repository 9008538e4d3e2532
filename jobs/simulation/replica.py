"""A replica of a pool with several models: what it holds, what it runs, and the batches of each of its models."""

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field

from inference.batching.company import Company
from inference.batching.limits import BatchLimits
from inference.batching.policy import Dispatch, Idle, PolicyConfig, Refuse, WaitUntil, decide, hold_s
from inference.batching.waiting import QueuedPiece, WaitingPieces
from inference.scaling.signal import WorkerNow
from inference.workers.placement.fleet import Held, Worker
from jobs.simulation.model_kinds import BatchKind, ModelKind

UNLIMITED = 1 << 60
_GROUP: Hashable = ""


@dataclass(slots=True, eq=False, kw_only=True)
class _Request(QueuedPiece):
    number: int


class ModelBatches:
    """The batches of a model on one replica, decided by the product's own policy."""

    def __init__(self, kind: BatchKind) -> None:
        self._fit = kind.fit
        self._limits = BatchLimits(max_rows=kind.max_rows, max_padded=None)
        self._waiting, self._company = WaitingPieces(), Company()
        self._last_run_s: float | None = None
        self._runs = False

    def add(self, number: int, tenant: str, at_s: float) -> None:
        piece = _Request(tenant=tenant, group=_GROUP, length=1, rows=1, queued_s=at_s, number=number)
        self._waiting.add(piece, self._fit.share(1, 1, of_rows=self._limits.max_rows))
        self._company.arrived(_GROUP, 1, at_s, hold_s(self._limits, self._fit))

    def run(self, at_s: float) -> tuple[list[int], float] | float | None:
        """Return the requests of the batch that runs now and its seconds, or the time at which to decide again."""
        if self._runs:
            return None
        config = PolicyConfig(self._limits, self._fit, self._company, self._last_run_s)
        match decide(self._waiting, config, at_s):
            case Dispatch(pieces):
                self._waiting.serve(pieces[0])
                for piece in pieces:
                    self._waiting.remove(piece, run=True)
                self._runs = True
                return [piece.number for piece in pieces if isinstance(piece, _Request)], self._fit.predict(
                    len(pieces), len(pieces)
                )
            case WaitUntil(until_s):
                return until_s
            case Idle():
                self._waiting.rest()
                return None
            case Refuse():
                raise AssertionError("no request has a deadline")

    def ended(self, rows: int, at_s: float) -> None:
        self._runs, self._last_run_s = False, at_s
        self._company.run_ended(_GROUP, rows, at_s)
        self._company.answered(at_s)


@dataclass(slots=True)
class Replica:
    name: str
    slots: int
    budget_bytes: int
    held: dict[str, tuple[float, float]] = field(default_factory=dict)
    """Since when each model is held, and when it began a request last."""
    loading: dict[str, float] = field(default_factory=dict)
    """The times at which loads end."""
    running: dict[int, tuple[str, float]] = field(default_factory=dict)
    """The model of each request that has begun, and the time at which it ends. Those of a later batch end never yet."""
    batches: dict[str, ModelBatches] = field(default_factory=dict)
    served: dict[str, int] = field(default_factory=dict)
    """The number of the last turn of each model."""
    is_new: bool = True
    """Set until it has taken its first model, whose load is part of the time in which a replica starts."""
    leaves: bool = False

    @property
    def free(self) -> int:
        return self.slots - len(self.running)

    def as_worker(self, kinds: Mapping[str, ModelKind], service_s: Mapping[str, float], at_s: float) -> Worker:
        """Return what the placement sees of it."""
        budget = self.budget_bytes or UNLIMITED
        files = {key: kinds[key].memory_bytes for key in (*self.held, *self.loading)}
        held = {
            key: Held(at_s - since_s, at_s - last_s, kinds[key].load_s) for key, (since_s, last_s) in self.held.items()
        }
        return Worker(
            self.name,
            budget,
            budget - sum(files.values()),
            files,
            held,
            frozenset(self.loading),
            slots=self.slots,
            outstanding=len(self.running),
            service_s={key: service_s[key] for key in self.held},
        )

    def as_worker_now(self) -> WorkerNow:
        """Return what the order of scale-in sees of it."""
        counts: dict[str, int] = {}
        for key, _ in self.running.values():
            counts[key] = counts.get(key, 0) + 1
        return WorkerNow(self.name, self.name, slots=self.slots, running=counts)

    def ends_s(self, mean_s: Mapping[str, float], at_s: float) -> float:
        """Return when its last request ends. One that waits for a batch is taken for a mean one."""
        longest_s = max((mean_s[key] for key, _ in self.running.values()), default=0.0)
        known = (ends_s for _, ends_s in self.running.values() if ends_s < math.inf)
        return max(known, default=at_s + longest_s if self.running else 0.0)

    def evict(self, keys: Iterable[str]) -> None:
        for key in keys:
            self.held.pop(key, None)

    def batches_of(self, key: str, kind: BatchKind) -> ModelBatches:
        found = self.batches.get(key)
        if found is None:
            found = self.batches[key] = ModelBatches(kind)
        return found
