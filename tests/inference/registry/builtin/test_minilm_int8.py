from collections import Counter
from pathlib import Path

import onnx
import onnxruntime as ort
import pytest
from onnx import numpy_helper

from inference.registry.builtin.minilm_export import LAYERS, ExportFailed
from inference.registry.builtin.minilm_int8 import check_closeness, export_minilm_int8
from tests.inference.registry.builtin.served import builtin_specs
from tests.inference.registry.builtin.test_minilm_export import WEIGHTS

TOKENIZER = WEIGHTS.with_name("tokenizer.json")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("int8") / "small.onnx"
    export_minilm_int8(WEIGHTS, path)
    return path


def test_the_file_is_a_quarter_of_the_exact_one_and_close_to_it(small: Path) -> None:
    exact = Path(builtin_specs()["embed"].artifacts["weights"])
    assert small.stat().st_size < 0.3 * exact.stat().st_size
    check_closeness(exact, small, TOKENIZER)


def test_no_layer_norm_is_joined_with_the_sum_before_it(small: Path, tmp_path: Path) -> None:
    """The joined operator takes four times as long as the two separate ones."""
    read = ort.SessionOptions()
    read.optimized_model_filepath = str(tmp_path / "optimized.onnx")
    ort.InferenceSession(str(small), read, providers=["CPUExecutionProvider"])
    operators = Counter(node.op_type for node in onnx.load(read.optimized_model_filepath).graph.node)
    assert operators["LayerNormalization"] == 2 * LAYERS + 1
    assert not operators["SkipLayerNormalization"]


def test_a_file_that_answers_otherwise_is_refused(tmp_path: Path) -> None:
    exact = Path(builtin_specs()["embed"].artifacts["weights"])
    model = onnx.load(exact)
    (kernel,) = [one for one in model.graph.initializer if one.name == "encoder.layer.3.output.dense.weight"]
    kernel.CopyFrom(numpy_helper.from_array(-numpy_helper.to_array(kernel), kernel.name))
    onnx.save(model, tmp_path / "other.onnx")
    with pytest.raises(ExportFailed, match="cosines to fp32"):
        check_closeness(exact, tmp_path / "other.onnx", TOKENIZER)
