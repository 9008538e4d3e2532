"""The operators that a model from outside may use."""

from collections import defaultdict
from collections.abc import Mapping
from functools import cache

from onnx import defs

from inference.registry.admission.errors import ModelRefused

_ML_DOMAIN = "ai.onnx.ml"
_ORT_DOMAIN = "com.microsoft"

# These are the operators that ONNX Runtime's own quantizer and transformer optimizer write. Everything else in that
# domain is refused, above all EPContext: it makes an execution provider open files and foreign binaries.
_ORT_OPERATORS = frozenset(
    [
        "Attention",
        "BiasGelu",
        "BiasSoftmax",
        "DequantizeLinear",
        "DynamicQuantizeLSTM",
        "DynamicQuantizeMatMul",
        "EmbedLayerNormalization",
        "FastGelu",
        "FusedConv",
        "FusedGemm",
        "FusedMatMul",
        "Gelu",
        "GroupQueryAttention",
        "MatMulInteger16",
        "MatMulIntegerToFloat",
        "MatMulNBits",
        "MultiHeadAttention",
        "QAttention",
        "QEmbedLayerNormalization",
        "QGemm",
        "QLinearAdd",
        "QLinearAveragePool",
        "QLinearConcat",
        "QLinearGlobalAveragePool",
        "QLinearLeakyRelu",
        "QLinearMul",
        "QLinearReduceMean",
        "QLinearSigmoid",
        "QLinearSoftmax",
        "QLinearWhere",
        "QuantizeLinear",
        "QuickGelu",
        "RotaryEmbedding",
        "SkipLayerNormalization",
        "SkipSimplifiedLayerNormalization",
    ]
)


_ADVICE: Mapping[tuple[str, str], str] = {
    (_ORT_DOMAIN, "Tokenizer"): "Compute the features of texts in your own program, with the vectorizer of "
    "scikit-learn, and export the part after the vectorizer, which takes numbers.",
    (_ORT_DOMAIN, "EPContext"): "Export the model without compiling it for a device.",
}


def check_operator(domain: str, op_type: str) -> None:
    if op_type not in _operators(domain):
        name = f"{domain}.{op_type}" if domain else op_type
        advice = _ADVICE.get((domain, op_type), "")
        raise ModelRefused("operator_not_allowed", f"Operator '{name}' is not in the ONNX standard.", advice=advice)


def is_reserved_domain(domain: str) -> bool:
    """Return whether a local function defined in this domain could replace an operator."""
    return domain in {"", "ai.onnx", _ORT_DOMAIN} or domain.startswith(("ai.onnx.", f"{_ORT_DOMAIN}."))


@cache
def _standard_operators() -> Mapping[str, frozenset[str]]:
    names: dict[str, set[str]] = defaultdict(set)
    for schema in defs.get_all_schemas_with_history():
        names[schema.domain].add(schema.name)
    return {domain: frozenset(names[domain]) for domain in ("", _ML_DOMAIN)}


def _operators(domain: str) -> frozenset[str]:
    if domain == _ORT_DOMAIN:
        return _ORT_OPERATORS
    return _standard_operators().get("" if domain == "ai.onnx" else domain, frozenset())
