"""The bounds of each measure: defaults by the kind of the model, and those that the owner sets."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from inference.factory.measures.pairs import Kind


class BoundInvalid(Exception):
    """The error for a bound with an unknown name or a value out of range. The message says what to use."""


@dataclass(frozen=True, slots=True)
class MeasureBound:
    """A measure that may have a bound."""

    at_least: bool
    """Set if larger values are better, so that the bound is the lowest accepted value."""
    lowest: float
    """The range of values that an owner may set, from `lowest` to `highest`."""
    highest: float
    defaults: Mapping[Kind, float]
    """The bound for each kind whose variants must keep it."""
    optional: bool = False
    """Set if some models of these kinds cannot be measured so, such as classifiers without probabilities."""


_NOT_TEXT = (Kind.EMBEDDING, Kind.CLASSIFIER, Kind.TENSOR)

MEASURES: Mapping[str, MeasureBound] = {
    "relative_error_mean": MeasureBound(
        False, 0, 2, {Kind.EMBEDDING: 0.5, Kind.CLASSIFIER: 0.5, Kind.TENSOR: 0.1}, optional=True
    ),
    "relative_error_p99": MeasureBound(False, 0, 10, {Kind.TENSOR: 0.4}, optional=True),
    "relative_error_max": MeasureBound(False, 0, 100, {Kind.TENSOR: 1.0}, optional=True),
    "column_error_max": MeasureBound(False, 0, 10, {Kind.TENSOR: 0.5}, optional=True),
    "changed_values": MeasureBound(False, 0, 1, dict.fromkeys(_NOT_TEXT, 0.01), optional=True),
    "cosine_mean": MeasureBound(True, 0, 1, {Kind.EMBEDDING: 0.99}),
    "cosine_min": MeasureBound(True, -1, 1, {Kind.EMBEDDING: 0.9}),
    "recall_at_10": MeasureBound(True, 0, 1, {Kind.EMBEDDING: 0.95}),
    "length_change_mean": MeasureBound(False, 0, 10, {Kind.EMBEDDING: 0.05}),
    "changed_classes": MeasureBound(False, 0, 1, {Kind.CLASSIFIER: 0.02}),
    "probability_distance_mean": MeasureBound(False, 0, 1, {Kind.CLASSIFIER: 0.02}, optional=True),
    "probability_distance_p99": MeasureBound(False, 0, 1, {Kind.CLASSIFIER: 0.1}, optional=True),
    "calibration_difference": MeasureBound(False, 0, 1, {Kind.CLASSIFIER: 0.02}, optional=True),
    "character_error_rate": MeasureBound(False, 0, 1, {Kind.TEXT: 0.01}),
    "field_error_rate": MeasureBound(False, 0, 1, {Kind.TEXT: 0.01}, optional=True),
    "character_errors_added": MeasureBound(False, -1, 1, {Kind.TEXT: 0.002}, optional=True),
    "field_errors_added": MeasureBound(False, -1, 1, {Kind.TEXT: 0.002}, optional=True),
}


def check_bounds(bounds: Mapping[str, object], kind: Kind | None = None) -> Mapping[str, float]:
    """Return the owner's bounds, or raise BoundInvalid for an unknown name, a value out of range or another kind's."""
    return {name: _checked(name, value, kind) for name, value in bounds.items()}


def bounds_for(kind: Kind, overrides: Mapping[str, object]) -> Mapping[str, float]:
    """Return the bound of each measure of this kind, the owner's where there is one. Those of other kinds do not count.

    The kind is often found only from the answers, after the owner has set the bounds.
    """
    defaults = {name: rule.defaults[kind] for name, rule in MEASURES.items() if kind in rule.defaults}
    return {**defaults, **{name: value for name, value in check_bounds(overrides).items() if name in defaults}}


def _checked(name: str, value: object, kind: Kind | None) -> float:
    rule = MEASURES.get(name)
    usable = sorted(other for other, each in MEASURES.items() if kind is None or kind in each.defaults)
    if rule is None:
        raise BoundInvalid(f"unknown bound {name[:60]!r}; use one of {', '.join(usable)}")
    if kind is not None and kind not in rule.defaults:
        raise BoundInvalid(f"{name!r} is not measured for the kind {kind}; use one of {', '.join(usable)}")
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise BoundInvalid(f"the bound {name!r} must be a number, not {str(value)[:60]!r}")
    if not rule.lowest <= value <= rule.highest:
        raise BoundInvalid(f"the bound {name!r} must be from {rule.lowest:g} to {rule.highest:g}, not {value:g}")
    return float(value)
