"""Tests of uploaded models from the file to the deletion, with the checks that a worker makes."""

from pathlib import Path
from uuid import UUID

import numpy as np
import onnxruntime as ort
import pytest

from inference.core.calls import Call
from inference.core.contracts import TensorInput
from inference.engine.engine import Engine
from inference.model_host import ModelHosts
from inference.models import ModelShare, ModelTask, ModelVersion, ServedModel
from inference.registry.aliases import move_alias
from inference.registry.errors import (
    ModelExists,
    ModelInUse,
    ModelNotFound,
    ModelPaused,
    TooManyModels,
    VersionNotFound,
    VersionNotReady,
)
from inference.registry.isolation import pause_version, stays_paused
from inference.registry.selectors import active_models, find_version, resolve, spec_of, version_of_key
from inference.registry.task_runs import run_task
from inference.registry.tasks.claims import claim_task, put_off, renew
from inference.registry.tasks.services import cancel_task, found_task
from inference.registry.uploads import ModelDescription, ModelUpload, add_upload
from inference.registry.versions import (
    change_model,
    delete_model,
    delete_version,
    describe_version,
    retire_version,
    suspend_model,
)
from inference.runtime.session_host import SessionHost
from tenants.accounts.models import Tenant
from tenants.audit.models import AuditEntry
from tenants.billing.ledger.subscriptions import subscribe
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.core.errors import InvalidRequest
from tenants.identity.identity import Identity
from tests.fixtures import unique
from tests.inference.runtime.graphs import save_adder
from tests.inference.runtime.hosts import PLAN
from tests.samples.exports import TWO_TARGETS, ZIPMAP
from tests.tenants.plans.selling import make_plan

KINDS = (ModelTask.Kind.VALIDATE,)


@pytest.fixture
def adder(tmp_path: Path) -> Path:
    return save_adder(tmp_path / "adder.onnx")


def upload(owner: UUID | None, file: Path, name: str, **more: object) -> ModelVersion:
    version, _task = add_upload(
        owner=owner,
        upload=ModelUpload(name=name, file=file, license="MIT", **more),  # type: ignore[arg-type]
    )
    return version


@pytest.fixture(autouse=True)
def no_task_of_other_tests() -> None:
    with operator_work():
        ModelTask.objects.filter(state="queued").update(state="canceled")


def check_all() -> None:
    while (claim := claim_task("worker", KINDS)) is not None:
        run_task(claim, Call(), passes=lambda _: False)


def added(owner: UUID | None, file: Path, name: str) -> ModelVersion:
    version = upload(owner, file, name)
    check_all()
    with operator_work():
        version.refresh_from_db()
    return version


def test_an_upload_becomes_ready_and_the_first_one_answers(identity: Identity, adder: Path) -> None:
    owner, name = identity.tenant_id, unique("own")
    first = upload(owner, adder, name)
    assert first.state == "validating"
    with pytest.raises(ModelNotFound):
        find_version(name, tenant_id=owner)
    check_all()
    found = find_version(name, tenant_id=owner)
    assert (found.number, found.license, found.signature["inputs"][0]["name"]) == (1, "MIT", "x")
    assert found.engine_key == f"{name}.{owner.hex}@1"
    assert version_of_key(found.engine_key) == found
    second = added(owner, adder, name)
    assert (second.number, second.state) == (2, "ready")
    assert find_version(name, tenant_id=owner) == found


def test_a_file_that_is_no_model_is_refused_with_what_to_do(identity: Identity, tmp_path: Path) -> None:
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(b"no model")
    name = unique("own")
    version = added(identity.tenant_id, broken, name)
    assert version.state == "refused"
    assert version.report["refused"].keys() == {"code", "detail", "what_to_do"}
    with pytest.raises(VersionNotReady):
        move_alias(owner=identity.tenant_id, model=name, alias="a", number=1)


def test_a_model_that_declares_other_shapes_than_it_has_is_ready_and_answers(identity: Identity) -> None:
    name = unique("own")
    added(identity.tenant_id, TWO_TARGETS, name)
    version = find_version(name, tenant_id=identity.tenant_id)
    assert version.state == "ready"
    assert version.report["corrected"] == "Output 'variable' is declared as [-1, 1], but the trial gave [-1, 2]."
    assert version.signature["outputs"] == [{"name": "variable", "datatype": "FP32", "shape": [-1, 2]}]
    hosts = ModelHosts()
    engine = Engine(SessionHost(PLAN, budget_bytes=256 << 20, model_hosts=hosts))
    rows = np.array([[0, 1], [2, -3], [4, 5]], np.float32)
    try:
        answer = engine.answer(spec_of(version), TensorInput({"X": rows}), {}).tensors
    finally:
        hosts.close()
    (expected,) = ort.InferenceSession(TWO_TARGETS).run(None, {"X": rows})
    assert answer is not None
    np.testing.assert_array_equal(answer["variable"], expected)


