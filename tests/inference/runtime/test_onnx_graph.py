import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import pytest
from onnx import TensorProto

from inference.core.calls import Call
from inference.core.contracts import TensorInput, VersionSpec, WorkOutput, WorkRefused
from inference.core.errors import ModelFailed
from inference.engine.engine import Engine
from inference.rpc import LaneRequest
from inference.runtime.batched import Begun
from inference.runtime.onnx_graph import read_signature
from inference.runtime.providers import CPU, plan_execution
from inference.runtime.session_host import SessionHost
from tests.inference.runtime.graphs import (
    save_adder,
    save_graph_text,
    save_operator,
    save_wide,
    save_widening,
)
from tests.samples.exports import TWO_TARGETS

PLAN = plan_execution([CPU], threads=1, has_nvidia_gpu=False)


@pytest.fixture
def engine() -> Engine:
    return Engine(SessionHost(PLAN, budget_bytes=1 << 30))


def mine(path: Path) -> VersionSpec:
    return VersionSpec("mine", 1, "digest", "onnx", {"weights": str(path)})


def run(engine: Engine, path: Path, **tensors: npt.NDArray[Any]) -> WorkOutput:
    return engine.run(mine(path), TensorInput(tensors), {})


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


def test_arrays_are_given_as_they_are_also_where_json_could_not_say_them(engine: Engine, tmp_path: Path) -> None:
    spec = mine(save_operator(tmp_path / "root.onnx", "Sqrt"))
    answer = engine.answer(spec, TensorInput({"x": np.array([4.0, -1.0], np.float32)}), {})
    assert answer.tensors is not None
    np.testing.assert_array_equal(answer.tensors["y"], np.array([2.0, np.nan], np.float32))
    assert answer.tensors["y"].flags.owndata
    assert answer.result == {}


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


@pytest.mark.parametrize("gives_all", [False, True])
def test_the_trial_of_many_rows_takes_no_memory_for_good(engine: Engine, tmp_path: Path, gives_all: bool) -> None:
    """The trial has more rows than a caller may ever send: here 32 of them take 32 MB, besides 8 MB of weights."""
    path = save_wide(tmp_path / "wide.onnx", inputs=8, width=250_000, gives_all=gives_all)
    run(engine, path, x=np.ones((1, 8), np.float32))
    assert engine.host.held_bytes < 24_000_000


def failure_of(engine: Engine, path: Path, **tensors: npt.NDArray[Any]) -> ModelFailed:
    with pytest.raises(ModelFailed) as failure:
        run(engine, path, **tensors)
    return failure.value


def test_an_output_of_another_shape_than_declared_is_no_answer(engine: Engine, tmp_path: Path) -> None:
    path = save_widening(tmp_path / "widening.onnx")
    assert run(engine, path, x=np.ones((1, 2), np.float32)).result["outputs"][0]["shape"] == [1, 2]
    failure = failure_of(engine, path, x=np.full((1, 2), 4, np.float32))
    assert (failure.code, failure.detail) == (
        "model_output_invalid",
        "output 'y' must by its declaration have shape [-1, 2], not [1, 8]",
    )


def test_an_output_of_another_rank_than_declared_is_no_answer(engine: Engine, tmp_path: Path) -> None:
    path = save_graph_text(
        tmp_path / "flat.onnx",
        """flat (float[n] x) => (float[a, b] y) <int64[1] first = {0}, float least = {1.0}>
        { m = ReduceMax<keepdims = 0>(x) l = Max(m, least) i = Cast<to = 7>(l) v = Unsqueeze(i, first)
          s = ConstantOfShape<value = int64[1] {1}>(v) y = Reshape(x, s) }""",
    )
    failure = failure_of(engine, path, x=np.full(1, 3, np.float32))
    assert failure.detail == "output 'y' must by its declaration have shape [-1, -1], not [1, 1, 1]"


