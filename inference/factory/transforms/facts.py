"""What decides which transformations suit a model, read from its file without its weights."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path

from inference.factory.transforms.errors import TransformRefused
from inference.runtime.graph_outline import OutlineUnreadable, read_outline
from inference.runtime.row_proof.values import Outline

_QUANTIZED = ("QuantizeLinear", "DequantizeLinear", "MatMulInteger", "ConvInteger", "DynamicQuantizeMatMul")


@dataclass(frozen=True, slots=True)
class ModelFacts:
    operators: Mapping[str, int]
    """The number of nodes of each type in the main graph."""
    weighted: Mapping[str, int]
    """The number of fixed weights that nodes of each type take."""
    opset: int
    size_bytes: int
    is_quantized: bool
    has_functions: bool

    def count(self, *operators: str) -> int:
        return sum(self.operators.get(operator, 0) for operator in operators)

    def weights(self, *operators: str) -> int:
        return sum(self.weighted.get(operator, 0) for operator in operators)


def facts_of(path: Path) -> ModelFacts:
    """Read the facts. Raises TransformRefused for a file that cannot be followed."""
    try:
        outline = read_outline(path)
    except OutlineUnreadable as error:
        raise TransformRefused("model_invalid", f"the file cannot be read as an ONNX model: {error}") from error
    operators = Counter(node.operator for node in outline.nodes)
    return ModelFacts(
        operators=operators,
        weighted=_weighted(outline),
        opset=outline.opset,
        size_bytes=path.stat().st_size,
        is_quantized=any(operators[each] for each in _QUANTIZED),
        has_functions=outline.own_functions,
    )


def _weighted(outline: Outline) -> Mapping[str, int]:
    found: Counter[str] = Counter()
    for node in outline.nodes:
        for name in node.inputs:
            constant = outline.constants.get(name)
            if constant is not None and constant.shape and len(constant.shape) > 1:
                found[node.operator] += prod(size or 0 for size in constant.shape)
    return found
