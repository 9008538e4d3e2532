"""Tests of the refusals that callers get while a model of their account has no version that may run."""

from pathlib import Path
from uuid import UUID

import pytest

from inference.models import ModelVersion, ServedModel
from inference.registry.errors import ModelNotFound
from inference.registry.selectors import find_version
from tenants.core.db.unit_of_work import unit_of_work
from tenants.identity.identity import Identity
from tests.fixtures import unique
from tests.inference.registry.test_uploads import added, upload
from tests.inference.runtime.graphs import save_adder


@pytest.fixture
def adder(tmp_path: Path) -> Path:
    return save_adder(tmp_path / "adder.onnx")


def refusal_of(owner: UUID, reference: str) -> str:
    with pytest.raises(ModelNotFound) as error:
        find_version(reference, tenant_id=owner)
    return str(error.value)


def test_a_version_that_is_being_checked_is_named(identity: Identity, adder: Path) -> None:
    name = unique("own")
    upload(identity.tenant_id, adder, name)
    assert "Version 1 is being checked. Try again in a few seconds." in refusal_of(identity.tenant_id, name)
    assert refusal_of(identity.tenant_id, f"{name}@1").startswith("Version 1 is being checked.")


def test_a_version_that_was_refused_is_named(identity: Identity, tmp_path: Path) -> None:
    broken, name = tmp_path / "broken.onnx", unique("own")
    broken.write_bytes(b"no model")
    added(identity.tenant_id, broken, name)
    assert "Version 1 was refused: its report says why." in refusal_of(identity.tenant_id, name)


def test_a_version_or_alias_that_does_not_exist_is_named(identity: Identity, adder: Path) -> None:
    name = unique("own")
    added(identity.tenant_id, adder, name)
    assert refusal_of(identity.tenant_id, f"{name}@7") == f"The model {name!r} has no version 7."
    assert refusal_of(identity.tenant_id, f"{name}@champion") == f"The model {name!r} has no alias 'champion'."


def test_a_retired_version_is_named(identity: Identity, adder: Path) -> None:
    name = unique("own")
    added(identity.tenant_id, adder, name)
    with unit_of_work(identity.tenant_id):
        ModelVersion.objects.filter(served_model__name=name).update(state=ModelVersion.State.RETIRED)
    assert refusal_of(identity.tenant_id, f"{name}@1") == "Version 1 is retired and takes no new calls."


def test_another_account_is_told_the_same_as_about_an_unknown_model(
    identity: Identity, other_identity: Identity, adder: Path
) -> None:
    name = unique("own")
    upload(identity.tenant_id, adder, name)
    unknown = unique("own")
    for suffix in ("", "@1", "@current", "@champion"):
        message = refusal_of(other_identity.tenant_id, name + suffix)
        assert message == refusal_of(other_identity.tenant_id, unknown + suffix).replace(unknown, name)
    with unit_of_work(other_identity.tenant_id):
        assert not ServedModel.objects.filter(name=name).exists()
