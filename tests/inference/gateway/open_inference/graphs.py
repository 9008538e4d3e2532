"""Write a graph that returns its inputs, for every type that the protocol and ONNX share."""

from collections.abc import Mapping
from pathlib import Path

import onnx
from onnx import TensorProto, helper

KINDS: Mapping[str, int] = {
    "BOOL": TensorProto.BOOL,
    "INT8": TensorProto.INT8,
    "INT16": TensorProto.INT16,
    "INT32": TensorProto.INT32,
    "INT64": TensorProto.INT64,
    "UINT8": TensorProto.UINT8,
    "UINT16": TensorProto.UINT16,
    "UINT32": TensorProto.UINT32,
    "UINT64": TensorProto.UINT64,
    "FP16": TensorProto.FLOAT16,
    "FP32": TensorProto.FLOAT,
    "FP64": TensorProto.DOUBLE,
    "BYTES": TensorProto.STRING,
}


def save_mirror(path: Path) -> Path:
    """Save the graph. `INT8` comes back as `INT8_back`, and so on, and so does `scalar`, which has no dimensions."""
    inputs = {name: (kind, [f"{name}_size"]) for name, kind in KINDS.items()}
    places: dict[str, tuple[int, list[str]]] = {**inputs, "scalar": (TensorProto.FLOAT, [])}
    graph = helper.make_graph(
        [helper.make_node("Identity", [name], [f"{name}_back"]) for name in places],
        "mirror",
        [helper.make_tensor_value_info(name, *place) for name, place in places.items()],
        [helper.make_tensor_value_info(f"{name}_back", *place) for name, place in places.items()],
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10), path)
    return path
