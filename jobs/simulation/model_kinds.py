"""The models of a trace: the memory of each, its load, and what its batches take."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from inference.batching.cost_fit import Coefficients, CostFit
from jobs.simulation.errors import SimulationRefused

MB = 1_000_000


@dataclass(frozen=True, slots=True)
class BatchKind:
    """The time of a batch: `fixed_s`, and `row_s` for each request in it."""

    fixed_s: float
    row_s: float
    max_rows: int = 64

    @property
    def fit(self) -> CostFit:
        return CostFit(coefficients=Coefficients(self.fixed_s, self.row_s, 0.0))

    def slot_s(self, slots: int) -> float:
        """Return the seconds of a slot that a request takes while all slots of a replica are busy with full batches."""
        return slots * self.fit.share(1, 1, of_rows=min(self.max_rows, slots))


@dataclass(frozen=True, slots=True)
class ModelKind:
    memory_bytes: int = 0
    load_s: float = 0.0
    batch: BatchKind | None = None


class _Batch(msgspec.Struct, forbid_unknown_fields=True):
    fixed_s: float
    row_s: float
    max_rows: int = 64


class _Model(msgspec.Struct, forbid_unknown_fields=True):
    memory_mb: float = 0.0
    load_s: float = 0.0
    batch: _Batch | None = None


def read_model_kinds(path: Path) -> dict[str, ModelKind]:
    """Read models from a JSON object by name."""
    try:
        found = msgspec.json.decode(path.read_bytes(), type=dict[str, _Model])
    except OSError as error:
        raise SimulationRefused(f"{path} cannot be read: {error.strerror}") from error
    except msgspec.MsgspecError as error:
        raise SimulationRefused(f"{path} is not a JSON object of models: {error}") from error
    if not found:
        raise SimulationRefused(f"{path} has no models")
    return {name: _kind(name, model) for name, model in found.items()}


def _kind(name: str, model: _Model) -> ModelKind:
    _check(name, memory_mb=model.memory_mb, load_s=model.load_s)
    batch = model.batch
    if batch is None:
        return ModelKind(round(model.memory_mb * MB), model.load_s)
    _check(name, fixed_s=batch.fixed_s, row_s=batch.row_s)
    if batch.fixed_s + batch.row_s <= 0 or batch.max_rows < 1:
        raise SimulationRefused(f"{name}: a batch must take some time, and max_rows must be at least 1")
    kind = BatchKind(batch.fixed_s, batch.row_s, batch.max_rows)
    return ModelKind(round(model.memory_mb * MB), model.load_s, kind)


def _check(name: str, **values: float) -> None:
    for key, value in values.items():
        if not 0 <= value < math.inf:
            raise SimulationRefused(f"{name}: {key} must be a number of at least 0, not {value!r}")


@dataclass(frozen=True, slots=True)
class Details:
    """The models and the callers of a trace's requests, by number."""

    models: tuple[str, ...]
    kinds: Mapping[str, ModelKind]
    queues: tuple[tuple[str, int], ...]
    """Pairs of tenant and priority."""
    model_of: "list[int]"
    queue_of: "list[int]"
    memory_bytes: int = 0
    """The memory of a replica for models. 0: all of them fit."""
