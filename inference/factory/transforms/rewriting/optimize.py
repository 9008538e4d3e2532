"""The offline graph optimization of ONNX Runtime, as a program."""

from collections.abc import Sequence
from pathlib import Path

import onnx
import onnxruntime as ort
from onnx import ModelProto

from .serving import Rewritten, Source, quiet_options, served

LEVELS = {
    "basic": ort.GraphOptimizationLevel.ORT_ENABLE_BASIC,
    "extended": ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
}
ACTIVATIONS_INTO_CONVOLUTIONS = ("ConvActivationFusion", "ConvAddActivationFusion")
"""The fusions whose operators no quantizer knows."""


def optimized(model: ModelProto, level: str, without: Sequence[str] = ()) -> ModelProto:
    """Return the graph as ONNX Runtime would run it, without layouts for one kind of processor."""
    written = Path("optimized.onnx")
    options = quiet_options(LEVELS[level])
    options.optimized_model_filepath = str(written)
    ort.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"], disabled_optimizers=list(without)
    )
    result = onnx.load(written)
    written.unlink()
    return _without_unused_domains(result)


def _without_unused_domains(model: ModelProto) -> ModelProto:
    """Remove the domains that ONNX Runtime declares whether nodes use them or not."""
    used = {node.domain for node in model.graph.node} | {"", "ai.onnx"}
    imports = [each for each in model.opset_import if each.domain in used or _has_subgraphs(model)]
    del model.opset_import[:]
    model.opset_import.extend(imports)
    return model


def _has_subgraphs(model: ModelProto) -> bool:
    kinds = (onnx.AttributeProto.GRAPH, onnx.AttributeProto.GRAPHS)
    return any(attribute.type in kinds for node in model.graph.node for attribute in node.attribute)


def rewrite(source: Source) -> Rewritten:
    before = len(source.model.graph.node)
    result = optimized(source.model, source.parameters["level"])
    return Rewritten(result, {"nodes_before": before, "nodes_after": len(result.graph.node)})


handle = served(rewrite)
