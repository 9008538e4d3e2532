"""Test versions whose graph is available in several precisions."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from inference.core.contracts import TensorInput
from inference.engine.engine import Engine
from inference.registry.admission import ModelRefused
from inference.registry.onnx_files import OnnxUpload, Precision, add_onnx_file
from inference.registry.selectors import spec_of
from inference.runtime.precision import artifact
from inference.runtime.session_host import SessionHost
from maas.management.commands.models import read_precision, read_variants
from tenants.core.db.unit_of_work import operator_work
from tenants.plans.prices import Price
from tests.inference.runtime.graphs import save_adder
from tests.inference.runtime.hosts import PLAN

PRICE = Price(meter="call", amount_micros=0, per=1, currency="EUR")


def save_int8_adder(path: Path, *, adds: int = 1) -> Path:
    """Save a graph that adds this number, which is one in the fp32 file."""
    graph = helper.make_graph(
        [
            helper.make_node("DequantizeLinear", ["eight_bits", "scale"], ["two"]),
            helper.make_node("Add", ["x", "two"], ["y"]),
        ],
        "int8",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", 4])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["rows", 4])],
        [
            numpy_helper.from_array(np.full(4, 2 * adds, np.int8), "eight_bits"),
            numpy_helper.from_array(np.array(0.5, np.float32), "scale"),
        ],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10), path)
    return path


def upload(file: Path, name: str, *, variants: dict[str, Path], precision: Precision | None) -> OnnxUpload:
    return OnnxUpload(file, name, "", "", PRICE, variants=variants, precision=precision)


def test_version_runs_in_the_precision_it_asks_for_on_this_device(tmp_path: Path) -> None:
    adder, int8 = save_adder(tmp_path / "adder.onnx"), save_int8_adder(tmp_path / "int8.onnx")
    version = add_onnx_file(upload(adder, "two-forms", variants={"int8": int8}, precision={"cpu": "int8"}))
    assert sorted(version.artifacts) == ["weights", "weights.int8"]
    with operator_work():
        spec = spec_of(version)
    assert Path(artifact(spec, "weights")).name == "model.int8.onnx"
    assert Path(artifact(spec, "weights", on_gpu=True)).name == "model.onnx"
    engine = Engine(SessionHost(PLAN, budget_bytes=1 << 30))
    answer = engine.run(spec, TensorInput({"x": np.zeros((1, 4), np.float32)}), {})
    assert answer.result["outputs"][0]["data"] == [1.0] * 4
    assert version.evaluation["variants"]["int8"]["verdict"]["admitted"]


def test_variant_whose_answers_differ_is_refused_with_the_figures(tmp_path: Path) -> None:
    adder, adds_two = save_adder(tmp_path / "adder.onnx"), save_int8_adder(tmp_path / "int8.onnx", adds=2)
    with pytest.raises(ModelRefused, match="the int8 variant: ") as refusal:
        add_onnx_file(upload(adder, "differs", variants={"int8": adds_two}, precision="int8"))
    assert refusal.value.code == "variant_out_of_bounds"


def test_digest_covers_the_variants_and_which_of_them_runs(tmp_path: Path) -> None:
    adder, int8 = save_adder(tmp_path / "adder.onnx"), save_int8_adder(tmp_path / "int8.onnx")
    digests = {
        add_onnx_file(upload(adder, "digests", variants=variants, precision=precision)).digest
        for variants, precision in (({}, None), ({"int8": int8}, None), ({"int8": int8}, "int8"))
    }
    assert len(digests) == 3


def test_same_file_again_is_the_same_version_however_long_its_trial_took(tmp_path: Path) -> None:
    again = upload(save_adder(tmp_path / "adder.onnx"), "same", variants={}, precision=None)
    first = add_onnx_file(again)
    assert add_onnx_file(again) == first
    assert float(first.config["load_s"]) > 0


@pytest.mark.parametrize(
    ("variants", "precision", "code", "words"),
    [
        ({}, "int8", "model_artifact_missing", "no artifact 'weights.int8'"),
        ({"int8": "int8"}, {"gpu": "fp16"}, "model_artifact_missing", "no artifact 'weights.fp16'"),
        ({"int8": "int8"}, {"tpu": "int8"}, "model_precision_unknown", "'tpu'"),
        ({"int4": "int8"}, None, "model_precision_unknown", "unknown precision 'int4'; use one of fp32"),
        ({"int8": "wide"}, "int8", "variant_differs", "the int8 variant has other inputs or outputs"),
        ({"int8": "broken"}, "int8", "model_corrupt", "the int8 variant: "),
        ({"int8": "gone"}, "int8", "model_unreadable", "gone cannot be read"),
    ],
)
def test_variant_that_could_not_serve_is_refused_before_anything_is_stored(
    tmp_path: Path, variants: dict[str, str], precision: Precision | None, code: str, words: str
) -> None:
    save_int8_adder(tmp_path / "int8")
    save_adder(tmp_path / "wide", floats=5)
    (tmp_path / "broken").write_bytes(b"\xff\xff not a model")
    files = {name: tmp_path / file for name, file in variants.items()}
    adder = save_adder(tmp_path / "adder.onnx")
    with pytest.raises(ModelRefused) as refusal:
        add_onnx_file(upload(adder, "refused", variants=files, precision=precision))
    assert refusal.value.code == code
    assert words in refusal.value.detail


def test_precisions_are_read_from_the_command_line() -> None:
    assert read_variants(["int8=a=b.onnx", "fp16=c.onnx"]) == {
        "int8": Path("a=b.onnx"),
        "fp16": Path("c.onnx"),
    }
    assert read_precision([]) is None
    assert read_precision(["int8"]) == "int8"
    assert read_precision(["cpu=int8", "gpu=fp16"]) == {"cpu": "int8", "gpu": "fp16"}


@pytest.mark.parametrize("given", [["int8"], ["=file"], ["int8="], ["int8=a", "int8=b"], ["fp32=a"]])
def test_variant_that_is_written_wrongly_is_refused(given: list[str]) -> None:
    with pytest.raises(ModelRefused, match="invalid_variant"):
        read_variants(given)


@pytest.mark.parametrize("given", [["int8", "fp16"], ["int8", "cpu=int8"], ["cpu=int8", "cpu=fp16"]])
def test_precision_that_is_written_wrongly_is_refused(given: list[str]) -> None:
    with pytest.raises(ModelRefused, match="invalid_variant"):
        read_precision(given)
