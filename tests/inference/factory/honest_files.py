"""Make honest variants of model files with the tools that people use: other precisions, optimized and folded graphs."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
from onnx import numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.transformers.float16 import convert_float_to_float16

Make = Callable[[Path, Path], Path]


def as_float16(source: Path, into: Path) -> Path:
    """Convert to half precision inside, with inputs and outputs as they were."""
    converted = convert_float_to_float16(onnx.load(source), keep_io_types=True)
    onnx.save(converted, into)
    return into


def quantized(*, per_channel: bool) -> Make:
    """Return a maker of variants with 8-bit weights and activations. Seven bits are right on every processor."""

    def make(source: Path, into: Path) -> Path:
        quantize_dynamic(
            source,
            into,
            weight_type=QuantType.QInt8,
            per_channel=per_channel,
            reduce_range=True,
            op_types_to_quantize=["MatMul", "Gemm", "Gather"],
            extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT},
        )
        return into

    return make


def optimized(level: ort.GraphOptimizationLevel) -> Make:
    """Return a maker of variants by ONNX Runtime's own optimizer, with constants folded and nodes fused."""

    def make(source: Path, into: Path) -> Path:
        options = ort.SessionOptions()
        options.graph_optimization_level = level
        options.optimized_model_filepath = str(into)
        options.log_severity_level = 4
        ort.InferenceSession(str(source), options, providers=["CPUExecutionProvider"])
        return into

    return make


def with_rounded_weights(source: Path, into: Path) -> Path:
    """Round the weights to 16 bits and back, as files do that are stored in half precision."""
    model = onnx.load(source)
    for weight in model.graph.initializer:
        values = numpy_helper.to_array(weight)
        if values.dtype == np.float32:
            weight.CopyFrom(numpy_helper.from_array(values.astype(np.float16).astype(np.float32), weight.name))
    onnx.save(model, into)
    return into


MAKERS: dict[str, Make] = {
    "fp16": as_float16,
    "int8": quantized(per_channel=False),
    "int8 by channel": quantized(per_channel=True),
    "optimized": optimized(ort.GraphOptimizationLevel.ORT_ENABLE_BASIC),
    "fused": optimized(ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED),
    "rounded weights": with_rounded_weights,
}
NOT_MADE = {("trees", "fp16"), ("trees", "int8"), ("trees", "int8 by channel"), ("strings", "fp16")}
"""The variants that the tools do not make: there are no trees or encoders of texts with half the precision."""
