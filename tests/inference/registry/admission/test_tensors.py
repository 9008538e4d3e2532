"""Test that a model must contain its own data, and as much of it as it declares."""

from collections.abc import Callable

import numpy as np
import pytest
from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, SparseTensorProto, TensorProto, helper

from inference.registry.admission import AdmissionLimits, admit

from .conftest import BuildModel, RefusalOf, Save

VALUES = helper.make_tensor("v", TensorProto.FLOAT, [1], [1.0])
OPSETS = [helper.make_opsetid("", 18)]
INDICES = helper.make_tensor("i", TensorProto.INT64, [1], [0])


def outside(location: str) -> TensorProto:
    tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[4], data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value=location)
    return tensor


def attribute(**fields: object) -> AttributeProto:
    made = AttributeProto(name="value", **fields)  # type: ignore[arg-type]
    made.type = AttributeProto.TENSOR
    return made


def constant(made: AttributeProto) -> NodeProto:
    node = helper.make_node("Constant", [], ["c"])
    node.attribute.append(made)
    return node


def function_with(*nodes: NodeProto) -> ModelProto:
    function = helper.make_function(
        "local",
        "F",
        ["a"],
        ["b"],
        [*nodes, helper.make_node("Relu", ["a"], ["b"])],
        [helper.make_opsetid("", 18)],
    )
    call = helper.make_node("F", ["x"], ["y"], domain="local")
    graph = helper.make_graph([call], "g", [], [helper.make_tensor_value_info("y", TensorProto.FLOAT, [4])])
    return helper.make_model(graph, functions=[function])


@pytest.mark.parametrize("location", ["../secret", "/etc/passwd", "a/../../secret", "neighbor.bin"])
def test_weights_in_another_file_are_refused(location: str, build_model: BuildModel, refusal_of: RefusalOf) -> None:
    assert refusal_of(build_model(weights=[outside(location)])).code == "external_data_forbidden"


def test_external_data_is_refused_even_where_it_is_not_switched_on(
    build_model: BuildModel, refusal_of: RefusalOf
) -> None:
    tensor = helper.make_tensor("w", TensorProto.FLOAT, [1], [0.0])
    tensor.external_data.add(key="location", value="neighbor.bin")
    assert refusal_of(build_model(weights=[tensor])).code == "external_data_forbidden"


HIDING_PLACES: dict[str, Callable[[TensorProto], NodeProto]] = {
    "tensor": lambda tensor: constant(attribute(t=tensor)),
    "tensors": lambda tensor: constant(attribute(tensors=[tensor])),
    "sparse values": lambda tensor: constant(
        attribute(sparse_tensor=SparseTensorProto(values=tensor, indices=INDICES))
    ),
    "sparse indices": lambda tensor: constant(
        attribute(sparse_tensors=[SparseTensorProto(values=VALUES, indices=tensor)])
    ),
    "graph": lambda tensor: constant(attribute(g=GraphProto(initializer=[tensor]))),
    "graphs": lambda tensor: constant(
        attribute(graphs=[GraphProto(node=[constant(attribute(g=GraphProto(initializer=[tensor])))])])
    ),
}


@pytest.mark.parametrize("place", HIDING_PLACES)
def test_external_data_is_found_in_every_attribute(place: str, build_model: BuildModel, refusal_of: RefusalOf) -> None:
    node = HIDING_PLACES[place](outside("neighbor.bin"))
    assert refusal_of(build_model(node)).code == "external_data_forbidden"


def test_external_data_is_found_in_functions(refusal_of: RefusalOf) -> None:
    model = function_with(constant(attribute(t=outside("neighbor.bin"))))
    assert refusal_of(model).code == "external_data_forbidden"


def test_external_data_is_found_in_default_attributes_of_functions(refusal_of: RefusalOf) -> None:
    model = function_with()
    model.functions[0].attribute_proto.append(attribute(t=outside("neighbor.bin")))
    assert refusal_of(model).code == "external_data_forbidden"


def test_external_data_is_found_in_sparse_weights(build_model: BuildModel, refusal_of: RefusalOf) -> None:
    model = build_model()
    model.graph.sparse_initializer.add(values=outside("neighbor.bin"), indices=INDICES)
    assert refusal_of(model).code == "external_data_forbidden"


def raw(dims: list[int], data: bytes, data_type: int = TensorProto.FLOAT) -> TensorProto:
    return TensorProto(name="w", data_type=data_type, dims=dims, raw_data=data)


@pytest.mark.parametrize(
    "tensor",
    [
        pytest.param(raw([1_000_000_000], b"1234"), id="declares more than it holds"),
        pytest.param(raw([1], b"12345678"), id="holds more than it declares"),
        pytest.param(raw([2**40, 2**40], b""), id="product overflows 64 bits"),
        pytest.param(raw([2**62, 4], b""), id="product wraps to zero"),
        pytest.param(raw([-1], b""), id="negative dimension"),
        pytest.param(raw([-2, -2], b"1234" * 4), id="negative dimensions of positive product"),
        pytest.param(raw([1] * 65, b"1234"), id="too many dimensions"),
        pytest.param(raw([1], b"1234", TensorProto.UNDEFINED), id="no type"),
        pytest.param(raw([1], b"1234", 999), id="unknown type"),
        pytest.param(raw([1], b"1234", TensorProto.STRING), id="raw strings"),
        pytest.param(TensorProto(data_type=TensorProto.FLOAT, dims=[2], float_data=[1]), id="too few values"),
        pytest.param(TensorProto(data_type=TensorProto.FLOAT, dims=[1], int32_data=[1]), id="wrong field"),
        pytest.param(TensorProto(data_type=TensorProto.INT4, dims=[4], int32_data=[1]), id="half its nibbles"),
        pytest.param(
            TensorProto(data_type=TensorProto.FLOAT, dims=[1], float_data=[1], raw_data=b"1234"),
            id="data twice",
        ),
        pytest.param(
            TensorProto(
                data_type=TensorProto.FLOAT,
                dims=[1],
                raw_data=b"1234",
                segment=TensorProto.Segment(begin=0, end=1),
            ),
            id="segment",
        ),
    ],
)
def test_data_that_is_not_what_it_declares_is_refused(
    tensor: TensorProto, build_model: BuildModel, refusal_of: RefusalOf
) -> None:
    assert refusal_of(build_model(weights=[tensor])).code == "tensor_data_mismatch"


@pytest.mark.parametrize("data_type", sorted(set(TensorProto.DataType.values()) - {0, 27, 28}))
def test_every_element_type_that_onnx_writes_is_admitted(data_type: int, build_model: BuildModel, save: Save) -> None:
    values = np.array(["a", "b", "c"]) if data_type == TensorProto.STRING else [1, 0, 1]
    weights = [helper.make_tensor("w", data_type, [3], values)]
    admit(save(build_model(weights=weights)), AdmissionLimits())


def test_sparse_weights_count_as_large_as_they_become(build_model: BuildModel, refusal_of: RefusalOf) -> None:
    model = build_model()
    model.graph.sparse_initializer.add(
        values=VALUES,
        indices=INDICES,
        dims=[2**20, 2**20],
    )
    assert refusal_of(model).code == "model_too_large_expanded"
