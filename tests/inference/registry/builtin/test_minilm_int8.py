from pathlib import Path

import onnx
import pytest
from onnx import numpy_helper

from inference.registry.builtin.minilm_export import ExportFailed
from inference.registry.builtin.minilm_int8 import check_closeness, export_minilm_int8
from tests.inference.registry.builtin.served import builtin_specs
from tests.inference.registry.builtin.test_minilm_export import WEIGHTS

TOKENIZER = WEIGHTS.with_name("tokenizer.json")


def test_the_file_is_a_quarter_of_the_exact_one_and_close_to_it(tmp_path: Path) -> None:
    exact, small = Path(builtin_specs()["embed"].artifacts["weights"]), tmp_path / "small.onnx"
    export_minilm_int8(WEIGHTS, small)
    assert small.stat().st_size < 0.3 * exact.stat().st_size
    check_closeness(exact, small, TOKENIZER)


def test_a_file_that_answers_otherwise_is_refused(tmp_path: Path) -> None:
    exact = Path(builtin_specs()["embed"].artifacts["weights"])
    model = onnx.load(exact)
    (kernel,) = [one for one in model.graph.initializer if one.name == "encoder.layer.3.output.dense.weight"]
    kernel.CopyFrom(numpy_helper.from_array(-numpy_helper.to_array(kernel), kernel.name))
    onnx.save(model, tmp_path / "other.onnx")
    with pytest.raises(ExportFailed, match="cosines to fp32"):
        check_closeness(exact, tmp_path / "other.onnx", TOKENIZER)
