"""Tests of samples: an owner's inputs replace generated ones in the comparison of a variant."""

from pathlib import Path

import numpy as np
import pytest

from inference.core.calls import Call
from inference.models import ModelSamples, ModelTask, ModelVariant
from inference.registry.errors import ModelNotFound, SamplesInvalid, SamplesNotFound, VersionNotReady
from inference.registry.owners import owned_model
from inference.registry.samples import delete_samples, feeds_of, found_samples, set_samples
from inference.registry.task_runs import run_task
from inference.registry.tasks.claims import claim_task
from inference.registry.variants import add_variant
from inference.registry.versions import delete_model
from tenants.core.db.unit_of_work import operator_work, unit_of_work
from tenants.identity.identity import Identity
from tests.fixtures import unique
from tests.inference.registry.test_uploads import added, upload
from tests.inference.runtime.graphs import save_adder


@pytest.fixture(autouse=True)
def no_task_of_other_tests() -> None:
    with operator_work():
        ModelTask.objects.filter(state="queued").update(state="canceled")


@pytest.fixture
def adder(tmp_path: Path) -> Path:
    return save_adder(tmp_path / "adder.onnx")


def rows(*values: float) -> dict[str, np.ndarray]:
    return {"x": np.array([[value] * 4 for value in values], np.float32)}


def measured(owner: object, name: str, file: Path) -> ModelVariant:
    variant, _ = add_variant(owner=owner, model=name, number=1, file=file, precision="fp16")  # type: ignore[arg-type]
    claim = claim_task("worker", (ModelTask.Kind.MEASURE,))
    assert claim is not None
    run_task(claim, Call(), passes=lambda _: False)
    with operator_work():
        variant.refresh_from_db()
    return variant


def test_variants_are_compared_on_the_samples_of_the_owner(identity: Identity, adder: Path) -> None:
    owner, name = identity.tenant_id, unique("own")
    added(owner, adder, name)
    kept = set_samples(owner=owner, model=name, samples=[rows(*range(40)), rows(*range(40, 60))])
    assert (kept.samples, kept.rows) == (2, 60)
    variant = measured(owner, name, adder)
    assert variant.state == "admitted"
    assert variant.report["golden"]["generated"] is False
    assert variant.report["golden"]["held_out_rows"] == 30
    delete_samples(owner=owner, model=name)
    with pytest.raises(SamplesNotFound), unit_of_work(owner):
        found_samples(owned_model(owner, name))
    assert measured(owner, name, adder).report["golden"]["generated"] is True


def test_the_last_samples_count(identity: Identity, adder: Path) -> None:
    owner, name = identity.tenant_id, unique("own")
    version = added(owner, adder, name)
    for number in (1, 2):
        set_samples(owner=owner, model=name, samples=[rows(*range(number))])
    with operator_work():
        served = version.served_model
    assert [feeds["x"].tolist() for feeds in feeds_of(served)] == [[[0.0] * 4, [1.0] * 4]]


@pytest.mark.parametrize(
    ("samples", "detail"),
    [
        ([], "Send 1 to 10,000 samples; there are 0."),
        ([rows(1), {"y": np.ones((1, 4), np.float32)}], "Sample 2 has the inputs 'y'; the model takes 'x'."),
        ([{"x": np.ones((1, 3), np.float32)}], "Sample 1: "),
        ([{"x": np.ones((1, 4), np.int64)}], "Sample 1: "),
        ([{"x": np.ones((0, 4), np.float32)}], "Sample 1: the input 'x' has no values."),
    ],
)
def test_samples_that_do_not_fit_are_refused_and_change_nothing(
    identity: Identity,
    adder: Path,
    samples: list[dict[str, np.ndarray]],
    detail: str,
) -> None:
    owner, name = identity.tenant_id, unique("own")
    version = added(owner, adder, name)
    set_samples(owner=owner, model=name, samples=[rows(7)])
    with pytest.raises(SamplesInvalid) as refused:
        set_samples(owner=owner, model=name, samples=samples)
    assert refused.value.detail.startswith(detail)
    with operator_work():
        served = version.served_model
    assert len(feeds_of(served)) == 1


def test_another_account_has_no_such_model(identity: Identity, other_identity: Identity, adder: Path) -> None:
    name = unique("own")
    added(identity.tenant_id, adder, name)
    with pytest.raises(ModelNotFound):
        set_samples(owner=other_identity.tenant_id, model=name, samples=[rows(1)])
    set_samples(owner=identity.tenant_id, model=name, samples=[rows(1)])
    with unit_of_work(other_identity.tenant_id):
        assert not ModelSamples.objects.filter(served_model__name=name).exists()


def test_samples_need_a_version_that_is_ready_and_go_with_the_model(identity: Identity, adder: Path) -> None:
    owner, name = identity.tenant_id, unique("own")
    upload(owner, adder, name)
    with pytest.raises(VersionNotReady):
        set_samples(owner=owner, model=name, samples=[rows(1)])
    other = unique("own")
    added(owner, adder, other)
    set_samples(owner=owner, model=other, samples=[rows(1)])
    delete_model(owner=owner, model=other)
    with operator_work():
        assert not ModelSamples.objects.filter(served_model__name=other).exists()
