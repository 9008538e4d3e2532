"""Tests of checks that are canceled, and of bounds that do not fit what a model turns out to be."""

from pathlib import Path
from threading import Thread

import pytest

from inference.core.calls import Call
from inference.models import ModelTask
from inference.registry.errors import ModelInUse, VersionNotReady
from inference.registry.orders import order_optimization
from inference.registry.task_runs import run_task
from inference.registry.tasks.claims import TaskClaim, claim_task, renew
from inference.registry.tasks.services import cancel_task
from inference.registry.variants import add_variant
from inference.registry.versions import change_model, delete_model, retire_version
from tenants.core.db.unit_of_work import operator_work
from tenants.identity.identity import Identity
from tests.fixtures import unique
from tests.inference.registry.test_uploads import KINDS, added, upload
from tests.inference.runtime.graphs import save_adder
from tests.samples.hostile_models.endless import looping
from tests.waiting import eventually


@pytest.fixture
def adder(tmp_path: Path) -> Path:
    return save_adder(tmp_path / "adder.onnx")


@pytest.fixture(autouse=True)
def no_task_of_other_tests() -> None:
    with operator_work():
        ModelTask.objects.filter(state="queued").update(state="canceled")


def test_a_model_that_is_deleted_while_it_is_checked_ends_the_trial_and_is_not_checked_again(
    identity: Identity, tmp_path: Path
) -> None:
    owner, name = identity.tenant_id, unique("own")
    endless = tmp_path / "endless.onnx"
    endless.write_bytes(looping(hidden=False))
    upload(owner, endless, name)
    claim = claim_task("worker", KINDS)
    assert claim is not None
    call = Call()
    outcomes: list[str] = []
    work = Thread(target=lambda: outcomes.append(run_task(claim, call, passes=lambda _: False)))
    work.start()
    eventually(lambda: stage_of(claim).startswith("running it once"), "the trial")
    delete_model(owner=owner, model=name)
    assert not renew(claim)
    assert claim_task("another", KINDS) is None
    call.cancel()
    work.join(20)
    assert outcomes == ["canceled"]
    assert state_of(claim) == "canceled"


def test_a_task_that_was_canceled_when_its_worker_died_is_ended(identity: Identity, adder: Path) -> None:
    name = unique("own")
    upload(identity.tenant_id, adder, name)
    claim = claim_task("worker", KINDS)
    assert claim is not None
    with operator_work():
        ModelTask.objects.filter(pk=claim.task_id).update(canceling=True, lease_until="2020-01-01T00:00Z")
    assert claim_task("another", KINDS) is None
    assert state_of(claim) == "canceled"


def state_of(claim: TaskClaim) -> str:
    with operator_work():
        return ModelTask.objects.get(pk=claim.task_id).state


def stage_of(claim: TaskClaim) -> str:
    with operator_work():
        return ModelTask.objects.get(pk=claim.task_id).stage


def test_bounds_of_another_kind_do_not_count_and_can_be_taken_back(identity: Identity, adder: Path) -> None:
    owner, name = identity.tenant_id, unique("own")
    version = added(owner, adder, name)
    change_model(owner=owner, model=name, bounds={"cosine_mean": 1.0, "relative_error_max": 0.5})
    variant, _ = add_variant(owner=owner, model=name, number=1, file=adder, precision="fp16")
    claim = claim_task("worker", (ModelTask.Kind.MEASURE,))
    assert claim is not None
    assert run_task(claim, Call(), passes=lambda _: False) == "done"
    with operator_work():
        variant.refresh_from_db()
        served = version.served_model
    assert variant.state == "admitted"
    assert variant.report["bounds"]["relative_error_max"] == 0.5
    assert "cosine_mean" not in variant.report["bounds"]
    change_model(owner=owner, model=name, bounds={})
    with operator_work():
        served.refresh_from_db()
    assert served.bounds == {}


def test_a_version_has_one_optimization_at_a_time(identity: Identity, adder: Path) -> None:
    owner, name = identity.tenant_id, unique("own")
    added(owner, adder, name)
    task = order_optimization(owner=owner, model=name, number=1, transformations=["slim", "slim"])
    assert task.params == {"transformations": ["slim"]}
    with pytest.raises(ModelInUse, match="is under way"):
        order_optimization(owner=owner, model=name, number=1)
    cancel_task(owner=owner, model=name, task_id=task.pk)
    order_optimization(owner=owner, model=name, number=1)


def test_a_refused_version_is_deleted_and_not_retired(identity: Identity, tmp_path: Path) -> None:
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(b"no model")
    name = unique("own")
    added(identity.tenant_id, broken, name)
    with pytest.raises(VersionNotReady, match="Delete it instead"):
        retire_version(owner=identity.tenant_id, model=name, number=1)
