"""Tests of the registration of the models whose networks are 8-bit. Here their files are other copies of exact ones."""

from collections.abc import Iterator
from pathlib import Path

import onnx
import pytest

from inference.models import ModelVersion, ServedModel
from inference.registry.artifacts import local_path
from inference.registry.errors import InvalidVariant, ModelTypeMismatch
from inference.registry.ocr_int8 import NETWORKS, OCR_INT8, READ_INT8, ExactReading, Registered, exact_reading, register
from inference.registry.selectors import find_version, spec_of
from inference.registry.services import seed_builtin
from inference.registry.versions import delete_model
from tenants.core.db.unit_of_work import operator_work

REPORT = {"verdict": {"admitted": True, "reasons": []}}
LINEAGE = {role: {"transformation": "static-int8"} for role in NETWORKS}
TIME = {"speedup": 1.5}


@pytest.fixture
def exact() -> Iterator[ExactReading]:
    seed_builtin()
    yield exact_reading()
    for name in (OCR_INT8, READ_INT8):
        with operator_work():
            exists = ServedModel.objects.filter(tenant=None, name=name, deleted_at=None).exists()
        if exists:
            delete_model(owner=None, model=name)


def networks(exact: ExactReading, folder: Path, note: str) -> dict[str, Path]:
    """Return copies of the exact networks, which are other files."""
    made = {}
    for role in NETWORKS:
        model = onnx.load(local_path(exact.read.artifacts[role]))
        model.doc_string = note
        made[role] = folder / f"{role}-{note}.onnx"
        onnx.save(model, made[role])
    return made


def registered(exact: ExactReading, files: dict[str, Path]) -> Registered:
    return register(exact, files, lineage=LINEAGE, report=REPORT, processor_time=TIME)


def test_both_models_are_registered_as_the_exact_ones_but_for_the_networks(exact: ExactReading, tmp_path: Path) -> None:
    files = networks(exact, tmp_path, "one")
    made = registered(exact, files)
    assert made.is_new
    with operator_work():
        ocr, read = (
            ModelVersion.objects.select_related("served_model").get(pk=one.pk) for one in (made.ocr, made.read)
        )
        assert {step.role: step.member_id for step in ocr.steps.all()} == {
            "orient": exact.orient.pk,
            "read": read.pk,
        }
    spec = spec_of(ocr)
    assert (spec.runtime, spec.config) == (exact.ocr.runtime, exact.ocr.config)
    for role in NETWORKS:
        assert Path(spec.steps["read"].artifacts[role]).read_bytes() == files[role].read_bytes()
    assert read.artifacts.keys() == exact.read.artifacts.keys()
    assert (read.digest, read.config) == (exact.digest_with(files), exact.read.config)
    assert (read.source_id, read.lineage) == (exact.read.pk, {"source": exact.read.key, **LINEAGE})
    assert (read.report, read.evaluation) == (REPORT, {"gate": REPORT, "processor_time": TIME})
    assert (ocr.source_id, ocr.lineage["members"]["read"]) == (exact.ocr.pk, read.key)
    assert ocr.served_model.price == exact.ocr.served_model.price
    assert ocr.served_model.parameters == exact.ocr.served_model.parameters


def test_other_networks_are_the_next_version_and_the_same_are_none(exact: ExactReading, tmp_path: Path) -> None:
    first = registered(exact, networks(exact, tmp_path, "one"))
    again = registered(exact, networks(exact, tmp_path, "one"))
    assert (again.is_new, again.read.pk, again.ocr.pk) == (False, first.read.pk, first.ocr.pk)
    other = registered(exact, networks(exact, tmp_path, "two"))
    assert (other.is_new, other.read.number) == (True, first.read.number + 1)
    assert find_version(OCR_INT8, tenant_id=None).pk == other.ocr.pk


def test_nothing_is_registered_unless_both_are(exact: ExactReading, tmp_path: Path) -> None:
    with operator_work():
        served, _ = ServedModel.objects.update_or_create(
            tenant=None, name=OCR_INT8, defaults={"accepts": ["tensors"], "deleted_at": None, "price_meter": "call"}
        )
        before = ModelVersion.objects.filter(served_model__name=READ_INT8).count()
    try:
        with pytest.raises(ModelTypeMismatch):
            registered(exact, networks(exact, tmp_path, "three"))
        with operator_work():
            assert ModelVersion.objects.filter(served_model__name=READ_INT8).count() == before
    finally:
        with operator_work():
            served.accepts = exact.ocr.served_model.accepts
            served.save(update_fields=["accepts"])


def test_a_model_that_reads_otherwise_is_refused() -> None:
    seed_builtin()
    with pytest.raises(InvalidVariant, match=r"^orient@\d+ does not read with the built-in networks, so 8-bit ones "):
        exact_reading("orient")
