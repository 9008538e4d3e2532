from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from onnx import TensorProto

from inference.contracts import TensorInput, VersionSpec, WorkOutput, WorkRefused
from inference.runtime.engine import Engine
from inference.runtime.errors import ModelFailed
from inference.runtime.onnx_graph import read_signature
from inference.runtime.providers import CPU, plan_execution
from inference.runtime.session_host import SessionHost
from tests.inference.runtime.graphs import save_adder, save_operator

PLAN = plan_execution([CPU], threads=1, has_nvidia_gpu=False)


@pytest.fixture
def engine() -> Engine:
    return Engine(SessionHost(PLAN, budget_bytes=1 << 30))


def run(engine: Engine, path: Path, **tensors: npt.NDArray[Any]) -> WorkOutput:
    spec = VersionSpec("mine", 1, "digest", "onnx", {"weights": str(path)})
    return engine.run(spec, TensorInput(tensors), {})


def test_outputs_are_named_flat_and_typed(engine: Engine, tmp_path: Path) -> None:
    path = save_adder(tmp_path / "adder.onnx", floats=2)
    answer = run(engine, path, x=np.array([[1, 2], [3, 4]], np.float32))
    assert answer.result == {
        "outputs": [{"name": "y", "shape": [2, 2], "datatype": "FP32", "data": [2.0, 3.0, 4.0, 5.0]}]
    }
    assert answer.units.calls == 1


@pytest.mark.parametrize(
    ("kind", "values", "datatype"),
    [
        (TensorProto.FLOAT, np.array([1.5], np.float32), "FP32"),
        (TensorProto.DOUBLE, np.array([1.5], np.float64), "FP64"),
        (TensorProto.FLOAT16, np.array([1.5], np.float16), "FP16"),
        (TensorProto.INT64, np.array([2**40], np.int64), "INT64"),
        (TensorProto.INT32, np.array([7], np.int32), "INT32"),
        (TensorProto.UINT8, np.array([255], np.uint8), "UINT8"),
        (TensorProto.BOOL, np.array([True]), "BOOL"),
        (TensorProto.STRING, np.array(["grüß dich"], object), "BYTES"),
    ],
)
def test_values_of_each_type_come_back_as_they_went_in(
    engine: Engine, tmp_path: Path, kind: int, values: npt.NDArray[Any], datatype: str
) -> None:
    path = save_operator(tmp_path / "same.onnx", "Identity", kind=kind)
    (output,) = run(engine, path, x=values).result["outputs"]
    assert (output["datatype"], output["data"]) == (datatype, values.tolist())


@pytest.mark.parametrize(
    ("tensors", "detail"),
    [
        ({}, "expected tensors 'x'; got none"),
        ({"z": np.zeros((1, 4), np.float32)}, "expected tensors 'x'; got 'z'"),
        ({"x": np.zeros((1, 4), np.int64)}, "'x' must be FP32, not INT64"),
        ({"x": np.zeros((1, 4), np.complex64)}, "'x' must be FP32, not complex64"),
        ({"x": np.zeros((1, 5), np.float32)}, "'x' must have shape [-1, 4], not [1, 5]"),
        ({"x": np.zeros(4, np.float32)}, "'x' must have shape [-1, 4], not [4]"),
    ],
)
def test_wrong_tensor_is_refused_with_expected_and_got(
    engine: Engine, tmp_path: Path, tensors: dict[str, npt.NDArray[Any]], detail: str
) -> None:
    with pytest.raises(WorkRefused) as refusal:
        run(engine, save_adder(tmp_path / "adder.onnx"), **tensors)
    assert (refusal.value.code, refusal.value.detail) == ("invalid_tensor", detail)


def test_answer_that_json_cannot_say_fails_the_model_not_the_reader(engine: Engine, tmp_path: Path) -> None:
    path = save_operator(tmp_path / "root.onnx", "Sqrt")
    with pytest.raises(ModelFailed) as failure:
        run(engine, path, x=np.array([-1.0], np.float32))
    assert failure.value.code == "model_output_not_finite"


def test_version_without_a_graph_names_the_missing_role(engine: Engine) -> None:
    spec = VersionSpec("mine", 1, "digest", "onnx", {"graph": "x.onnx"})
    with pytest.raises(ModelFailed, match=r"mine@1 has no artifact 'weights' \(it has: graph\)"):
        engine.run(spec, TensorInput({}), {})


def test_signature_is_read_from_the_file(engine: Engine, tmp_path: Path) -> None:
    signature = read_signature(engine.host, save_adder(tmp_path / "adder.onnx", floats=2))
    assert signature.as_json() == {
        "inputs": [{"name": "x", "datatype": "FP32", "shape": [-1, 2]}],
        "outputs": [{"name": "y", "datatype": "FP32", "shape": [-1, 2]}],
    }
