"""Tests of versions made of variants: their measuring, their use, and their daily replay."""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from django.core.files.storage import default_storage

from inference.core.calls import Call
from inference.models import ModelTask, ModelVariant, ModelVersion
from inference.registry import artifacts
from inference.registry.collecting import collect_artifacts, collect_strays
from inference.registry.errors import VersionNotReady
from inference.registry.orders import order_replays
from inference.registry.selectors import find_version
from inference.registry.task_runs import run_task
from inference.registry.tasks.claims import claim_task
from inference.registry.uploads import ModelDescription, ModelUpload, add_upload
from inference.registry.variants import add_variant, use_variant
from inference.registry.versions import delete_model, describe_version
from tenants.core.db.unit_of_work import operator_work
from tenants.identity.identity import Identity
from tests.fixtures import unique
from tests.inference.registry.test_precisions import save_int8_adder
from tests.inference.runtime.graphs import save_adder

Kind = ModelTask.Kind


def work() -> None:
    """Run all tasks. Those of other tests may fail, because their files are gone."""
    while (claim := claim_task("worker", (Kind.VALIDATE, Kind.MEASURE, Kind.REPLAY))) is not None:
        run_task(claim, Call(), passes=lambda _: False)


@pytest.fixture
def used(identity: Identity, tmp_path: Path) -> tuple[str, ModelVariant]:
    """Return the name of a model that runs in int8, and the variant."""
    owner, name = identity.tenant_id, unique("own")
    add_upload(owner=owner, upload=ModelUpload(name=name, file=save_adder(tmp_path / "adder.onnx"), license="MIT"))
    work()
    int8 = save_int8_adder(tmp_path / "int8.onnx")
    variant, _task = add_variant(owner=owner, model=name, number=1, file=int8, precision="int8")
    work()
    with operator_work():
        variant.refresh_from_db()
    assert variant.state == "admitted", variant.report
    use_variant(owner=owner, model=name, number=1, variant_id=variant.pk)
    return name, variant


def test_a_variant_that_keeps_its_bounds_is_used_as_a_version_and_stays_one(
    identity: Identity, used: tuple[str, ModelVariant]
) -> None:
    name, variant = used
    version = find_version(name, tenant_id=identity.tenant_id)
    assert (version.number, version.config["precision"]) == (2, {"cpu": "int8", "gpu": "fp32"})
    assert order_replays() >= 1
    assert order_replays() == 0
    work()
    assert find_version(name, tenant_id=identity.tenant_id) == version
    assert version.lineage["variant"] == str(variant.pk)


def test_a_version_that_drifted_is_paused_and_its_source_answers_again(
    identity: Identity, used: tuple[str, ModelVariant]
) -> None:
    name, _variant = used
    version = find_version(name, tenant_id=identity.tenant_id)
    with operator_work():
        ModelVersion.objects.filter(pk=version.pk).update(artifacts=_adds_two(version))
    order_replays()
    work()
    assert find_version(name, tenant_id=identity.tenant_id).number == 1
    with operator_work():
        version.refresh_from_db()
    assert "differ more from its source" in version.paused_reason
    with pytest.raises(VersionNotReady, match="stays paused"):
        describe_version(owner=identity.tenant_id, model=name, number=2, description=ModelDescription(), resume=True)


def _adds_two(version: ModelVersion) -> dict[str, object]:
    """Return the files of the version with another one in int8, as if the hardware computed something else."""
    with TemporaryDirectory() as folder:
        stored = artifacts.store(save_int8_adder(Path(folder, "model.onnx"), adds=2))
    return {**version.artifacts, "weights.int8": stored}


def test_the_files_of_a_deleted_model_are_collected_unless_another_has_them(identity: Identity, tmp_path: Path) -> None:
    owner, names = identity.tenant_id, (unique("own"), unique("own"))
    for name in names:
        file = save_adder(tmp_path / f"{name}.onnx", floats=7)
        add_upload(owner=owner, upload=ModelUpload(name=name, file=file, license="MIT"))
    work()
    kept = find_version(names[1], tenant_id=owner).artifacts["weights"]["file"]
    delete_model(owner=owner, model=names[0])
    _long_ago(names[0])
    collect_artifacts()
    assert _is_there(kept)
    delete_model(owner=owner, model=names[1])
    _long_ago(names[1])
    collect_artifacts()
    assert not _is_there(kept)


def _long_ago(name: str) -> None:
    with operator_work():
        ModelVersion.objects.filter(served_model__name=name).update(deleted_at="2000-01-01T00:00Z")


def _is_there(file: str) -> bool:
    return bool(default_storage.exists(file))


def test_a_stored_file_without_a_row_is_collected_after_a_while(identity: Identity, tmp_path: Path) -> None:
    name, owner = unique("own"), identity.tenant_id
    file = save_adder(tmp_path / "adder.onnx", floats=9)
    version, _task = add_upload(owner=owner, upload=ModelUpload(name=name, file=file, license="MIT"))
    stray = artifacts.store(save_adder(tmp_path / "stray.onnx", floats=11), name=unique("stray"))
    collect_strays()
    assert _is_there(stray["file"])
    # Not with a shorter `KEPT`: files of tests that run beside this one may not have their rows yet.
    os.utime(default_storage.path(stray["file"]), (0, 0))
    assert collect_strays() >= 1
    assert not _is_there(stray["file"])
    assert _is_there(version.artifacts["weights"]["file"])
