"""Test the first run of a model, in a place where it can do no harm."""

import os
from pathlib import Path

import onnx
import pytest
from onnx import ModelProto, TensorProto, helper

from inference.registry.admission import (
    AdmissionLimits,
    ModelRefused,
    TrialLimits,
    TrialResult,
    admit,
    trial_run,
)
from inference.sandbox.isolation import find_bubblewrap
from tests.samples.exports import LIGHTGBM_CLASSES, TWO_TARGETS
from tests.samples.hostile_models import HOSTILE_MODELS

from .conftest import BuildModel, Save

MIB = 1024 * 1024


@pytest.fixture(params=["bubblewrap", "bare"])
def use_bubblewrap(request: pytest.FixtureRequest) -> bool:
    if request.param == "bubblewrap" and find_bubblewrap() is None:
        pytest.skip("no working bubblewrap on this machine")
    return bool(request.param == "bubblewrap")


def refusal_in_trial(path: Path, limits: TrialLimits | None = None, *, use_bubblewrap: bool = True) -> ModelRefused:
    signature = admit(path, AdmissionLimits())
    with pytest.raises(ModelRefused) as refusal:
        trial_run(path, signature, limits=limits, use_bubblewrap=use_bubblewrap)
    return refusal.value


def eight_gib_of_zeros(build_model: BuildModel) -> ModelProto:
    count = helper.make_tensor("count", TensorProto.INT64, [1], [2**31])
    nodes = [
        helper.make_node("Constant", [], ["s"], value=count),
        helper.make_node("ConstantOfShape", ["s"], ["y"]),
    ]
    return build_model(*nodes, inputs=[], outputs=[helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n"])])


def endless_loop(build_model: BuildModel) -> ModelProto:
    values = [
        helper.make_tensor_value_info("i", TensorProto.INT64, []),
        helper.make_tensor_value_info("go", TensorProto.BOOL, []),
        helper.make_tensor_value_info("v", TensorProto.FLOAT, ["n", 4]),
    ]
    outputs = [
        helper.make_tensor_value_info("go_on", TensorProto.BOOL, []),
        helper.make_tensor_value_info("w", TensorProto.FLOAT, ["n", 4]),
    ]
    steps = [helper.make_node("Identity", ["go"], ["go_on"]), helper.make_node("Relu", ["v"], ["w"])]
    body = helper.make_graph(steps, "body", values, outputs)
    often = helper.make_tensor("often", TensorProto.INT64, [], [2**62])
    true = helper.make_tensor("true", TensorProto.BOOL, [], [True])
    return build_model(helper.make_node("Loop", ["often", "true", "x"], ["y"], body=body), weights=[often, true])


def test_a_sound_model_is_measured(build_model: BuildModel, save: Save, use_bubblewrap: bool) -> None:
    path = save(build_model())
    result = trial_run(path, admit(path, AdmissionLimits()), use_bubblewrap=use_bubblewrap)
    assert isinstance(result, TrialResult)
    assert result.load_s > 0
    assert 10 * MIB < result.peak_memory_bytes < 500 * MIB


def test_memory_of_the_parent_is_not_counted(build_model: BuildModel, save: Save, use_bubblewrap: bool) -> None:
    path = save(build_model())
    ballast = os.urandom(256 * MIB)
    result = trial_run(path, admit(path, AdmissionLimits()), use_bubblewrap=use_bubblewrap)
    assert result.peak_memory_bytes < len(ballast)


def test_a_model_that_wants_eight_gib_is_refused(build_model: BuildModel, save: Save, use_bubblewrap: bool) -> None:
    refusal = refusal_in_trial(save(eight_gib_of_zeros(build_model)), use_bubblewrap=use_bubblewrap)
    assert refusal.code == "model_out_of_memory"


@pytest.mark.parametrize("limits", [TrialLimits(cpu_s=1, wall_s=30), TrialLimits(cpu_s=30, wall_s=0.5)])
def test_an_endless_model_ends_with_its_computing_time_or_its_time(
    build_model: BuildModel, save: Save, use_bubblewrap: bool, limits: TrialLimits
) -> None:
    refusal = refusal_in_trial(save(endless_loop(build_model)), limits, use_bubblewrap=use_bubblewrap)
    assert refusal.code == "model_timeout"


def test_what_the_runtime_will_not_load_is_refused_in_its_words(build_model: BuildModel, save: Save) -> None:
    path = save(build_model(helper.make_node("Add", ["x", "nowhere"], ["y"])))
    refusal = refusal_in_trial(path)
    assert refusal.code == "model_invalid"
    assert "nowhere" in refusal.detail


def test_strings_are_tried(build_model: BuildModel, save: Save) -> None:
    values = [helper.make_tensor_value_info(name, TensorProto.STRING, ["n"]) for name in ("x", "y")]
    path = save(build_model(helper.make_node("Identity", ["x"], ["y"]), inputs=values[:1], outputs=values[1:]))
    assert trial_run(path, admit(path, AdmissionLimits())).load_s > 0


def test_longer_inputs_are_tried_where_short_ones_do_not_fit(build_model: BuildModel, save: Save) -> None:
    values = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", size]) for name, size in (("x", "s"), ("y", "t"))
    ]
    pads = helper.make_tensor("pads", TensorProto.INT64, [4], [0, 5, 0, 5])
    node = helper.make_node("Pad", ["x", "pads"], ["y"], mode="reflect")
    path = save(build_model(node, inputs=values[:1], outputs=values[1:], weights=[pads]))
    assert trial_run(path, admit(path, AdmissionLimits())).failed == ""


def test_sizes_of_the_same_name_are_rows_wherever_they_stand(build_model: BuildModel, save: Save) -> None:
    """The state of a recurrent model has its rows in the middle, and the sound beside it has to be long."""
    shapes: dict[str, list[str | int | None]] = {
        "sound": ["batch", "length"],
        "state": [2, "batch", 1],
        "y": [2, "batch", "out"],
    }
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in shapes.items()]
    pads = helper.make_tensor("pads", TensorProto.INT64, [4], [0, 9, 0, 9])
    nodes = [
        helper.make_node("Pad", ["sound", "pads"], ["padded"], mode="reflect"),
        helper.make_node("Add", ["padded", "state"], ["y"]),
    ]
    path = save(build_model(*nodes, inputs=values[:2], outputs=values[2:], weights=[pads]))
    assert trial_run(path, admit(path, AdmissionLimits())).failed == ""


