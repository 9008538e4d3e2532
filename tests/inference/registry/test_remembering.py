"""Test that clients who submit work all the time look up a version only once in a while."""

import pytest
from django.db import connections
from django.test.utils import CaptureQueriesContext

from inference.registry.errors import ModelNotFound, ModelPaused
from inference.registry.models import ModelVersion, ServedModel
from inference.registry.selectors import remembering_versions, resolve
from inference.registry.services import set_paused
from tenants.core.db.unit_of_work import APP, operator_work
from tests.waiting import eventually


def queries_of(reference: str) -> int:
    with CaptureQueriesContext(connections[APP]) as captured:
        resolve(reference, tenant_id=None)
    return len(captured)


def test_a_version_is_asked_for_once_in_a_while(version: ModelVersion) -> None:
    name = version.served_model.name
    with remembering_versions(60.0):
        assert queries_of(name) == 1
        assert queries_of(name) == 0
        assert resolve(name, tenant_id=None) == version
    assert queries_of(name) == 1


def test_a_pause_holds_soon(version: ModelVersion) -> None:
    name = version.served_model.name

    def is_paused() -> bool:
        try:
            resolve(name, tenant_id=None)
        except ModelPaused:
            return True
        return False

    with remembering_versions(0.2):
        assert not is_paused()
        set_paused(name=name, paused=True)
        eventually(is_paused, "the pause")


def test_what_is_unknown_is_not_remembered(version: ModelVersion) -> None:
    with remembering_versions(60.0):
        with pytest.raises(ModelNotFound):
            resolve("not-yet", tenant_id=None)
        with operator_work():
            ServedModel.objects.filter(id=version.served_model_id).update(name="not-yet")
        assert resolve("not-yet", tenant_id=None) == version
