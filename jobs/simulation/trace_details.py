"""What the rows of a trace tell beside times and work: models, tenants and priorities."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from jobs.core.priorities import DEFAULT, NUMBERS
from jobs.simulation.errors import SimulationRefused
from jobs.simulation.model_kinds import Details, ModelKind

TENANT_NAMES = ("tenant", "account", "customer")
ONLY = ""
"""The model or tenant of rows that name none."""
Row = Mapping[str, object]


@dataclass(slots=True)
class RowDetails:
    """The details of the rows of a pool, in the order of the file."""

    models: list[str] = field(default_factory=list)
    tenants: list[str] = field(default_factory=list)
    priorities: list[int] = field(default_factory=list)

    def add(self, row: Row, number: int, kinds: Mapping[str, ModelKind] | None) -> None:
        self.models.append(_model_of(row, number, kinds))
        self.tenants.append(str(next((row[name] for name in TENANT_NAMES if row.get(name)), ONLY)))
        name = str(row.get("priority") or DEFAULT)
        if name not in NUMBERS:
            raise SimulationRefused(f"request {number}: the priority must be one of {', '.join(NUMBERS)}, not {name!r}")
        self.priorities.append(NUMBERS[name])

    def in_order(
        self, order: "npt.NDArray[np.int64]", kinds: Mapping[str, ModelKind] | None, memory_bytes: int
    ) -> Details | None:
        """Return the details of the rows in this order. Return None if they do not decide what is next."""
        queues = sorted({*zip(self.tenants, self.priorities, strict=True)})
        if kinds is None and len(queues) == 1:
            return None
        names = tuple(sorted({*self.models}))
        model_numbers = {name: number for number, name in enumerate(names)}
        queue_numbers = {queue: number for number, queue in enumerate(queues)}
        positions = order.tolist()
        return Details(
            names,
            {name: (kinds or {}).get(name, ModelKind()) for name in names},
            tuple(queues),
            [model_numbers[self.models[at]] for at in positions],
            [queue_numbers[self.tenants[at], self.priorities[at]] for at in positions],
            memory_bytes,
        )


def _model_of(row: Row, number: int, kinds: Mapping[str, ModelKind] | None) -> str:
    if kinds is None:
        return ONLY
    name = str(row.get("model") or ONLY)
    if name not in kinds:
        known = ", ".join(sorted(kinds))
        raise SimulationRefused(f"request {number}: the model {name!r} is not described. Known are {known}")
    return name


def on_node(kinds: Mapping[str, ModelKind], speed: float) -> dict[str, ModelKind]:
    """Return the models as they are on a node of another speed."""
    return {name: _faster(kind, speed) for name, kind in kinds.items()}


def _faster(kind: ModelKind, speed: float) -> ModelKind:
    if kind.batch is None:
        return kind
    batch = replace(kind.batch, fixed_s=kind.batch.fixed_s / speed, row_s=kind.batch.row_s / speed)
    return replace(kind, batch=batch)
