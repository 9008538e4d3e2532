"""Weighs the groups of a model against each other, and makes files by plans."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite, log
from pathlib import Path
from time import monotonic

import numpy as np
import onnx
from onnx import ModelProto

from inference.factory.pruning.elimination import Elimination
from inference.factory.pruning.errors import PruningImpossible, Refused
from inference.factory.pruning.finding import find_group, find_groups
from inference.factory.pruning.graph import Graph
from inference.factory.pruning.groups import Group
from inference.factory.pruning.moments import MAX_COLUMNS, Feeds, GroupMoments, Runner, collect, layout_of
from inference.factory.pruning.planning import Curve, Plan, choices
from inference.factory.pruning.pruning import checked_error, order_units, prune_group
from inference.factory.pruning.work import Work, estimate

ErrorOf = Callable[[Path], float]
Progress = Callable[[float, str], None]
"""Gets the share of the work that is done, and what is being done. It may raise to stop."""

MAX_WEIGHED = 64
"""The number of groups up to which the influence of each on the result is measured."""
LEAST_SHARE = 1 / 32
"""The share of its units that a group keeps at least."""
MAX_MOMENT_BYTES = 256 << 20
MAX_STAGES = 16
"""The limit of how often the moments are taken anew while a file is made."""
_SMALL_ERROR = 1e-9
_TELLING_ERROR = 1e-3


@dataclass(frozen=True, slots=True)
class Attempt:
    """The model to prune, and the measure of its error."""

    original: ModelProto
    inputs: Sequence[Feeds]
    run: Runner
    error_of: ErrorOf
    folder: Path
    progress: Progress
    stop_at: float

    @property
    def out_of_time(self) -> bool:
        return monotonic() >= self.stop_at

    def moments(self, model: ModelProto, groups: Sequence[Group], *, compared: bool) -> GroupMoments:
        original = self.original if compared else None
        return collect(model, groups, self.inputs, run=self.run, folder=self.folder, original=original)

    def save(self, model: ModelProto, name: str) -> Path:
        target = self.folder / f"{name}.onnx"
        target.write_bytes(model.SerializeToString(deterministic=True))
        return target


@dataclass(slots=True)
class Weighed:
    """The groups, the order in which their units go, and what that costs in the result."""

    groups: dict[str, Group] = field(default_factory=dict)
    orders: dict[str, Elimination] = field(default_factory=dict)
    curves: dict[str, Curve] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    work: Work = field(default_factory=lambda: Work(()))
    power: float = 1.0
    """The power of the measured error that grows like the squared errors at the sinks."""

    def refuse(self, name: str, reason: str) -> None:
        self.refused[name] = reason
        for found in (self.groups, self.orders, self.curves):
            found.pop(name, None)


@dataclass(frozen=True, slots=True)
class _Measured:
    squared: float
    error: float


def weigh(attempt: Attempt) -> Weighed:
    found = find_groups(attempt.original)
    weighed = Weighed(refused={refusal.name: refusal.reason for refusal in found.refusals})
    graph = Graph(attempt.original)
    measured: dict[str, list[_Measured]] = {}
    for batch in _stages(_narrow(found.groups, weighed.refused)):
        moments = attempt.moments(attempt.original, batch, compared=False)
        for group in batch:
            attempt.progress(0.3 * len(weighed.groups) / len(found.groups), f"weighing {group.name}")
            try:
                _add_curve(weighed, graph, group, moments)
                if len(found.groups) <= MAX_WEIGHED and not attempt.out_of_time:
                    twice = not any(len(points) > 1 for points in measured.values())
                    measured[group.name] = list(_measure(attempt, weighed, group, moments, twice))
            except (Refused, np.linalg.LinAlgError) as error:
                weighed.refuse(group.name, str(error))
    if not weighed.groups:
        reasons = "; ".join(sorted(set(weighed.refused.values()))) or "it has no weights that others read"
        raise PruningImpossible(f"nothing in this model can be pruned: {reasons}")
    _apply_measures(weighed, measured)
    shapes = {name: value.shape for name, value in attempt.inputs[0].items()}
    weighed.work = estimate(attempt.original, list(weighed.groups.values()), shapes)
    return weighed


def _narrow(groups: Sequence[Group], refused: dict[str, str]) -> list[Group]:
    """Return the groups that are not too wide, and note the others."""
    wide = {group.name: max(layout_of(group, sink).columns for sink in group.sinks) for group in groups}
    refused |= {
        name: f"it has {columns} columns; at most {MAX_COLUMNS} are pruned"
        for name, columns in wide.items()
        if columns > MAX_COLUMNS
    }
    return [group for group in groups if wide[group.name] <= MAX_COLUMNS]


def _add_curve(weighed: Weighed, graph: Graph, group: Group, moments: GroupMoments) -> None:
    order = order_units(graph, group, moments, max(1, int(group.units * LEAST_SHARE)))
    errors = {
        count: checked_error(graph, group, moments, order.kept(group.units, count))
        for count in choices(group.units, order)
    }
    weighed.groups[group.name], weighed.orders[group.name] = group, order
    weighed.curves[group.name] = Curve(group.units, errors)


def _measure(
    attempt: Attempt, weighed: Weighed, group: Group, moments: GroupMoments, twice: bool
) -> Iterator[_Measured]:
    """Prune this group alone and measure the error of the result, at one or two points of its curve."""
    errors = weighed.curves[group.name].errors
    telling = [count for count, error in errors.items() if error >= _TELLING_ERROR]
    small = [count for count, error in errors.items() if error > _SMALL_ERROR]
    points = telling[:1] or small[-1:]
    points += [count for count in errors if points and errors[count] > 4 * errors[points[0]]][:1] if twice else []
    for count in points:
        model = ModelProto()
        model.CopyFrom(attempt.original)
        prune_group(model, group, weighed.orders[group.name].kept(group.units, count), moments)
        error = attempt.error_of(attempt.save(model, "weighed"))
        yield _Measured(errors[count], error if isfinite(error) else 1e6)


def _apply_measures(weighed: Weighed, measured: Mapping[str, Sequence[_Measured]]) -> None:
    """Scale the curves, so that they tell by how much the error of the result grows."""
    for points in measured.values():
        if len(points) > 1 and 0 < points[0].error < points[1].error:
            slope = log(points[1].error / points[0].error) / log(points[1].squared / points[0].squared)
            weighed.power = 1.0 if slope > 0.75 else 2.0
    for name, points in measured.items():
        if name in weighed.curves and points and points[0].error > 0:
            factor = points[0].error ** weighed.power / points[0].squared
            curve = weighed.curves[name]
            weighed.curves[name] = Curve(curve.units, {count: e * factor for count, e in curve.errors.items()})


def make(attempt: Attempt, weighed: Weighed, plan: Plan, number: int) -> Path:
    """Make the file of a plan, group by group. Each one also makes up for what those before it have changed."""
    model = ModelProto()
    model.CopyFrom(attempt.original)
    groups = [group for name, group in weighed.groups.items() if name in plan.kept]
    for batch in _stages(groups):
        moments: GroupMoments = {}
        for name in [group.name for group in batch]:
            group = find_group(model, name)
            if not isinstance(group, Group) or group.units != weighed.groups[name].units:
                raise PruningImpossible(f"{name} cannot be found again after other groups have been pruned")
            if not _fits(moments, group):
                again = [found for other in batch if isinstance(found := find_group(model, other.name), Group)]
                moments = attempt.moments(model, again, compared=True)
            try:
                prune_group(model, group, weighed.orders[name].kept(group.units, plan.kept[name]), moments)
            except (Refused, np.linalg.LinAlgError) as error:
                raise PruningImpossible(f"{name} cannot be pruned: {error}") from error
    onnx.checker.check_model(model)
    return attempt.save(model, f"file-{number}")


def _fits(moments: GroupMoments, group: Group) -> bool:
    """Say if these moments belong to the group as it is now."""
    for sink in group.sinks:
        halves = moments.get((group.name, sink.node, sink.weight))
        if halves is None or len(halves.fit.gram) != layout_of(group, sink).columns + 1:
            return False
        if halves.fit.cross is not None and halves.fit.cross.shape[1] != sink.results:
            return False
    return True


def _stages(groups: Sequence[Group]) -> list[list[Group]]:
    """Return the groups in runs whose moments fit into memory together."""
    stages: list[list[Group]] = []
    used, longest = 0, -(-len(groups) // MAX_STAGES)
    for group in groups:
        size = 0
        for sink in group.sinks:
            columns = layout_of(group, sink).columns
            size += 2 * 8 * columns * (columns + sink.results)
        if not stages or used + size > MAX_MOMENT_BYTES or len(stages[-1]) >= longest:
            stages.append([])
            used = 0
        stages[-1].append(group)
        used += size
    return stages
