"""A builder that writes an ONNX graph node by node, with the same bytes every time."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from onnx import ModelProto, TensorProto, helper, numpy_helper

CONTRIB = "com.microsoft"
"""The domain of ONNX Runtime's own operators, which it has in addition to the standard ones."""

IR_VERSION = 10
OPSET = 20
CONTRIB_OPSET = 1


class GraphBuilder:
    """A graph under construction. Each method adds a part and returns the name of the part."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._nodes: list[Any] = []
        self._weights: dict[str, TensorProto] = {}

    def weight(self, name: str, value: npt.ArrayLike) -> str:
        if name not in self._weights:
            self._weights[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def node(
        self, operator: str, inputs: Sequence[str], output: str, *, domain: str = "", **attributes: Any
    ) -> str:
        self._nodes.append(
            helper.make_node(operator, list(inputs), [output], name=output, domain=domain, **attributes)
        )
        return output

    def build(
        self, inputs: Mapping[str, Sequence[str | int]], outputs: Mapping[str, Sequence[str | int]]
    ) -> ModelProto:
        """Build the model with int64 inputs and float32 outputs, as language models have them."""
        graph = helper.make_graph(
            self._nodes,
            self._name,
            [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name, shape in inputs.items()],
            [
                helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
                for name, shape in outputs.items()
            ],
            list(self._weights.values()),
        )
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(CONTRIB, CONTRIB_OPSET)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION, producer_name="maas")
