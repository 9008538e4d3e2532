"""The quantization of weights and activations by calibration samples, as a program."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from onnx import ModelProto, NodeProto, version_converter
from onnxruntime.quantization import QuantType
from onnxruntime.quantization.calibrate import TensorsData
from onnxruntime.quantization.qdq_quantizer import QDQQuantizer

from .ablation import within_bound
from .biases import is_quantizable, with_biases_by_column
from .naming import with_names
from .optimize import ACTIVATIONS_INTO_CONVOLUTIONS, optimized
from .ranges import ranges_of, typed_tensors
from .serving import Feeds, Refused, Rewritten, Source, served

_MIN_OPSET = 13
"""The first opset whose QuantizeLinear has a scale for each channel."""
_ACTIVATIONS = {"uint8": QuantType.QUInt8, "int8": QuantType.QInt8}


def rewrite(source: Source) -> Rewritten:
    """Prepare the graph, find the ranges on one part of the samples and hold the error's bound on the other."""
    options = source.parameters
    if not source.samples:
        raise Refused("calibration_missing", "static quantization needs calibration samples")
    model = prepared(source.model)
    nodes = chosen_nodes(model, options)
    if not nodes:
        raise Refused("nothing_to_quantize", f"no {' or '.join(options['operators'])} is left to quantize")
    calibration, judging = _parts(source.samples)
    tensors = typed_tensors(model, options["operators"])
    ranges = ranges_of(model, tensors, calibration, options["method"], options["percentile"])

    def quantize(names: Sequence[str]) -> ModelProto:
        return quantized(model, names, ranges, options)

    if options["max_error"] is None:
        return Rewritten(quantize(nodes), {"quantized": len(nodes), "kept": []})
    chosen = within_bound(model, nodes, quantize, judging, options["max_error"])
    notes = {"quantized": len(nodes) - len(chosen.kept), "kept": list(chosen.kept), "error": round(chosen.error, 6)}
    return Rewritten(chosen.model, notes)


def prepared(model: ModelProto) -> ModelProto:
    """Return the graph with constants folded and activations fused, in an opset that the quantizer knows."""
    opset = next((each.version for each in model.opset_import if each.domain in ("", "ai.onnx")), 0)
    if opset < _MIN_OPSET:
        model = version_converter.convert_version(model, _MIN_OPSET)
    return with_biases_by_column(with_names(optimized(model, "extended", ACTIVATIONS_INTO_CONVOLUTIONS)))


def chosen_nodes(model: ModelProto, options: Mapping[str, Any]) -> list[str]:
    """Return the names of the nodes to quantize, in the order of the graph."""
    weights = {weight.name: weight for weight in model.graph.initializer}
    sizes = {name: int(np.prod(weight.dims)) for name, weight in weights.items()}
    excluded = set(options["exclude"])
    return [
        node.name
        for node in model.graph.node
        if node.op_type in options["operators"]
        and node.name not in excluded
        and max((sizes.get(name, 0) for name in node.input), default=0) >= options["min_weights"]
        and (options["depthwise"] or not _is_depthwise(node))
        and is_quantizable(node, weights)
    ]


def _is_depthwise(node: NodeProto) -> bool:
    return node.op_type == "Conv" and any(each.name == "group" and each.i > 1 for each in node.attribute)


def quantized(model: ModelProto, names: Sequence[str], ranges: TensorsData, options: Mapping[str, Any]) -> ModelProto:
    """Return a copy of the graph with these nodes between pairs of QuantizeLinear and DequantizeLinear."""
    copy = ModelProto()
    copy.CopyFrom(model)
    quantizer = QDQQuantizer(
        copy,
        per_channel=options["per_channel"],
        reduce_range=options["reduce_range"],
        weight_qType=QuantType.QInt8,
        activation_qType=_ACTIVATIONS[options["activations"]],
        tensors_range=ranges,
        nodes_to_quantize=list(names),
        nodes_to_exclude=[],
        op_types_to_quantize=options["operators"],
        extra_options={"ActivationSymmetric": options["activations"] == "int8"},
    )
    quantizer.quantize_model()
    result: ModelProto = quantizer.model.model
    return result


def _parts(samples: Sequence[Feeds]) -> tuple[Sequence[Feeds], Sequence[Feeds]]:
    """Return the samples that show ranges and those that judge: every fourth one, or all where there are few."""
    if len(samples) < 4:
        return samples, samples
    return [each for at, each in enumerate(samples) if at % 4], samples[::4]


handle = served(rewrite)
