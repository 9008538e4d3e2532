"""Tests of pipelines that accounts upload, with the checks that a worker makes."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from inference.engine.engine import local_engine
from inference.registry.errors import ModelExists, ModelInUse, ModelPaused, PipelineInvalid
from inference.registry.models import ModelShare, ModelTask, ModelVersion, PipelineStep, ServedModel
from inference.registry.own_pipelines import OwnPipeline, add_own_pipeline
from inference.registry.selectors import find_version, resolve, spec_of
from inference.registry.uploads import VersionUpload
from inference.registry.versions import delete_model, delete_version
from tenants.core.db.unit_of_work import operator_work
from tenants.identity.identity import Identity
from tests.fixtures import unique
from tests.inference.pipelines.declarations import CLASSIFIER, READER, changed, save_colors
from tests.inference.pipelines.test_pipeline import solid
from tests.inference.registry.test_uploads import added, check_all, no_task_of_other_tests

__all__ = ["no_task_of_other_tests"]


@pytest.fixture
def colors(identity: Identity, tmp_path: Path) -> ModelVersion:
    version = added(identity.tenant_id, save_colors(tmp_path / "colors.onnx"), unique("colors"))
    with operator_work():
        return ModelVersion.objects.select_related("served_model").get(pk=version.pk)


def declare(
    owner: UUID, members: Mapping[str, str], declared: Any = CLASSIFIER, *, name: str = "", new: bool = True
) -> ModelVersion:
    upload = VersionUpload(name=name or unique("classify"), license="MIT", new=new)
    version, _task = add_own_pipeline(owner=owner, upload=upload, pipeline=OwnPipeline(declared, members))
    check_all()
    with operator_work():
        return ModelVersion.objects.select_related("served_model").get(pk=version.pk)


def test_a_pipeline_becomes_ready_and_runs_its_member_apart(identity: Identity, colors: ModelVersion) -> None:
    version = declare(identity.tenant_id, {"colors": colors.key})
    assert (version.state, version.served_model.accepts) == ("ready", ["document"]), version.report
    assert {one["name"] for one in version.signature["outputs"]} == {"label", "score", "top"}
    assert version.lineage["members"] == {"colors": colors.key}
    assert find_version(version.served_model.name, tenant_id=identity.tenant_id) == version
    with operator_work():
        spec = spec_of(version)
    assert (spec.isolated, spec.steps["colors"].isolated) == (False, True)


def test_another_accounts_model_is_no_member_and_is_answered_like_an_unknown_one(
    identity: Identity, other_identity: Identity, colors: ModelVersion
) -> None:
    with pytest.raises(PipelineInvalid) as theirs:
        declare(other_identity.tenant_id, {"colors": colors.key})
    unknown = unique("none")
    with pytest.raises(PipelineInvalid) as missing:
        declare(other_identity.tenant_id, {"colors": f"{unknown}@1"})
    assert theirs.value.detail.replace(colors.key, "NAME") == missing.value.detail.replace(f"{unknown}@1", "NAME")
    with operator_work():
        assert not ServedModel.objects.filter(tenant=other_identity.tenant_id).exists()


@pytest.mark.parametrize(
    ("change", "node", "detail"),
    [
        (
            lambda declared: declared["steps"][0]["parameters"].update(width=4),
            "scores",
            "'pixels' must be FP32 tensor of shape",
        ),
        (lambda declared: declared["steps"][2].update(operation="join_texts"), "chances", "join_texts"),
        (lambda declared: declared["steps"][1]["inputs"].update(pixels="best"), "scores", "which is no earlier step"),
        (lambda declared: declared.update(surprise=1), "", "has no field 'surprise'"),
    ],
)
def test_a_pipeline_that_does_not_fit_is_refused_with_its_step(
    identity: Identity, colors: ModelVersion, change: Any, node: str, detail: str
) -> None:
    version = declare(identity.tenant_id, {"colors": colors.key}, changed(CLASSIFIER, change))
    refused = version.report["refused"]
    assert (version.state, refused["code"], refused.get("node", "")) == ("refused", "pipeline_invalid", node)
    assert detail in refused["detail"]


def test_a_member_stays_while_a_pipeline_uses_it(identity: Identity, colors: ModelVersion) -> None:
    owner, version = identity.tenant_id, declare(identity.tenant_id, {"colors": colors.key})
    with pytest.raises(ModelInUse):
        delete_model(owner=owner, model=colors.served_model.name)
    with pytest.raises(ModelInUse):
        delete_version(owner=owner, model=colors.served_model.name, number=1)
    delete_model(owner=owner, model=version.served_model.name)
    delete_model(owner=owner, model=colors.served_model.name)


def test_a_model_stays_what_it_is(identity: Identity, colors: ModelVersion) -> None:
    owner = identity.tenant_id
    with pytest.raises(ModelExists, match="is a single ONNX file, and this is a pipeline"):
        declare(owner, {"colors": colors.key}, name=colors.served_model.name)
    version = declare(owner, {"colors": colors.key})
    second = declare(owner, {"colors": f"{colors.served_model.name}@current"}, name=version.served_model.name)
    assert (second.number, second.state) == (2, "ready")
    with pytest.raises(PipelineInvalid, match="`accepts` must be a list of"):
        declare(owner, {"colors": colors.key}, changed(CLASSIFIER, lambda declared: declared.update(accepts="page")))


def test_it_pauses_while_a_member_is_not_shared_with_the_account(identity: Identity, tmp_path: Path) -> None:
    owner, shared = identity.tenant_id, added(None, save_colors(tmp_path / "colors.onnx"), unique("colors"))
    with operator_work():
        ServedModel.objects.filter(pk=shared.served_model_id).update(audience=ServedModel.Audience.CHOSEN)
        share = ModelShare.objects.create(served_model_id=shared.served_model_id, account_id=owner)
        name = shared.served_model.name
    version = declare(owner, {"colors": name})
    pipeline = version.served_model.name
    assert resolve(pipeline, tenant_id=owner) == version
    with operator_work():
        share.delete()
    with pytest.raises(ModelPaused, match=f"its member {name}@1 is not shared any more"):
        resolve(pipeline, tenant_id=owner)
    with pytest.raises(PipelineInvalid, match="There is no model"):
        declare(owner, {"colors": name})


def test_a_pipeline_of_ones_own_is_no_member(identity: Identity, colors: ModelVersion) -> None:
    version = declare(identity.tenant_id, {"colors": colors.key})
    with pytest.raises(PipelineInvalid, match="is a pipeline of yours"):
        declare(identity.tenant_id, {"reader": version.key}, READER)


def test_it_costs_what_its_members_cost(identity: Identity, colors: ModelVersion) -> None:
    free = declare(identity.tenant_id, {"colors": colors.key})
    assert free.served_model.price_micros == 0
    with operator_work():
        ServedModel.objects.filter(pk=colors.served_model_id).update(price_meter="page", price_micros=700)
    priced = declare(identity.tenant_id, {"colors": colors.key})
    served = priced.served_model
    assert (served.price_meter, served.price_micros, served.price_per) == ("page", 700, 1)


def test_what_was_checked_runs(identity: Identity, colors: ModelVersion) -> None:
    version = declare(identity.tenant_id, {"colors": colors.key})
    with operator_work():
        spec = spec_of(version)
    assert local_engine().run(spec, solid(0, 255, 0), {}).result["label"] == "green"


def test_rows_of_a_pipeline_belong_to_its_account(identity: Identity, colors: ModelVersion) -> None:
    version = declare(identity.tenant_id, {"colors": colors.key})
    with operator_work():
        assert {step.tenant_id for step in PipelineStep.objects.filter(pipeline=version)} == {identity.tenant_id}
        assert ModelTask.objects.filter(version=version, tenant=identity.tenant_id).exists()


def test_reading_needs_a_member_of_its_kind(identity: Identity, colors: ModelVersion) -> None:
    version = declare(identity.tenant_id, {"reader": colors.key}, READER)
    assert version.report["refused"]["node"] == "ocr"
