"""The quantization of weights, as a program: activations are scaled anew in each run."""

from collections import Counter
from pathlib import Path

import onnx
from onnx import ModelProto, TensorProto
from onnxruntime.quantization import QuantType, quantize_dynamic

from .naming import with_names
from .serving import Refused, Rewritten, Source, served

_INTEGER = ("MatMulInteger", "DynamicQuantizeMatMul", "QAttention", "ConvInteger", "DynamicQuantizeLSTM")


def rewrite(source: Source) -> Rewritten:
    options = source.parameters
    written = Path("quantized.onnx")
    quantize_dynamic(
        with_names(source.model),
        written,
        op_types_to_quantize=options["operators"],
        nodes_to_exclude=options["exclude"],
        per_channel=options["per_channel"],
        reduce_range=options["reduce_range"],
        weight_type=QuantType.QInt8,
        extra_options={"DefaultTensorType": TensorProto.FLOAT},
    )
    model = onnx.load(written)
    quantized = Counter(node.op_type for node in model.graph.node if node.op_type in _INTEGER)
    if not quantized:
        raise Refused("nothing_to_quantize", f"the graph has no {' or '.join(options['operators'])} with fixed weights")
    separated = separate_layer_norms(model) if options["separate_layer_norms"] else 0
    return Rewritten(model, {"quantized": dict(quantized), "separated_layer_norms": separated})


def separate_layer_norms(model: ModelProto) -> int:
    """Rename each `Add` of two computed values before a layer norm to `Sum`, and return how many there were.

    ONNX Runtime fuses only an `Add` with the layer norm, to an operator that takes four times as long as both parts,
    because it sums value by value.
    """
    weights = {weight.name for weight in model.graph.initializer}
    normalized = {node.input[0] for node in model.graph.node if node.op_type == "LayerNormalization"}
    sums = [
        node
        for node in model.graph.node
        if node.op_type == "Add" and node.output[0] in normalized and not weights & set(node.input)
    ]
    for node in sums:
        node.op_type = "Sum"
    return len(sums)


handle = served(rewrite)