def test_another_account_has_no_such_model_and_may_use_the_name(
    identity: Identity, other_identity: Identity, adder: Path
) -> None:
    name = unique("own")
    mine, other = added(identity.tenant_id, adder, name), other_identity.tenant_id
    for reference in (name, f"{name}@1", f"{name}@current"):
        with pytest.raises(ModelNotFound):
            find_version(reference, tenant_id=other)
        with pytest.raises(ModelNotFound):
            find_version(reference, tenant_id=None)
    with unit_of_work(other):
        assert not ServedModel.objects.filter(name=name).exists()
        assert not ModelVersion.objects.filter(pk=mine.pk).exists()
        assert name not in active_models(other).values_list("name", flat=True)
    with pytest.raises(ModelNotFound):
        delete_model(owner=other, model=name)
    theirs = added(other, adder, name)
    assert find_version(name, tenant_id=other) == theirs
    assert find_version(name, tenant_id=identity.tenant_id) == mine


def test_a_model_of_the_installation_is_for_the_accounts_that_it_is_shared_with(
    identity: Identity, other_identity: Identity, version: ModelVersion
) -> None:
    name = version.served_model.name
    with operator_work():
        ServedModel.objects.filter(pk=version.served_model_id).update(audience="chosen")
        ModelShare.objects.create(served_model=version.served_model, account_id=identity.tenant_id)
    assert find_version(name, tenant_id=identity.tenant_id) == version
    with pytest.raises(ModelNotFound):
        find_version(name, tenant_id=other_identity.tenant_id)


def test_a_name_of_the_installation_is_taken(identity: Identity, adder: Path, version: ModelVersion) -> None:
    with pytest.raises(ModelExists):
        upload(identity.tenant_id, adder, version.served_model.name)


