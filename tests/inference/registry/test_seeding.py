"""Test what every installation contains, even when a newer product starts on the tables of an older one."""

from pytest_django import Settings

from inference.registry.models import ModelVersion, ServedModel
from inference.registry.services import seed_builtin
from tenants.cells.cells import Cells
from tenants.core.db.unit_of_work import operator_work


def parameters_of(name: str) -> list[str]:
    with operator_work():
        return [one["name"] for one in ServedModel.objects.get(name=name).parameters]


def test_a_model_that_is_there_learns_the_parameters_that_are_new() -> None:
    before = seed_builtin()
    known = parameters_of("embed")
    assert known
    with operator_work():
        ServedModel.objects.filter(name="embed").update(parameters=[])
    assert seed_builtin() == before, "nothing is built again"
    assert parameters_of("embed") == known


def test_a_cell_has_the_models_of_its_control_cell_and_makes_none(settings: Settings) -> None:
    settings.MAAS_CELLS = Cells("eu", control="us")
    with operator_work():
        before = set(ModelVersion.objects.values_list("pk", flat=True))
        assert seed_builtin() == []
        assert set(ModelVersion.objects.values_list("pk", flat=True)) == before
