"""The names of operators that share a rule."""


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
    "ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum"
    " ReduceSumSquare"
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
