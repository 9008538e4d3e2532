"""An ONNX graph that counts to what its input says, a moment or for ever, and can be ended between two steps."""

from pathlib import Path

import onnx
from onnx import TensorProto, helper

FOR_EVER = 2**62


def save_counting_model(path: Path) -> Path:
    body = helper.make_graph(
        [
            helper.make_node("Identity", ["going"], ["still"]),
            helper.make_node("Add", ["count", "one"], ["next"]),
        ],
        "body",
        [
            helper.make_tensor_value_info("turn", TensorProto.INT64, []),
            helper.make_tensor_value_info("going", TensorProto.BOOL, []),
            helper.make_tensor_value_info("count", TensorProto.INT64, []),
        ],
        [
            helper.make_tensor_value_info("still", TensorProto.BOOL, []),
            helper.make_tensor_value_info("next", TensorProto.INT64, []),
        ],
        [helper.make_tensor("one", TensorProto.INT64, [], [1])],
    )
    graph = helper.make_graph(
        [helper.make_node("Loop", ["times", "yes", "zero"], ["total"], body=body)],
        "counting",
        [helper.make_tensor_value_info("times", TensorProto.INT64, [])],
        [helper.make_tensor_value_info("total", TensorProto.INT64, [])],
        [
            helper.make_tensor("yes", TensorProto.BOOL, [], [True]),
            helper.make_tensor("zero", TensorProto.INT64, [], [0]),
        ],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), path)
    return path


def counting_input(times: int) -> dict[str, object]:
    """As a job's inline input."""
    return {"tensors": [{"name": "times", "datatype": "INT64", "shape": [], "data": [times]}]}
