import json
from pathlib import Path

import pytest

from inference.registry.builtin.catalog import BUILTIN, BuiltinModel
from tests.inference.registry.builtin.served import builtin_engine, builtin_specs

PRICES = {
    "orient": ("page", 100, 1),
    "read": ("page", 1000, 1),
    "ocr": ("page", 1000, 1),
    "embed": ("token", 1000, 1000),
    "parse": ("page", 1500, 1),
}


@pytest.mark.parametrize("model", BUILTIN, ids=lambda model: model.name)
def test_built_files_are_what_the_runtime_asks_for(model: BuiltinModel) -> None:
    spec = builtin_specs()[model.name]
    assert all(Path(path).stat().st_size for path in spec.artifacts.values())
    builtin_engine().load(spec)
    assert model.name in {resident.key.partition("@")[0] for resident in builtin_engine().resident()}


def test_steps_come_before_the_pipelines_that_use_them() -> None:
    seen: set[str] = set()
    for model in BUILTIN:
        assert set(model.steps.values()) <= seen
        seen.add(model.name)


@pytest.mark.parametrize("model", BUILTIN, ids=lambda model: model.name)
def test_price_is_that_of_the_list_and_what_the_cache_answers_costs_a_tenth(model: BuiltinModel) -> None:
    assert (model.price.meter, model.price.amount_micros, model.price.per) == PRICES[model.name]
    assert model.price.currency == "EUR"
    assert model.cached_price_micros * 10 == model.price.amount_micros


@pytest.mark.parametrize("model", BUILTIN, ids=lambda model: model.name)
def test_what_callers_are_told_can_be_written_as_json(model: BuiltinModel) -> None:
    card = {"parameters": model.parameters_json(), "signature": model.signature, "config": model.config}
    assert json.loads(json.dumps(card)) == json.loads(json.dumps(card, default=list))
    for parameter in model.parameters_json():
        assert {"name", "type", "default", "description"} <= set(parameter)
