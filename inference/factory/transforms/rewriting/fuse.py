"""The fusions of the transformer optimizer, as a program."""

from collections import Counter

from onnx import ModelProto
from onnxruntime.transformers.fusion_options import FusionOptions
from onnxruntime.transformers.optimizer import optimize_by_fusion

from .optimize import optimized
from .serving import Refused, Rewritten, Source, served

_OWN = "com.microsoft"


def rewrite(source: Source) -> Rewritten:
    """Fold constants, then fuse. A graph in which nothing is found is refused."""
    kind = source.parameters["model_type"]
    folded = optimized(source.model, "basic")
    before = _fused(folded)
    optimizer = optimize_by_fusion(
        folded, kind, source.parameters["heads"], source.parameters["hidden_size"], FusionOptions(kind)
    )
    found = _fused(optimizer.model) - before
    if not found:
        raise Refused("nothing_to_fuse", f"the optimizer for {kind} finds no attention, layer norm or activation")
    return Rewritten(optimizer.model, {"fused": dict(sorted(found.items()))})


def _fused(model: ModelProto) -> Counter[str]:
    """Count the operators that stand for several."""
    names = ("LayerNormalization", "SimplifiedLayerNormalization")
    return Counter(node.op_type for node in model.graph.node if node.domain == _OWN or node.op_type in names)


handle = served(rewrite)
