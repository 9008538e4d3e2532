"""Test the requests for transformations as callers send them."""

import pytest

from inference.factory.transforms import Fuse, Optimize, StaticInt8, TransformRefused, options_of, parameters_of
from inference.factory.transforms.options import KINDS


@pytest.mark.parametrize("name", KINDS)
def test_options_survive_json(name: str) -> None:
    options = KINDS[name]()
    assert options_of(name, parameters_of(options)) == options


def test_parameters_replace_defaults() -> None:
    options = options_of("static-int8", {"exclude": ["a", "b"], "max_error": 0.1, "method": "entropy"})
    assert options == StaticInt8(exclude=("a", "b"), max_error=0.1, method="entropy")
    assert options_of("static-int8", {"max_error": None}) == StaticInt8()
    assert options_of("fuse", {"heads": 12}) == Fuse(heads=12)


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("prune", {}, "transformation_unknown: there is no 'prune'; choose one of optimize, fuse"),
        ("optimize", {"layout": "nchwc"}, "parameter_unknown: optimize has no 'layout'; it has level"),
        ("slim", {"level": "basic"}, "slim has no 'level'; it has none"),
        ("optimize", {"level": "all"}, "level of optimize is 'all'; it must be one of basic, extended"),
        ("optimize", {"level": ["basic"]}, "it must be one of"),
        ("static-int8", {"percentile": 50}, "it must be a number from 90 to 100"),
        ("static-int8", {"percentile": None}, "it must be a number from 90 to 100"),
        ("static-int8", {"max_error": float("nan")}, "it must be a number from 0 to 10"),
        ("static-int8", {"min_weights": True}, "it must be a number"),
        ("static-int8", {"per_channel": 1}, "it must be true or false"),
        ("static-int8", {"exclude": "first"}, "it must be a list of at most 10000 names"),
        ("dynamic-int8", {"operators": [1]}, "it must be a list of at most 10000 names"),
    ],
)
def test_other_requests_are_refused_with_what_is_allowed(
    name: str, parameters: dict[str, object], message: str
) -> None:
    with pytest.raises(TransformRefused) as refused:
        options_of(name, parameters)
    assert message in str(refused.value)


def test_optimizing_writes_no_layout_of_one_processor() -> None:
    assert Optimize().level == "extended"
