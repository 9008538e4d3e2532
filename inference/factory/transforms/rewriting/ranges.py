"""The ranges of activations over calibration samples."""

from collections.abc import Iterator, Sequence

import numpy as np
import onnx
import onnxruntime as ort
from onnx import ModelProto, TensorProto, helper
from onnxruntime.quantization.calibrate import CalibrationMethod, HistogramCollector, TensorsData

from .serving import Feeds, Refused, session

Range = tuple[np.float32, np.float32]
_BINS = 2048
_LEVELS = 128
_TOGETHER = 16
"""The number of activations that are kept as a whole at the same time. Histograms need all of their values."""


def typed_tensors(model: ModelProto, operators: Sequence[str]) -> list[str]:
    """Return the names of the float values that these operators take and give, and that are no weights.

    The graph gets the types of those whose type it did not declare, because the quantizer leaves them out otherwise.
    """
    weights = {weight.name for weight in model.graph.initializer}
    used = (name for node in model.graph.node if node.op_type in operators for name in (*node.input, *node.output))
    names = [name for name in dict.fromkeys(used) if name and name not in weights]
    inputs = {value.name: value.type.tensor_type.elem_type == TensorProto.FLOAT for value in model.graph.input}
    runs = _session_with(model, [name for name in names if name not in inputs])
    is_float = {value.name: value.type == "tensor(float)" for value in runs.get_outputs()} | inputs
    floats = [name for name in names if is_float.get(name)]
    known = {value.name for value in (*model.graph.value_info, *model.graph.input, *model.graph.output)}
    model.graph.value_info.extend(
        helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in floats if name not in known
    )
    return floats


def ranges_of(
    model: ModelProto, tensors: Sequence[str], samples: Sequence[Feeds], method: str, percentile: float
) -> TensorsData:
    """Return the lowest and the highest value to keep for each tensor."""
    found = _extremes(model, tensors, samples)
    wrong = [name for name, ends in found.items() if not np.isfinite(ends).all()]
    if wrong:
        raise Refused("calibration_not_finite", f"the value {wrong[0]!r} is not finite on the calibration samples")
    if method != "minmax":
        found |= dict(_by_histograms(model, tensors, samples, method, percentile))
    return TensorsData(CalibrationMethod.MinMax, dict(found))


def _extremes(model: ModelProto, tensors: Sequence[str], samples: Sequence[Feeds]) -> dict[str, Range]:
    extended = ModelProto()
    extended.CopyFrom(model)
    for name in tensors:
        for operator in ("ReduceMin", "ReduceMax"):
            output = f"{name}:{operator}"
            extended.graph.node.append(helper.make_node(operator, [name], [output], name=output, keepdims=0))
            extended.graph.output.append(helper.make_tensor_value_info(output, TensorProto.FLOAT, []))
    runs = session(extended)
    lows, highs = ([f"{name}:{operator}" for name in tensors] for operator in ("ReduceMin", "ReduceMax"))
    low, high = np.full(len(tensors), np.inf, np.float32), np.full(len(tensors), -np.inf, np.float32)
    for sample in samples:
        found = runs.run([*lows, *highs], sample)
        low = np.minimum(low, np.array(found[: len(tensors)]))
        high = np.maximum(high, np.array(found[len(tensors) :]))
    return {name: (low[at], high[at]) for at, name in enumerate(tensors)}


def _by_histograms(
    model: ModelProto, tensors: Sequence[str], samples: Sequence[Feeds], method: str, percentile: float
) -> Iterator[tuple[str, Range]]:
    for start in range(0, len(tensors), _TOGETHER):
        part = list(tensors[start : start + _TOGETHER])
        collector = HistogramCollector(
            method, False, _BINS if method == "percentile" else _LEVELS, _LEVELS, percentile, ""
        )
        runs = _session_with(model, part)
        for sample in samples:
            collector.collect(dict(zip(part, runs.run(part, sample), strict=True)))
        for name, (low, high, *_) in collector.compute_collection_result().items():
            yield name, (np.float32(low), np.float32(high))


def _session_with(model: ModelProto, outputs: Sequence[str]) -> ort.InferenceSession:
    extended = ModelProto()
    extended.CopyFrom(model)
    declared = {output.name for output in model.graph.output}
    extended.graph.output.extend(
        onnx.helper.make_empty_tensor_value_info(name) for name in outputs if name not in declared
    )
    return session(extended)
