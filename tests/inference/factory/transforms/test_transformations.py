"""Test what each transformation makes of a small graph, in the sandbox where it always runs."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto

from inference.factory.transforms import (
    DynamicInt8,
    Fuse,
    Half,
    Optimize,
    Options,
    Slim,
    StaticInt8,
    TransformRefused,
    transform,
)

from .graphs import (
    operators,
    perceptron,
    relative_error,
    samples,
    saved,
    with_an_outlier,
    with_biases,
    with_gelu,
    with_texts,
)

EXACT = 1e-5


@pytest.mark.parametrize(
    "options", [Optimize("basic"), Optimize("extended"), Slim()], ids=["basic", "extended", "slim"]
)
def test_a_graph_without_needless_operators_answers_the_same(tmp_path: Path, options: Options) -> None:
    source = saved(perceptron(), tmp_path)
    made = transform(source, options, into=tmp_path / "made.onnx")
    assert "Identity" not in operators(made.path)
    assert relative_error(made.path, source) < EXACT
    assert made.precision == "fp32"


def test_the_basic_level_leaves_standard_operators_only(tmp_path: Path) -> None:
    source = saved(with_gelu(), tmp_path)
    made = {level: transform(source, Optimize(level), into=tmp_path / level) for level in ("basic", "extended")}
    domains = {level: {node.domain for node in onnx.load(each.path).graph.node} for level, each in made.items()}
    assert domains["basic"] == {""}
    assert "com.microsoft" in domains["extended"]


def test_parts_of_a_transformer_are_fused(tmp_path: Path) -> None:
    source = saved(with_gelu(), tmp_path)
    made = transform(source, Fuse(), into=tmp_path / "made.onnx")
    assert made.lineage.notes == {"fused": {"Gelu": 1}}
    assert "Erf" not in operators(made.path)
    assert relative_error(made.path, source) < EXACT


def test_a_graph_without_such_parts_is_refused_for_fusion(tmp_path: Path) -> None:
    with pytest.raises(TransformRefused, match="nothing_to_fuse"):
        transform(saved(perceptron(), tmp_path), Fuse(), into=tmp_path / "made.onnx")
    assert [path.name for path in tmp_path.iterdir()] == ["source.onnx"]


def test_half_of_the_bytes_remain_in_fp16_and_callers_still_send_fp32(tmp_path: Path) -> None:
    source = saved(perceptron(), tmp_path)
    made = transform(source, Half(), into=tmp_path / "made.onnx")
    assert made.size_bytes < 0.55 * source.stat().st_size
    model = onnx.load(made.path)
    for value in (*model.graph.input, *model.graph.output):
        assert value.type.tensor_type.elem_type == TensorProto.FLOAT
    assert 0 < relative_error(made.path, source) < 0.005


def test_weights_become_int8_without_samples(tmp_path: Path) -> None:
    source = saved(perceptron(), tmp_path)
    made = transform(source, DynamicInt8(), into=tmp_path / "made.onnx")
    assert made.size_bytes < 0.35 * source.stat().st_size
    assert 0 < relative_error(made.path, source) < 0.05
    assert made.lineage.notes["quantized"] == {"MatMulInteger": 2}
    assert made.lineage.calibration_digest is None


@pytest.mark.parametrize("options", [Optimize(), Slim(), StaticInt8()], ids=lambda options: options.name)
def test_samples_may_have_texts(tmp_path: Path, options: Options) -> None:
    texts = np.array(["a", "é", b"b", ""] * 2, object)
    given = [{**sample, "text": texts} for sample in samples()]
    made = transform(saved(with_texts(), tmp_path), options, samples=given, into=tmp_path / "made.onnx")
    assert "LabelEncoder" in operators(made.path)


@pytest.mark.parametrize("shape", [(64,), (1, 64), (1,), (1, 1), ()])
def test_a_bias_may_have_any_shape_that_is_the_same_for_all_rows(tmp_path: Path, shape: tuple[int, ...]) -> None:
    source = saved(with_biases(shape, shape), tmp_path)
    made = transform(source, StaticInt8(), samples=samples(), into=tmp_path / "made.onnx")
    assert made.lineage.notes["quantized"] == 2
    assert 0 < relative_error(made.path, source) < 0.05


def test_a_layer_whose_bias_differs_from_row_to_row_stays_as_it_is(tmp_path: Path) -> None:
    source = saved(with_biases((8, 64), (64,)), tmp_path)
    made = transform(source, StaticInt8(), samples=samples(), into=tmp_path / "made.onnx")
    assert made.lineage.notes["quantized"] == 1
    assert 0 < relative_error(made.path, source) < 0.05


@pytest.mark.parametrize("method", ["minmax", "percentile", "entropy"])
def test_weights_and_activations_become_int8_by_samples(tmp_path: Path, method: str) -> None:
    source = saved(perceptron(), tmp_path)
    options = StaticInt8(method=method)
    made = transform(source, options, into=tmp_path / "made.onnx", samples=samples())
    assert made.size_bytes < 0.4 * source.stat().st_size
    assert 0 < relative_error(made.path, source) < (0.3 if method == "entropy" else 0.05)
    assert made.lineage.notes == {"quantized": 2, "kept": []}
    assert made.lineage.calibration_digest is not None


def test_activations_may_be_signed(tmp_path: Path) -> None:
    source = saved(perceptron(), tmp_path)
    made = transform(source, StaticInt8(activations="int8"), into=tmp_path / "made.onnx", samples=samples())
    points = [
        weight for weight in onnx.load(made.path).graph.initializer if weight.name.startswith("x_") and not weight.dims
    ]
    assert [weight.data_type for weight in points if weight.name.endswith("zero_point")] == [TensorProto.INT8]


def test_static_int8_without_samples_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TransformRefused, match="calibration_missing"):
        transform(saved(perceptron(), tmp_path), StaticInt8(), into=tmp_path / "made.onnx")


def test_the_node_that_loses_most_stays_in_fp32(tmp_path: Path) -> None:
    source = saved(with_an_outlier(), tmp_path)
    whole = transform(source, StaticInt8(), into=tmp_path / "whole.onnx", samples=samples())
    assert relative_error(whole.path, source) > 0.3
    made = transform(source, StaticInt8(max_error=0.05), into=tmp_path / "made.onnx", samples=samples())
    assert made.lineage.notes["kept"] == ["sensitive"]
    assert made.lineage.notes["quantized"] == 1
    assert relative_error(made.path, source) < 0.05


def test_a_bound_that_no_choice_keeps_is_refused(tmp_path: Path) -> None:
    options = StaticInt8(max_error=0.000001)
    with pytest.raises(TransformRefused, match="error_over_bound"):
        transform(saved(with_an_outlier(), tmp_path), options, into=tmp_path / "made.onnx", samples=samples())


def test_excluded_and_small_nodes_stay_in_fp32(tmp_path: Path) -> None:
    source = saved(perceptron(), tmp_path)
    one = transform(source, StaticInt8(exclude=("first",)), into=tmp_path / "one.onnx", samples=samples())
    assert one.lineage.notes["quantized"] == 1
    with pytest.raises(TransformRefused, match="nothing_to_quantize"):
        transform(source, StaticInt8(min_weights=1 << 20), into=tmp_path / "none.onnx", samples=samples())


def test_what_runtimes_read_from_the_file_is_kept(tmp_path: Path) -> None:
    """A recognizer lists its characters in the metadata, which some tools drop."""
    source = saved(perceptron(), tmp_path)
    for options in (Optimize(), Slim(), Half(), DynamicInt8(), StaticInt8()):
        made = transform(source, options, into=tmp_path / options.name, samples=samples(2))
        kept = {each.key: each.value for each in onnx.load(made.path).metadata_props}
        assert kept == {"character": "a\nb"}, options.name


def test_the_lineage_says_how_to_make_the_file_again(tmp_path: Path) -> None:
    source = saved(perceptron(), tmp_path)
    options = StaticInt8(per_channel=False, max_error=0.5)
    first, second = (
        transform(source, options, into=tmp_path / name, samples=samples()) for name in ("first", "second")
    )
    assert first.lineage == second.lineage
    assert first.digest == second.digest
    assert first.lineage.parameters["per_channel"] is False
    assert set(first.lineage.tools) >= {"onnx", "onnxruntime"}
    other = transform(source, options, into=tmp_path / "other", samples=samples(9))
    assert other.lineage.calibration_digest != first.lineage.calibration_digest
