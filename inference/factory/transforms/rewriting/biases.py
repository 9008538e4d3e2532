"""The biases of Gemm operators, in the only shape that the quantizer of ONNX Runtime takes."""

import numpy as np
import numpy.typing as npt
from onnx import ModelProto, NodeProto, TensorProto, numpy_helper


def with_biases_by_column(model: ModelProto) -> ModelProto:
    """Replace biases such as those of one row, or of a single number, by one number for each column."""
    weights = {weight.name: weight for weight in model.graph.initializer}
    for node in model.graph.node:
        columns, bias = _columns(node, weights), _bias(node, weights)
        if bias is None or columns is None or list(bias.dims) == [columns]:
            continue
        values = _by_column(numpy_helper.to_array(bias), columns)
        if values is None:
            continue
        name = f"{node.name}:bias"
        model.graph.initializer.append(numpy_helper.from_array(values, name))
        node.input[2] = name
    return model


def is_quantizable(node: NodeProto, weights: dict[str, TensorProto]) -> bool:
    """Tell whether the quantizer can take the node: not a Gemm whose bias differs from row to row."""
    columns, bias = _columns(node, weights), _bias(node, weights)
    return columns is None or bias is None or list(bias.dims) == [columns]


def _bias(node: NodeProto, weights: dict[str, TensorProto]) -> TensorProto | None:
    return weights.get(node.input[2]) if node.op_type == "Gemm" and len(node.input) == 3 else None


def _columns(node: NodeProto, weights: dict[str, TensorProto]) -> int | None:
    """Return the number of columns that a Gemm with constant weights gives."""
    matrix = weights.get(node.input[1]) if node.op_type == "Gemm" else None
    if matrix is None or len(matrix.dims) != 2:
        return None
    transposed = any(each.name == "transB" and each.i for each in node.attribute)
    return int(matrix.dims[0 if transposed else 1])


def _by_column(values: npt.NDArray[np.float32], columns: int) -> npt.NDArray[np.float32] | None:
    """Return one number for each column, or None if the rows differ."""
    if values.size not in (1, columns) or values.shape[-1:] not in ((), (1,), (columns,)):
        return None
    return np.ascontiguousarray(np.broadcast_to(values.reshape(-1), (columns,)))
