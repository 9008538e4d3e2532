"""The rule for each operator. An operator that is missing here is not known to keep rows apart."""

from collections.abc import Callable, Mapping, Sequence

from inference.runtime.row_proof import axes, elementwise, layouts, products, sizes
from inference.runtime.row_proof.values import Fixed, Known, Use


def _names(written: str) -> frozenset[str]:
    return frozenset(written.split())


UNARY = _names(
    "Abs Acos Acosh Asin Asinh Atan Atanh BitwiseNot Cast Ceil Celu Cos Cosh Elu Erf Exp Floor Gelu HardSigmoid"
    " HardSwish Identity IsInf IsNaN LeakyRelu Log Mish Neg Not Reciprocal Relu Round Selu Shrink Sigmoid Sign Sin"
    " Sinh Softplus Softsign Sqrt Swish Tan Tanh ThresholdedRelu"
)
BROADCAST = _names(
    "Add And BitShift BitwiseAnd BitwiseOr BitwiseXor Div Equal Greater GreaterOrEqual Less LessOrEqual Max Mean Min"
    " Mod Mul Or PRelu Pow Sub Sum Where Xor"
)
OF_MICROSOFT = _names("BiasGelu FastGelu Gelu QuickGelu")
REDUCTIONS = _names(
    "ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare"
)
PICTURES = _names(
    "AveragePool Conv ConvInteger ConvTranspose DepthToSpace GlobalAveragePool GlobalLpPool GlobalMaxPool LpPool"
    " MaxPool SpaceToDepth"
)
OF_TABLES = _names(
    "Binarizer Imputer LinearClassifier LinearRegressor Normalizer SVMClassifier SVMRegressor Scaler"
    " TreeEnsembleClassifier TreeEnsembleRegressor"
)
RANDOM = _names("Bernoulli Multinomial RandomNormal RandomNormalLike RandomUniform RandomUniformLike")


Rule = Callable[[Use], Known | Sequence[Known]]
MICROSOFT, TABLES = "com.microsoft", "ai.onnx.ml"

ALL_OUTPUTS_ALIKE = frozenset(["Split", "TopK", "Dropout"])
"""Operators whose outputs all follow one rule. Positions in a pool count from the batch's first value."""
COUNTS_ROWS = frozenset(["ConstantOfShape", "Expand", "Reshape", "Resize", "Tile"])
"""Operators that may get the number of rows, because they only use it for shapes."""

_STANDARD: Mapping[str, Rule] = {
    **dict.fromkeys([*UNARY, *BROADCAST], elementwise.elementwise),
    **dict.fromkeys(REDUCTIONS, axes.reduce),
    **dict.fromkeys(PICTURES, axes.channels),
    **dict.fromkeys(["ArgMax", "ArgMin"], axes.arg_reduce),
    **dict.fromkeys(["BatchNormalization"], axes.batch_norm),
    **dict.fromkeys(["GroupNormalization", "InstanceNormalization", "LRN"], axes.normalized),
    **dict.fromkeys(["Softmax", "LogSoftmax", "Hardmax"], axes.softmax),
    **dict.fromkeys(["LayerNormalization", "RMSNormalization", "SimplifiedLayerNormalization"], axes.layer_norm),
    **dict.fromkeys(["GatherElements", "ScatterElements"], axes.elements_along),
    **dict.fromkeys(["QuantizeLinear", "DequantizeLinear"], elementwise.linear_quantized),
    **dict.fromkeys(["GRU", "LSTM", "RNN"], products.recurrent),
    **dict.fromkeys(["QLinearConv", "QLinearMatMul"], products.quantized),
    **dict.fromkeys(["MatMul", "MatMulInteger"], products.mat_mul),
    "Attention": products.attention,
    "CastLike": elementwise.the_first,
    "Clip": elementwise.first_with_numbers,
    "Concat": axes.concat,
    "ConstantOfShape": layouts.constant_of_shape,
    "CumSum": axes.cumulate,
    "Dropout": axes.dropout,
    "Einsum": products.einsum,
    "Expand": layouts.expand,
    "Flatten": layouts.flatten,
    "Gather": axes.gather,
    "Gemm": products.gemm,
    "LpNormalization": axes.norm_along,
    "MeanVarianceNormalization": axes.mean_variance,
    "OneHot": axes.one_hot,
    "Pad": layouts.pad,
    "Reshape": layouts.reshape,
    "Resize": axes.resize,
    "Shape": sizes.shape_of,
    "Size": sizes.size_of,
    "Slice": axes.slice_,
    "Split": axes.split,
    "Squeeze": layouts.squeeze,
    "Tile": layouts.tile,
    "TopK": axes.top,
    "Transpose": layouts.transpose,
    "Trilu": axes.triangle,
    "Unsqueeze": layouts.unsqueeze,
    "Upsample": axes.resize,
}
_MICROSOFT: Mapping[str, Rule] = {
    **dict.fromkeys(OF_MICROSOFT, elementwise.elementwise),
    **dict.fromkeys(["Attention", "MultiHeadAttention"], products.attention),
    **dict.fromkeys(["QuantizeLinear", "DequantizeLinear"], elementwise.linear_quantized),
    **dict.fromkeys(["SkipLayerNormalization", "SkipSimplifiedLayerNormalization"], products.skip_norm),
    "EmbedLayerNormalization": products.embedded,
    "FusedMatMul": products.mat_mul,
    "MatMulNBits": products.packed_weights,
}
RULES: Mapping[tuple[str, str], Rule] = {
    **{("", name): rule for name, rule in _STANDARD.items()},
    **{(MICROSOFT, name): rule for name, rule in _MICROSOFT.items()},
    **{(TABLES, name): products.of_a_table for name in OF_TABLES},
}

SIZE_RULES: Mapping[str, Callable[[Use], Fixed]] = {
    **dict.fromkeys(["Identity", "Squeeze", "Unsqueeze", "Reshape"], sizes.same_values),
    **dict.fromkeys(["Add", "Sub", "Mul", "Div", "Equal", "Where"], sizes.reckoned),
    "Cast": sizes.cast,
    "Concat": sizes.concat,
    "Constant": sizes.constant,
    "Gather": sizes.gather,
    "ReduceProd": sizes.product,
    "Shape": sizes.shape_of,
    "Size": sizes.size_of,
    "Slice": sizes.slice_,
}
"""The rules for standard operators whose inputs are only constants and sizes."""