def test_the_shapes_that_a_version_knows_count_more_than_those_of_its_file(engine: Engine) -> None:
    rows = {"X": np.zeros((3, 2), np.float32)}
    assert failure_of(engine, TWO_TARGETS, **rows).code == "model_output_invalid"
    knows = replace(mine(TWO_TARGETS), number=2, output_shapes={"variable": (-1, 2)})
    outputs = engine.run(knows, TensorInput(rows), {}).result["outputs"]
    assert outputs[0]["shape"] == [3, 2]


def test_an_output_whose_shape_the_file_leaves_open_may_have_any(engine: Engine, tmp_path: Path) -> None:
    path = save_widening(tmp_path / "open.onnx", declared="float")
    model = onnx.load(path)
    model.graph.output[0].type.tensor_type.ClearField("shape")
    onnx.save(model, path)
    assert run(engine, path, x=np.full((1, 2), 4, np.float32)).result["outputs"][0]["shape"] == [1, 8]


def test_what_a_caller_reads_of_a_failure_names_the_version_and_no_sources(engine: Engine, tmp_path: Path) -> None:
    path = save_graph_text(
        tmp_path / "model.onnx",
        """huge (float[n] x) => (float[m] y) <int64[1] first = {0}>
        { m = ReduceMax<keepdims = 0>(x) i = Cast<to = 7>(m) v = Unsqueeze(i, first) y = ConstantOfShape(v) }""",
    )
    failure = failure_of(engine, path, x=np.full(1, 1e15, np.float32))
    assert failure.code == "model_run_failed"
    assert failure.detail.startswith("mine@1: ")
    assert "Failed to allocate memory" in failure.detail
    assert "/onnxruntime_src" not in failure.detail
    assert "BFCArena" not in failure.detail


def test_a_run_that_is_begun_ends_as_one_that_is_waited_for(engine: Engine, tmp_path: Path) -> None:
    spec = mine(save_adder(tmp_path / "adder.onnx", floats=2))
    ended, call = threading.Event(), Call()
    asked = LaneRequest(spec.key, TensorInput({"x": np.array([[1, 2]], np.float32)}), {}, call)
    assert engine.begin(spec, [asked], lambda _calls: ended.set()) == [None], "it is not in memory yet"
    engine.load(spec)
    (begun,) = engine.begin(spec, [asked], lambda _calls: ended.set())
    assert isinstance(begun, Begun)
    assert ended.wait(30)
    assert not engine.host.evict(spec.artifacts["weights"]), "in use until its answer is taken"
    answer = begun.result()
    assert answer.units.device_us == call.spent.device_us > 0
    assert answer.tensors is not None
    np.testing.assert_array_equal(answer.tensors["y"], np.array([[2, 3]], np.float32))
    assert engine.host.evict(spec.artifacts["weights"])


def test_a_session_is_in_use_until_all_who_began_together_have_their_answers(engine: Engine, tmp_path: Path) -> None:
    spec, ended = mine(save_adder(tmp_path / "adder.onnx", floats=2)), threading.Semaphore(0)
    engine.load(spec)
    given = [np.full((1, 2), number, np.float32) for number in range(3)]
    asked = [LaneRequest(spec.key, TensorInput({"x": tensor}), {}, Call()) for tensor in given]
    begun = engine.begin(spec, asked, lambda calls: ended.release(len(calls)))
    for tensor, one in zip(given, begun, strict=True):
        assert isinstance(one, Begun)
        assert ended.acquire(timeout=30)
        assert not engine.host.evict(spec.artifacts["weights"])
        answer = one.result().tensors
        assert answer is not None
        np.testing.assert_array_equal(answer["y"], tensor + 1)
    assert engine.host.evict(spec.artifacts["weights"])


def test_what_is_refused_before_it_begins_keeps_no_session(engine: Engine, tmp_path: Path) -> None:
    spec = mine(save_adder(tmp_path / "adder.onnx", floats=2))
    engine.load(spec)
    asked = LaneRequest(spec.key, TensorInput({"wrong": np.array([[1, 2]], np.float32)}), {}, Call())
    (refused,) = engine.begin(spec, [asked], lambda _calls: None)
    assert isinstance(refused, WorkRefused)
    assert engine.host.evict(spec.artifacts["weights"])
