import math

import pytest

from inference.factory.bounds import MEASURES, BoundInvalid, bounds_for, check_bounds
from inference.factory.measures.pairs import Kind


@pytest.mark.parametrize("kind", Kind)
def test_every_kind_has_a_bound_that_must_be_measured_or_a_relative_error(kind: Kind) -> None:
    names = bounds_for(kind, {})
    assert "relative_error_mean" in names or any(not MEASURES[name].optional for name in names)


def test_the_owners_bound_replaces_the_default() -> None:
    assert bounds_for(Kind.EMBEDDING, {"cosine_mean": 0.98})["cosine_mean"] == 0.98
    assert bounds_for(Kind.EMBEDDING, {})["cosine_mean"] == 0.99


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ({"cosine": 0.9}, "unknown bound 'cosine'; use one of"),
        ({"cosine_mean": 1.5}, "must be from 0 to 1, not 1.5"),
        ({"cosine_mean": math.nan}, "must be a number"),
        ({"cosine_mean": True}, "must be a number"),
        ({"cosine_mean": "0.9"}, "must be a number"),
    ],
)
def test_a_bound_that_makes_no_sense_is_refused(bounds: dict[str, object], message: str) -> None:
    with pytest.raises(BoundInvalid, match=message):
        check_bounds(bounds)


def test_a_bound_of_another_kind_is_refused_where_the_kind_is_known_and_does_not_count_elsewhere() -> None:
    with pytest.raises(BoundInvalid, match="not measured for the kind tensor"):
        check_bounds({"cosine_mean": 0.9}, Kind.TENSOR)
    assert "cosine_mean" not in bounds_for(Kind.TENSOR, {"cosine_mean": 0.9})


@pytest.mark.parametrize("rule", MEASURES.values())
def test_defaults_are_in_range(rule: object) -> None:
    assert all(rule.lowest <= value <= rule.highest for value in rule.defaults.values())  # type: ignore[attr-defined]
