"""Test which operators, configurations and domains a model may contain."""

import pytest
from onnx import TrainingInfoProto, helper

from inference.registry.admission import AdmissionLimits, admit

from .conftest import BuildModel, RefusalOf, Save


@pytest.mark.parametrize(
    ("domain", "operator"),
    [
        ("evil.corp", "Relu"),
        ("", "NoSuchOperator"),
        ("ai.onnx.ml", "Relu"),
        ("ai.onnx.contrib", "PyOp"),
        ("ai.onnx.preview.training", "Gradient"),
        ("com.microsoft", "EPContext"),
        ("com.microsoft", "SomethingNew"),
        ("com.microsoft.nchwc", "Conv"),
    ],
)
def test_operators_that_are_not_listed_are_refused(
    domain: str, operator: str, build_model: BuildModel, refusal_of: RefusalOf
) -> None:
    model = build_model(helper.make_node(operator, ["x"], ["y"], domain=domain), domains=[domain])
    assert refusal_of(model).code == "operator_not_allowed"


@pytest.mark.parametrize(
    ("domain", "operator"),
    [
        ("", "Relu"),
        ("ai.onnx", "Relu"),
        ("ai.onnx.ml", "TreeEnsembleClassifier"),
        ("com.microsoft", "DynamicQuantizeMatMul"),
        ("com.microsoft", "SkipLayerNormalization"),
    ],
)
def test_standard_and_quantized_operators_are_admitted(
    domain: str, operator: str, build_model: BuildModel, save: Save
) -> None:
    node = helper.make_node(operator, ["x"], ["y"], domain=domain)
    admit(save(build_model(node, domains=[domain])), AdmissionLimits())


def test_operators_inside_functions_are_looked_at(build_model: BuildModel, refusal_of: RefusalOf) -> None:
    inner = helper.make_node("EPContext", ["a"], ["b"], domain="com.microsoft")
    function = helper.make_function("local", "F", ["a"], ["b"], [inner], [helper.make_opsetid("", 18)])
    call = helper.make_node("F", ["x"], ["y"], domain="local")
    model = build_model(call, functions=[function], domains=["local"])
    assert refusal_of(model).code == "operator_not_allowed"


@pytest.mark.parametrize("domain", ["", "ai.onnx", "ai.onnx.ml", "com.microsoft", "com.microsoft.experimental"])
def test_a_function_cannot_stand_in_for_an_operator(
    domain: str, build_model: BuildModel, refusal_of: RefusalOf
) -> None:
    body = helper.make_node("Relu", ["a"], ["b"])
    function = helper.make_function(domain, "EPContext", ["a"], ["b"], [body], [helper.make_opsetid("", 18)])
    call = helper.make_node("EPContext", ["x"], ["y"], domain=domain)
    assert refusal_of(build_model(call, functions=[function])).code == "operator_not_allowed"


def test_configuration_of_the_runtime_is_refused(build_model: BuildModel, refusal_of: RefusalOf) -> None:
    model = build_model()
    model.metadata_props.add(key="author", value="someone")
    model.metadata_props.add(key="ort_config", value='{"session_options": {}}')
    assert refusal_of(model).code == "custom_config_forbidden"


def test_training_graphs_are_refused(build_model: BuildModel, refusal_of: RefusalOf) -> None:
    model = build_model()
    model.training_info.append(TrainingInfoProto())
    assert refusal_of(model).code == "training_info_forbidden"
