"""Decides how many units of each group stay: the steps that save most work for the least error come first."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from inference.factory.pruning.elimination import Elimination
from inference.factory.pruning.work import Work

SHARES = (0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6, 0.55, 0.5, 0.45, 0.4, 0.35, 0.3, 0.25, 0.2, 0.15, 0.1, 0.06, 0.03)
KNEES = (1e-9, 1e-7, 1e-5, 1e-4, 1e-3, 1e-2)
"""Relative squared errors. The smallest number of units that stays below each is tried as well."""


def grain(units: int) -> int:
    """Return the multiple that the number of units left should be. Kernels work on 8 or 16 columns at a time."""
    return 16 if units >= 256 else 8 if units >= 64 else 4 if units >= 24 else 1


def choices(units: int, elimination: Elimination) -> tuple[int, ...]:
    """Return the numbers of units to consider, largest first."""
    step, least = grain(units), units - len(elimination.order)
    wanted = [units * share for share in SHARES]
    for knee in KNEES:
        total = 0.0
        for gone, cost in enumerate(elimination.costs):
            total += cost
            if total > knee:
                wanted.append(float(units - gone))
                break
        else:
            wanted.append(float(least))
    rounded = {int(-(-count // step) * step) for count in wanted}
    return tuple(sorted((count for count in rounded if least <= count < units), reverse=True))


@dataclass(frozen=True, slots=True)
class Curve:
    """The error of a group by the number of units left, in a measure that adds up over groups."""

    units: int
    errors: Mapping[int, float]


@dataclass(frozen=True, slots=True)
class Plan:
    """The number of units that stay, by group. Groups that are not named stay whole."""

    kept: Mapping[str, int]
    error: float
    work: float


@dataclass(frozen=True, slots=True)
class _Step:
    price: float
    """The additional error for each unit of work saved."""
    name: str
    kept: int
    error: float
    work: float


def path(curves: Mapping[str, Curve], work: Work) -> list[Plan]:
    """Return plans of less and less work. Each step has the least additional error for the work that it saves."""
    plans, left = [Plan({}, 0.0, work.total({}))], {name: curve.units for name, curve in curves.items()}
    while steps := [step for name in curves for step in _steps(name, curves, left, work, plans[-1])]:
        best = min(steps, key=lambda step: (step.price, step.work))
        left[best.name] = best.kept
        kept = {name: count for name, count in left.items() if count < curves[name].units}
        plans.append(Plan(kept, max(best.error, plans[-1].error), best.work))
    return plans


def _steps(name: str, curves: Mapping[str, Curve], left: Mapping[str, int], work: Work, now: Plan) -> Iterator[_Step]:
    """Yield the possible steps of a group. A step that saves nothing is none."""
    errors, shares = curves[name].errors, {other: left[other] / curve.units for other, curve in curves.items()}
    total = sum(curve.errors.get(left[other], 0.0) for other, curve in curves.items())
    before = errors.get(left[name], 0.0)
    for count in errors:
        if count < left[name]:
            after = work.total(shares | {name: count / curves[name].units})
            saved = now.work - after
            if saved > 0:
                yield _Step(
                    max(errors[count] - before, 0.0) / saved, name, count, total - before + errors[count], after
                )
