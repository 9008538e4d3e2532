"""Test the size of a model after its functions are inlined and its graphs are unfolded."""

import pytest
from onnx import FunctionProto, ModelProto, NodeProto, TensorProto, helper

from inference.registry.admission import AdmissionLimits, ModelRefused, admit

from .conftest import BuildModel, RefusalOf, Save

OPSETS = [helper.make_opsetid("", 18), helper.make_opsetid("local", 1)]


def call(name: str, source: str, target: str) -> NodeProto:
    return helper.make_node(name, [source], [target], domain="local")


def function(name: str, *nodes: NodeProto) -> FunctionProto:
    return helper.make_function("local", name, ["a"], ["b"], list(nodes), OPSETS)


def laughs(depth: int, leaf: FunctionProto, build_model: BuildModel) -> ModelProto:
    """Return a model in which each function calls the previous one twice."""
    functions = [leaf]
    for level in range(1, depth + 1):
        below = f"F{level - 1}"
        functions.append(function(f"F{level}", call(below, "a", "m"), call(below, "m", "b")))
    return build_model(call(f"F{depth}", "x", "y"), functions=functions, domains=["local"])


def relu() -> NodeProto:
    return helper.make_node("Relu", ["a"], ["b"])


def branch(*nodes: NodeProto) -> NodeProto:
    outputs = [helper.make_tensor_value_info("b", TensorProto.FLOAT, None)]
    graph = helper.make_graph(list(nodes), "branch", [], outputs)
    return helper.make_node("If", ["c"], ["b"], then_branch=graph, else_branch=graph)


def nested_branches(depth: int) -> NodeProto:
    """Return a node with this many nested graphs, besides the main one."""
    node = relu()
    for _ in range(depth):
        graph = helper.make_graph([node], "branch", [], [])
        node = helper.make_node("If", ["c"], ["b"], then_branch=graph)
    return node


@pytest.mark.parametrize("depth", [14, 18, 24, 40, 1000])
def test_doubling_functions_are_refused_without_writing_them_out(
    depth: int, build_model: BuildModel, refusal_of: RefusalOf
) -> None:
    assert refusal_of(laughs(depth, function("F0", relu()), build_model)).code == "model_too_large_expanded"


def test_functions_that_call_each_other_a_little_are_admitted(build_model: BuildModel, save: Save) -> None:
    admit(save(laughs(10, function("F0", relu()), build_model)), AdmissionLimits())


def test_doubling_functions_of_nothing_are_refused(build_model: BuildModel, refusal_of: RefusalOf) -> None:
    assert refusal_of(laughs(24, function("F0"), build_model)).code == "model_too_large_expanded"


def test_constants_count_once_for_each_call(build_model: BuildModel, save: Save) -> None:
    weights = helper.make_tensor("w", TensorProto.FLOAT, [256], [0.0] * 256)
    leaf = function("F0", helper.make_node("Constant", [], ["w"], value=weights), relu())
    path = save(laughs(10, leaf, build_model))
    admit(path, AdmissionLimits(max_initializer_bytes=1024 * 2**10))
    with pytest.raises(ModelRefused) as refusal:
        admit(path, AdmissionLimits(max_initializer_bytes=1024 * 2**10 - 1))
    assert refusal.value.code == "model_too_large_expanded"


@pytest.mark.parametrize(
    "functions",
    [
        pytest.param([function("F", call("F", "a", "b"))], id="itself"),
        pytest.param([function("F", call("G", "a", "b")), function("G", call("F", "a", "b"))], id="each other"),
        pytest.param([function("F", branch(call("F", "a", "b")))], id="from a branch"),
    ],
)
def test_functions_that_call_themselves_are_refused(
    functions: list[FunctionProto], build_model: BuildModel, refusal_of: RefusalOf
) -> None:
    model = build_model(call("F", "x", "y"), functions=functions, domains=["local"])
    assert refusal_of(model).code == "model_too_large_expanded"


def test_two_functions_of_one_name_are_refused(build_model: BuildModel, refusal_of: RefusalOf) -> None:
    functions = [function("F", relu()), function("F", call("F", "a", "b"))]
    model = build_model(call("F", "x", "y"), functions=functions, domains=["local"])
    assert refusal_of(model).code == "model_corrupt"


@pytest.mark.parametrize("depth", [32, 33])
def test_deeply_nested_graphs_are_refused(depth: int, build_model: BuildModel, refusal_of: RefusalOf) -> None:
    assert refusal_of(build_model(nested_branches(depth))).code == "model_too_deep"


def test_graphs_nested_to_the_limit_are_admitted(build_model: BuildModel, save: Save) -> None:
    admit(save(build_model(nested_branches(31))), AdmissionLimits())


def test_graphs_nested_through_functions_are_refused(build_model: BuildModel, refusal_of: RefusalOf) -> None:
    functions = [function("F0", relu())]
    functions += [function(f"F{level}", branch(call(f"F{level - 1}", "a", "b"))) for level in range(1, 9)]
    node = nested_branches(24)
    deepest = node
    while deepest.op_type == "If":
        deepest = deepest.attribute[0].g.node[0]
    deepest.CopyFrom(call("F8", "a", "b"))
    model = build_model(node, functions=functions, domains=["local"])
    assert refusal_of(model).code == "model_too_deep"


def test_too_many_plain_nodes_are_refused(build_model: BuildModel, save: Save) -> None:
    path = save(build_model(*[helper.make_node("Relu", ["x"], ["y"])] * 5))
    admit(path, AdmissionLimits(max_expanded_nodes=5))
    with pytest.raises(ModelRefused) as refusal:
        admit(path, AdmissionLimits(max_expanded_nodes=4))
    assert refusal.value.code == "model_too_large_expanded"