def test_ones_are_tried_where_zeros_do_not_suit(build_model: BuildModel, save: Save) -> None:
    size = helper.make_tensor_value_info("size", TensorProto.INT64, [1])
    shown = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n"])
    one = helper.make_tensor("one", TensorProto.FLOAT, [1], [1.0])
    index = helper.make_tensor("index", TensorProto.INT64, [1], [0])
    nodes = [helper.make_node("Tile", ["one", "size"], ["many"]), helper.make_node("Gather", ["many", "index"], ["y"])]
    path = save(build_model(*nodes, inputs=[size], outputs=[shown], weights=[one, index]))
    assert trial_run(path, admit(path, AdmissionLimits())).failed == ""


def test_what_the_runtime_says_behind_a_long_signature_is_told(save: Save) -> None:
    path = save(onnx.load_from_string(HOSTILE_MODELS["tree with a cycle"].make()))
    assert refusal_in_trial(path).detail.endswith(
        "False node must always be the next node, but it isn't at index 2 with flags 2"
    )


def test_a_model_that_runs_on_no_made_input_is_told_and_not_refused(build_model: BuildModel, save: Save) -> None:
    """An input such as a sampling rate suits few values. What its callers send is for them to know."""
    shape = helper.make_tensor("shape", TensorProto.INT64, [1], [7])
    path = save(build_model(helper.make_node("Reshape", ["x", "shape"], ["y"]), weights=[shape]))
    assert "eshape" in trial_run(path, admit(path, AdmissionLimits())).failed


@pytest.mark.parametrize(
    ("path", "declared", "shown"),
    [(TWO_TARGETS, [(-1, 1)], [(-1, 2)]), (LIGHTGBM_CLASSES, [(1,), (-1, 3)], [(-1,), (-1, 3)])],
)
def test_the_trial_shows_the_shapes_of_outputs_that_exporters_declare_otherwise(
    path: Path, declared: list[tuple[int, ...]], shown: list[tuple[int, ...]]
) -> None:
    signature = admit(path, AdmissionLimits())
    assert [output.shape for output in signature.outputs] == declared
    assert [output.shape for output in trial_run(path, signature).signature.outputs] == shown


def test_a_size_that_follows_another_free_size_stays_free(build_model: BuildModel, save: Save) -> None:
    values = [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", "s"])]
    shown = [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 7, 1])]
    axes = helper.make_tensor("axes", TensorProto.INT64, [1], [2])
    node = helper.make_node("Unsqueeze", ["x", "axes"], ["y"])
    path = save(build_model(node, inputs=values, outputs=shown, weights=[axes]))
    result = trial_run(path, admit(path, AdmissionLimits()))
    assert [output.shape for output in result.signature.outputs] == [(-1, -1, 1)]


def test_more_rows_than_a_model_takes_are_no_failure(build_model: BuildModel, save: Save) -> None:
    shape = helper.make_tensor("shape", TensorProto.INT64, [2], [1, 4])
    path = save(build_model(helper.make_node("Reshape", ["x", "shape"], ["y"]), weights=[shape]))
    result = trial_run(path, admit(path, AdmissionLimits()))
    assert (result.failed, result.corrections) == ("", ())
