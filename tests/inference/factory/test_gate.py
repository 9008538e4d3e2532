import math

import pytest

from inference.factory.bounds import bounds_for
from inference.factory.gate import verdict
from inference.factory.measures.checks import Fault
from inference.factory.measures.measured import Measured
from inference.factory.measures.pairs import Kind, Measure

GOOD = (
    Measure("cosine_mean", 0.995),
    Measure("cosine_min", 0.97, "vectors", "normal, 1 row, number 3"),
    Measure("recall_at_10", 0.96),
    Measure("length_change_mean", 0.01),
)
BOUNDS = bounds_for(Kind.EMBEDDING, {})


def of(*measures: Measure, faults: tuple[Fault, ...] = ()) -> Measured:
    return Measured(Kind.EMBEDDING, 100, faults, measures)


def test_a_variant_within_all_bounds_is_admitted() -> None:
    assert verdict(of(*GOOD), BOUNDS).admitted


def test_a_value_at_its_bound_is_within_it() -> None:
    assert verdict(of(*GOOD), {"cosine_mean": 0.995}).admitted


@pytest.mark.parametrize("value", [0.9, math.nan, -math.inf])
def test_a_value_outside_its_bound_is_refused_with_both_figures(value: float) -> None:
    found = verdict(of(Measure("cosine_mean", value, "vectors", "wide"), *GOOD[1:]), BOUNDS)
    assert not found.admitted
    assert found.reasons[0].detail == (
        f"cosine_mean is {value:.4g}, and must be at least 0.99 (output 'vectors'; sample wide)"
    )
    assert found.reasons[0].bound == 0.99


def test_a_fault_refuses_whatever_the_bounds_are() -> None:
    found = verdict(of(*GOOD, faults=(Fault("not_finite", "NaN", "y"),)), {})
    assert [reason.detail for reason in found.reasons] == ["NaN (output 'y')"]


def test_a_measure_that_is_missing_refuses() -> None:
    found = verdict(of(*GOOD[:2], GOOD[3]), BOUNDS)
    assert [reason.code for reason in found.reasons] == ["recall_at_10"]


def test_nothing_measured_is_nothing_admitted() -> None:
    assert not verdict(of(), {}).admitted
