"""A small model whose answers show which version gave them."""

import numpy as np
from onnx import TensorProto, helper, numpy_helper


def adder(added: float, *, domain: str = "") -> bytes:
    """Return a graph that adds a number to four numbers."""
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, ["rows", 4]) for name in ("x", "y"))
    one = numpy_helper.from_array(np.full(4, added, np.float32), "added")
    graph = helper.make_graph([helper.make_node("Add", ["x", "added"], ["y"], "sum", domain=domain)], "adder", [x], [y])
    graph.initializer.append(one)
    opsets = [helper.make_opsetid("", 17), *([helper.make_opsetid(domain, 1)] if domain else [])]
    data: bytes = helper.make_model(graph, opset_imports=opsets, ir_version=9).SerializeToString()
    return data
