"""Build model files and run the admission check on them."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import pytest
from onnx import FunctionProto, ModelProto, NodeProto, TensorProto, ValueInfoProto, helper

from inference.registry.admission import AdmissionLimits, ModelRefused, admit

FLOATS_IN = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", 4])
FLOATS_OUT = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["rows", 4])


class BuildModel(Protocol):
    def __call__(
        self,
        *nodes: NodeProto,
        inputs: Sequence[ValueInfoProto] = ...,
        outputs: Sequence[ValueInfoProto] = ...,
        weights: Sequence[TensorProto] = ...,
        functions: Sequence[FunctionProto] = ...,
        domains: Sequence[str] = ...,
    ) -> ModelProto: ...


RefusalOf = Callable[[ModelProto | bytes], ModelRefused]
Save = Callable[[ModelProto | bytes], Path]


@pytest.fixture
def build_model() -> BuildModel:
    def build(
        *nodes: NodeProto,
        inputs: Sequence[ValueInfoProto] = (FLOATS_IN,),
        outputs: Sequence[ValueInfoProto] = (FLOATS_OUT,),
        weights: Sequence[TensorProto] = (),
        functions: Sequence[FunctionProto] = (),
        domains: Sequence[str] = (),
    ) -> ModelProto:
        nodes = nodes or (helper.make_node("Relu", ["x"], ["y"]),)
        graph = helper.make_graph(list(nodes), "main", list(inputs), list(outputs), list(weights))
        opsets = [helper.make_opsetid("", 18), *(helper.make_opsetid(domain, 1) for domain in domains)]
        return helper.make_model(graph, opset_imports=opsets, functions=list(functions), ir_version=9)

    return build


@pytest.fixture
def save(tmp_path: Path) -> Save:
    def save_model(model: ModelProto | bytes) -> Path:
        path = tmp_path / "model.onnx"
        path.write_bytes(model if isinstance(model, bytes) else model.SerializeToString())
        return path

    return save_model


@pytest.fixture
def refusal_of(save: Save) -> RefusalOf:
    def ask(model: ModelProto | bytes) -> ModelRefused:
        with pytest.raises(ModelRefused) as caught:
            admit(save(model), AdmissionLimits())
        return caught.value

    return ask
