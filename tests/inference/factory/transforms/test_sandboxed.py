"""Test transformations of files that mean harm: each is contained, and refused with a reason."""

import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, external_data_helper, helper, numpy_helper

from inference.core.calls import Call
from inference.core.errors import CallCanceled
from inference.factory.transforms import (
    DynamicInt8,
    Optimize,
    Slim,
    StaticInt8,
    TransformLimits,
    TransformRefused,
    transform,
)
from inference.sandbox import LayersMissing
from tenants.core.progress import Progress

from .graphs import model_of, perceptron, samples, saved, weights

LIMITS = TransformLimits(wall_s=60, cpu_s=30)
GIB = 1 << 30


def eight_gib_of_zeros() -> ModelProto:
    """Return a graph that needs them in each run."""
    nodes = [
        helper.make_node("ConstantOfShape", ["many"], ["zeros"]),
        helper.make_node("ReduceSum", ["zeros"], ["nothing"], keepdims=0),
        helper.make_node("Add", ["x", "nothing"], ["same"]),
        helper.make_node("MatMul", ["same", "first"], ["y"]),
    ]
    return model_of(nodes, {"first": weights(1, 64, 64), "many": np.array([2**31])})


def endless_loop() -> ModelProto:
    """Return a graph whose loop is run for each calibration sample."""
    inside = [
        helper.make_tensor_value_info("i", TensorProto.INT64, []),
        helper.make_tensor_value_info("go", TensorProto.BOOL, []),
        helper.make_tensor_value_info("v", TensorProto.FLOAT, ["rows", 64]),
    ]
    outside = [
        helper.make_tensor_value_info("go_on", TensorProto.BOOL, []),
        helper.make_tensor_value_info("w", TensorProto.FLOAT, ["rows", 64]),
    ]
    body = helper.make_graph(
        [helper.make_node("Identity", ["go"], ["go_on"]), helper.make_node("Relu", ["v"], ["w"])],
        "body",
        inside,
        outside,
    )
    nodes = [
        helper.make_node("Loop", ["often", "true", "x"], ["looped"], body=body),
        helper.make_node("MatMul", ["looped", "first"], ["y"]),
    ]
    model = model_of(nodes, {"first": weights(1, 64, 64)})
    often = helper.make_tensor("often", TensorProto.INT64, [], [2**62])
    model.graph.initializer.extend([often, helper.make_tensor("true", TensorProto.BOOL, [], [True])])
    return model


def refusal(model: ModelProto | bytes, tmp_path: Path, options: object, limits: TransformLimits = LIMITS) -> str:
    source = tmp_path / "source.onnx"
    source.write_bytes(model if isinstance(model, bytes) else model.SerializeToString())
    with pytest.raises(TransformRefused) as refused:
        transform(source, options, into=tmp_path / "made.onnx", samples=samples(2), limits=limits)  # type: ignore[arg-type]
    assert [path.name for path in tmp_path.iterdir()] == ["source.onnx"]
    return refused.value.code


@pytest.mark.parametrize("content", [b"", b"\xff" * 1000, b"not a model"], ids=["empty", "bytes", "text"])
def test_what_is_no_model_is_refused(tmp_path: Path, content: bytes) -> None:
    assert refusal(content, tmp_path, Optimize()) in ("model_invalid", "transformation_failed")


def test_a_graph_that_fills_memory_is_refused(tmp_path: Path) -> None:
    limits = replace(LIMITS, address_space_bytes=4 * GIB)
    assert refusal(eight_gib_of_zeros(), tmp_path, StaticInt8(), limits) in (
        "model_out_of_memory",
        "transformation_failed",
    )


def test_an_endless_calibration_ends_at_its_limit(tmp_path: Path) -> None:
    assert refusal(endless_loop(), tmp_path, StaticInt8(), replace(LIMITS, cpu_s=6)) == "transformation_timeout"
    assert refusal(endless_loop(), tmp_path, StaticInt8(), replace(LIMITS, wall_s=4)) == "transformation_timeout"


def test_no_file_of_the_machine_gets_into_a_variant(tmp_path: Path) -> None:
    """ONNX lets a file name another one that holds its weights."""
    secret = tmp_path / "secret"
    secret.write_bytes(b"secret 1" * 8 * 64 * 64)
    model = perceptron()
    for weight in model.graph.initializer:
        external_data_helper.set_external_data(weight, str(secret), length=len(numpy_helper.to_array(weight).tobytes()))
        weight.ClearField("raw_data")
    source = tmp_path / "source.onnx"
    source.write_bytes(model.SerializeToString())
    for options in (Optimize(), Slim(), DynamicInt8()):
        with pytest.raises(TransformRefused, match="lie in another file"):
            transform(source, options, into=tmp_path / "made.onnx", limits=LIMITS)
    assert not (tmp_path / "made.onnx").exists()


def test_a_workspace_that_fills_up_ends_the_transformation(tmp_path: Path) -> None:
    assert refusal(endless_loop(), tmp_path, StaticInt8(), replace(LIMITS, workspace_bytes=-1)) == "workspace_full"


def test_a_canceled_transformation_ends_soon(tmp_path: Path) -> None:
    source = saved(endless_loop(), tmp_path)
    call = Call()
    threading.Timer(4.0, call.cancel).start()
    began = time.monotonic()
    with pytest.raises(CallCanceled):
        transform(source, StaticInt8(), into=tmp_path / "made.onnx", samples=samples(2), limits=LIMITS, call=call)
    assert time.monotonic() - began < 30
    assert not (tmp_path / "made.onnx").exists()


def test_a_child_that_works_for_long_is_reported(tmp_path: Path) -> None:
    source, call, reports = saved(endless_loop(), tmp_path), Call(), []

    def report(text: str) -> None:
        reports.append(text)
        call.cancel()

    with pytest.raises(CallCanceled):
        transform(
            source,
            StaticInt8(),
            into=tmp_path / "made.onnx",
            samples=samples(2),
            limits=LIMITS,
            call=call,
            progress=Progress(report),
        )
    assert reports == ["5 s"]


def test_nothing_is_read_without_the_layers_that_are_needed(tmp_path: Path) -> None:
    with pytest.raises(LayersMissing):
        transform(
            saved(perceptron(), tmp_path),
            Optimize(),
            into=tmp_path / "made.onnx",
            use_bubblewrap=False,
            needs=frozenset({"bubblewrap"}),
        )
