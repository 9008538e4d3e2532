"""Test what is read of a model's inputs and outputs."""

import numpy as np
import pytest
from onnx import TensorProto, ValueInfoProto, helper, numpy_helper

from inference.registry.admission import AdmissionLimits, Signature, TensorSpec, admit

from .conftest import BuildModel, RefusalOf, Save


def test_a_perceptron_is_admitted_with_its_signature(build_model: BuildModel, save: Save) -> None:
    weights = [
        numpy_helper.from_array(np.zeros((4, 8), np.float32), "w1"),
        numpy_helper.from_array(np.zeros((8, 4), np.float32), "w2"),
    ]
    nodes = [
        helper.make_node("MatMul", ["x", "w1"], ["h"]),
        helper.make_node("Relu", ["h"], ["r"]),
        helper.make_node("MatMul", ["r", "w2"], ["y"]),
    ]
    signature = admit(save(build_model(*nodes, weights=weights)), AdmissionLimits())
    assert signature == Signature(
        inputs=(TensorSpec("x", "FP32", (-1, 4)),), outputs=(TensorSpec("y", "FP32", (-1, 4)),)
    )


def test_a_model_with_a_branch_is_admitted(build_model: BuildModel, save: Save) -> None:
    condition = helper.make_tensor_value_info("c", TensorProto.BOOL, [])
    inner = [helper.make_tensor_value_info("b", TensorProto.FLOAT, None)]
    then = helper.make_graph([helper.make_node("Relu", ["x"], ["b"])], "then", [], inner)
    otherwise = helper.make_graph([helper.make_node("Neg", ["x"], ["b"])], "else", [], inner)
    node = helper.make_node("If", ["c"], ["y"], then_branch=then, else_branch=otherwise)
    model = build_model(node)
    model.graph.input.append(condition)
    signature = admit(save(model), AdmissionLimits())
    assert signature.inputs[1] == TensorSpec("c", "BOOL", ())


def test_a_model_with_a_local_function_is_admitted(build_model: BuildModel, save: Save) -> None:
    body = [helper.make_node("Relu", ["a"], ["b"])]
    function = helper.make_function("local", "F", ["a"], ["b"], body, [helper.make_opsetid("", 18)])
    call = helper.make_node("F", ["x"], ["y"], domain="local")
    admit(save(build_model(call, functions=[function], domains=["local"])), AdmissionLimits())


def test_a_signature_is_written_as_json(build_model: BuildModel, save: Save) -> None:
    assert admit(save(build_model()), AdmissionLimits()).to_json() == {
        "inputs": [{"name": "x", "datatype": "FP32", "shape": [-1, 4]}],
        "outputs": [{"name": "y", "datatype": "FP32", "shape": [-1, 4]}],
    }


@pytest.mark.parametrize(
    ("element_type", "datatype"),
    [
        (TensorProto.STRING, "BYTES"),
        (TensorProto.BOOL, "BOOL"),
        (TensorProto.FLOAT16, "FP16"),
        (TensorProto.DOUBLE, "FP64"),
        (TensorProto.INT64, "INT64"),
        (TensorProto.UINT8, "UINT8"),
    ],
)
def test_types_have_the_names_of_the_open_inference_protocol(
    element_type: int, datatype: str, build_model: BuildModel, save: Save
) -> None:
    inputs = [helper.make_tensor_value_info("x", element_type, [3])]
    assert admit(save(build_model(inputs=inputs)), AdmissionLimits()).inputs[0].datatype == datatype


def test_weights_listed_among_the_inputs_are_not_asked_of_callers(build_model: BuildModel, save: Save) -> None:
    model = build_model(weights=[helper.make_tensor("w", TensorProto.FLOAT, [1], [0.0])])
    model.graph.input.append(helper.make_tensor_value_info("w", TensorProto.FLOAT, [1]))
    assert [tensor.name for tensor in admit(save(model), AdmissionLimits()).inputs] == ["x"]


def test_an_output_may_leave_its_rank_open(build_model: BuildModel, save: Save) -> None:
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
    assert admit(save(build_model(outputs=outputs)), AdmissionLimits()).outputs[0].shape is None


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(helper.make_tensor_value_info("x", TensorProto.FLOAT, None), id="rank left open"),
        pytest.param(helper.make_tensor_value_info("x", TensorProto.BFLOAT16, [1]), id="type without a name"),
        pytest.param(helper.make_tensor_value_info("x", TensorProto.FLOAT, [1] * 65), id="too many dimensions"),
        pytest.param(helper.make_tensor_value_info("x", TensorProto.FLOAT, [2**40, 2**40]), id="too large"),
        pytest.param(helper.make_tensor_value_info("x\x00y", TensorProto.FLOAT, [1]), id="unprintable name"),
        pytest.param(helper.make_tensor_value_info("x" * 300, TensorProto.FLOAT, [1]), id="long name"),
        pytest.param(helper.make_tensor_sequence_value_info("x", TensorProto.FLOAT, [1]), id="sequence"),
        pytest.param(ValueInfoProto(name="x"), id="no type"),
    ],
)
def test_inputs_that_callers_cannot_send_are_refused(
    value: ValueInfoProto, build_model: BuildModel, refusal_of: RefusalOf
) -> None:
    assert refusal_of(build_model(inputs=[value])).code == "signature_not_supported"


def test_an_input_declared_twice_is_refused(build_model: BuildModel, refusal_of: RefusalOf) -> None:
    value = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])
    assert refusal_of(build_model(inputs=[value, value])).code == "model_corrupt"