def test_what_is_missing_or_too_much_is_refused_before_anything_is_stored(
    identity: Identity, adder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = identity.tenant_id
    for name, license_name in (("a b", "MIT"), ("ok", " "), ("", "MIT"), ("ok", "x" * 201)):
        with pytest.raises(InvalidRequest):
            add_upload(owner=owner, upload=ModelUpload(name=name, file=adder, license=license_name))
    with pytest.raises(ModelNotFound):
        upload(owner, adder, unique("own"), new=False)
    monkeypatch.setattr("django.conf.settings.MAAS_OWN_MODELS", 1)
    upload(owner, adder, unique("own"))
    with pytest.raises(TooManyModels):
        upload(owner, adder, unique("own"))
    monkeypatch.setattr("django.conf.settings.MAAS_OWN_MODEL_MB", 0)
    with pytest.raises(InvalidRequest, match="may have"):
        upload(owner, adder, unique("own"))


def test_a_plan_says_how_many_models_and_how_large_and_a_refusal_names_it(
    identity: Identity, adder: Path, tmp_path: Path
) -> None:
    owner, plan = identity.tenant_id, make_plan(own_models=1, own_model_mb=1)
    with operator_work():
        subscribe(tenant_id=owner, plan=plan)
    upload(owner, adder, unique("own"))
    with pytest.raises(TooManyModels, match=f"the plan '{plan.name}', this account may have 1 model of its own"):
        upload(owner, adder, unique("own"))
    large = tmp_path / "large.onnx"
    large.write_bytes(bytes(1_000_001))
    with pytest.raises(InvalidRequest, match=f"the plan '{plan.name}', this account may have models of 1 MB"):
        upload(owner, large, unique("own"))
    with operator_work():
        Tenant.objects.filter(pk=owner).update(own_models=2)
    upload(owner, adder, unique("own"))
    with operator_work():
        Tenant.objects.filter(pk=owner).update(own_models=0)
    with pytest.raises(TooManyModels, match=r"^This account may have 0 models"):
        upload(owner, adder, unique("own"))


def test_a_model_without_a_version_that_was_ever_ready_does_not_count(
    identity: Identity, adder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, refused, ready = identity.tenant_id, unique("refused"), unique("own")
    monkeypatch.setattr("django.conf.settings.MAAS_OWN_MODELS", 1)
    assert added(owner, ZIPMAP, refused).state == "refused"
    assert added(owner, adder, ready).state == "ready"
    with pytest.raises(TooManyModels):
        upload(owner, adder, refused)
    with pytest.raises(InvalidRequest, match="Invalid name ''"):
        upload(owner, adder, "")
    assert added(owner, adder, ready).number == 2
    delete_model(owner=owner, model=ready)
    assert added(owner, adder, refused).state == "ready"
    with pytest.raises(TooManyModels):
        upload(owner, adder, unique("own"))


def test_a_deleted_model_is_gone_and_its_numbers_are_not_used_again(identity: Identity, adder: Path) -> None:
    owner, name = identity.tenant_id, unique("own")
    added(owner, adder, name)
    added(owner, adder, name)
    with pytest.raises(ModelInUse):
        delete_version(owner=owner, model=name, number=1)
    delete_version(owner=owner, model=name, number=2)
    with pytest.raises(VersionNotFound):
        retire_version(owner=owner, model=name, number=2)
    delete_model(owner=owner, model=name)
    with pytest.raises(ModelNotFound):
        find_version(f"{name}@1", tenant_id=owner)
    again = added(owner, adder, name)
    assert (again.number, find_version(name, tenant_id=owner)) == (3, again)


def test_a_task_whose_worker_dies_is_done_by_another_and_the_first_writes_nothing(
    identity: Identity, adder: Path
) -> None:
    version = upload(identity.tenant_id, adder, unique("own"))
    claim = claim_task("dies", KINDS)
    assert claim is not None
    assert renew(claim)
    assert claim_task("waits", KINDS) is None
    with operator_work():
        claim.held.update(lease_until="2000-01-01T00:00Z")
    second = claim_task("lives", KINDS)
    assert second is not None
    assert (second.task_id, second.attempt) == (claim.task_id, 2)
    assert run_task(claim, Call(), passes=lambda _: False) == "lost"
    assert run_task(second, Call(), passes=lambda _: False) == "done"
    with operator_work():
        version.refresh_from_db()
    assert version.state == "ready"


def test_a_task_that_kills_its_workers_is_given_up(identity: Identity, adder: Path) -> None:
    version = upload(identity.tenant_id, adder, unique("own"))
    for _ in range(3):
        claim = claim_task("dies", KINDS)
        assert claim is not None
        put_off(claim, 0.0)
    claim = claim_task("dies", KINDS)
    assert claim is not None
    assert run_task(claim, Call(), passes=lambda _: False) == "given up"
    with operator_work():
        version.refresh_from_db()
    assert version.state == "refused"


def test_a_task_is_canceled_by_its_owner_alone(identity: Identity, other_identity: Identity, adder: Path) -> None:
    owner, name = identity.tenant_id, unique("own")
    _version, task = add_upload(owner=owner, upload=ModelUpload(name=name, file=adder, license="MIT"))
    with pytest.raises(Exception, match="no task"):
        cancel_task(owner=other_identity.tenant_id, model=name, task_id=task.pk)
    assert cancel_task(owner=owner, model=name, task_id=task.pk).state == "canceled"
    with unit_of_work(owner):
        assert found_task(owner, name, task.pk).ended


def test_files_of_an_owner_are_checked_one_after_another(
    identity: Identity, other_identity: Identity, adder: Path
) -> None:
    for owner in (identity.tenant_id, identity.tenant_id, other_identity.tenant_id):
        upload(owner, adder, unique("own"))
    claims = [claim_task(f"worker {number}", KINDS) for number in range(3)]
    assert [claim.tenant_id if claim else None for claim in claims] == [
        identity.tenant_id,
        other_identity.tenant_id,
        None,
    ]
    for claim in claims[:2]:
        assert claim is not None
        run_task(claim, Call(), passes=lambda _: False)
    second = claim_task("worker", KINDS)
    assert second is not None
    assert second.tenant_id == identity.tenant_id
    put_off(second, 0.0)
    check_all()


def test_a_version_whose_processes_ended_is_paused_and_resumed(identity: Identity, adder: Path) -> None:
    name, owner = unique("own"), identity.tenant_id
    added(owner, adder, name)
    version = find_version(name, tenant_id=owner)
    pause_version("", version.engine_key, "it crashed")
    assert stays_paused(version.engine_key)
    with pytest.raises(ModelPaused, match="it crashed"):
        resolve(name, tenant_id=owner)
    described = ModelDescription(description="mended")
    describe_version(owner=owner, model=name, number=1, description=described, resume=True)
    assert not stays_paused(version.engine_key)
    assert resolve(name, tenant_id=owner).description == "mended"
    describe_version(owner=owner, model=name, number=1, description=ModelDescription(), resume=True)
    with unit_of_work(owner):
        actions = AuditEntry.objects.filter(subject_id=str(version.pk)).values_list("action", flat=True)
        assert list(actions).count("model.version_resumed") == 1


def test_what_an_operator_suspended_is_resumed_by_an_operator_alone(identity: Identity, adder: Path) -> None:
    owner, name = identity.tenant_id, unique("own")
    version = added(owner, adder, name)
    with operator_work():
        served = version.served_model
    suspend_model(served, suspended=True)
    with pytest.raises(ModelPaused, match="by the operator"):
        resolve(name, tenant_id=owner)
    for paused in (False, True):
        with pytest.raises(ModelPaused, match="Ask the operator"):
            change_model(owner=owner, model=name, paused=paused)
    change_model(owner=owner, model=name, title="still described")
    suspend_model(served, suspended=False)
    assert resolve(name, tenant_id=owner) == version
