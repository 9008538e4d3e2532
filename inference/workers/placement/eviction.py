"""The choice of models that a worker would evict for another model, and the cost of that."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from inference.runtime.residency import without_needless
from inference.workers.placement.fleet import Demand, Held, Model, Worker

FADES_S = 60.0
"""Seconds in which the worth of a model without demand halves."""
SMALL_LOSS_S = 0.1
"""The seconds that any eviction counts for, so that free memory is used first."""
TIMEOUT_S = 5.0
"""The shortest wait in seconds that evicts a model with work. It must also be over three times both loads."""
STAYS_LOADS = 3.0
"""A model that has work stays loaded for at least this many times its load time."""


@dataclass(frozen=True, slots=True)
class Eviction:
    """The models that have to leave, and the seconds that bringing them back is expected to cost."""

    leave: tuple[str, ...]
    loss_s: float


@dataclass(frozen=True, slots=True)
class Wanted:
    """The model that needs memory, and the limits on what it may displace."""

    model: Model
    oldest_s: float = 0.0
    may_evict: bool = True
    idle_at_least_s: float = 0.0
    """Models that had work more recently than this stay."""


def files_of(keys: Iterable[str], models: Mapping[str, Model]) -> set[str]:
    return set[str]().union(*(models[key].files for key in keys if key in models))


def missing_bytes(model: Model, worker: Worker) -> int:
    return sum(size for file, size in model.files.items() if file not in worker.files)


def room_on(
    worker: Worker,
    wanted: Wanted,
    *,
    models: Mapping[str, Model],
    demand: Mapping[str, Demand],
    homes: Mapping[str, int],
) -> Eviction | None:
    """Return the cheapest set of models to evict, by loss per byte, or None. `homes` counts holders by model."""
    shared_bytes = sum(size for file, size in worker.files.items() if file in wanted.model.files)
    # A model that is estimated to take more than there is gets everything.
    needed_bytes = min(missing_bytes(wanted.model, worker), worker.budget_bytes - shared_bytes)
    excess = needed_bytes - worker.free_bytes
    if excess <= 0:
        return Eviction((), 0.0)
    if not wanted.may_evict:
        return None
    candidates: dict[str, float] = {}
    for key in sorted(worker.held.keys() - {wanted.model.version_key}):
        held, waiting = worker.held[key], demand.get(key)
        if waiting is not None and waiting.waiting and not _may_displace(wanted, held):
            continue
        if held.idle_s < wanted.idle_at_least_s:
            continue
        unwanted = key in models and not models[key].wanted
        candidates[key] = 0.0 if unwanted else _loss_s(held, waiting, homes.get(key, 1))
    return _Memory(worker, models, wanted.model).cheapest(candidates, excess)


class _Memory:
    """The memory of one worker, while a model that needs memory there is coming."""

    def __init__(self, worker: Worker, models: Mapping[str, Model], coming: Model) -> None:
        self._models = models
        self._holders = Counter(self._files_of((*worker.held, *worker.loading)))
        # The coming model needs its own files, whichever models leave.
        self._bytes = {file: size for file, size in worker.files.items() if file not in coming.files}

    def cheapest(self, candidates: Mapping[str, float], excess: int) -> Eviction | None:
        """Choose models by loss per byte. One that shares all its files frees nothing alone and is last."""
        remaining, leave, gone = dict(candidates), list[str](), Counter[str]()
        freed = 0
        while freed < excess and remaining:
            gains = {key: self._freed_by([key], gone) for key in remaining}
            key = min(
                remaining,
                key=lambda key_of_model: (
                    remaining[key_of_model] / max(gains[key_of_model], 1),
                    key_of_model,
                ),
            )
            del remaining[key]
            leave.append(key)
            gone.update(self._files_of([key]))
            freed += gains[key]
        if freed < excess:
            return None
        dearest_first = sorted(leave, key=lambda key: (-candidates[key], key))
        needed = without_needless(leave, dearest_first, lambda rest: self._freed_by(rest) >= excess)
        return Eviction(tuple(needed), SMALL_LOSS_S + math.fsum(candidates[key] for key in needed))

    def _freed_by(self, leaving: Iterable[str], gone: Mapping[str, int] = MappingProxyType({})) -> int:
        """Return the bytes of files that no remaining model needs. `gone` counts the users that have left."""
        counts = Counter(self._files_of(leaving))
        return sum(
            self._bytes.get(file, 0)
            for file, count in counts.items()
            if count + gone.get(file, 0) == self._holders[file]
        )

    def _files_of(self, keys: Iterable[str]) -> Iterator[str]:
        return (file for key in keys if key in self._models for file in self._models[key].files)


def _may_displace(wanted: Wanted, held: Held) -> bool:
    waited_enough = wanted.oldest_s > max(TIMEOUT_S, STAYS_LOADS * (wanted.model.load_s + held.load_s))
    return waited_enough and held.held_s > STAYS_LOADS * held.load_s


def _loss_s(held: Held, waiting: Demand | None, homes: int) -> float:
    recent = 1.0 if waiting is not None and waiting.waiting else 0.5 ** (held.idle_s / FADES_S)
    return float(held.load_s * recent / max(1, homes))
