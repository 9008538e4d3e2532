"""Rules of operators that compute each value of a unit from values of the same unit."""

from inference.factory.pruning.tracing import Port, Rule, Visit

_ELEMENTWISE = (
    "Abs Acos Acosh Add And Asin Asinh Atan Atanh BitShift Cast CastLike Ceil Celu Clip Cos Cosh Div Dropout Elu Equal "
    "Erf Exp Floor Gelu Greater GreaterOrEqual HardSigmoid HardSwish Identity IsInf IsNaN LeakyRelu Less LessOrEqual "
    "Log Max Mean Min Mish Mod Mul Neg Not Or PRelu Pow Reciprocal Relu Round Selu Shrink Sigmoid Sign Sin Sinh "
    "Softplus Softsign Sqrt Sub Sum Swish Tan Tanh ThresholdedRelu Where Xor"
)
_ELEMENTWISE_OF_ORT = "Gelu FastGelu QuickGelu BiasGelu"
_POOLS = "AveragePool GlobalAveragePool GlobalLpPool GlobalMaxPool LpPool MaxPool"
_NORMALIZING = "Softmax LogSoftmax Hardmax LpNormalization"
_CHANNEL = 1


def elementwise(visit: Visit) -> None:
    """Pass the units on to all tensors that have their axis, counted from the last one as broadcasting does."""
    from_end = len(visit.shape(visit.port)) - visit.axis
    for port in (*visit.inputs(), *visit.outputs()):
        shape = visit.shape(port)
        axis = len(shape) - from_end
        spread = not port.is_output and (axis < 0 or shape[axis] == 1)
        if port != visit.port and not spread:
            visit.mark(port, axis)


def pool(visit: Visit) -> None:
    if visit.axis > _CHANNEL or len(visit.outputs()) > 1:
        raise visit.refuse("its units lie along pooled axes, or its indices are read")
    pass_on(visit)


def pass_on(visit: Visit) -> None:
    """Mark the same axis of the first input and output."""
    if visit.port.index:
        raise visit.refuse("its units are in another input than the first one")
    visit.mark(Port(not visit.port.is_output, 0), visit.axis)


def batch_norm(visit: Visit) -> None:
    if visit.axis != _CHANNEL or len(visit.outputs()) > 1 or visit.port.index:
        raise visit.refuse("its units are not the channels")
    for index in range(1, len(visit.node.input)):
        if visit.constant_input(index) is None:
            raise visit.refuse("its parameters are not constant")
        visit.mark(Port(False, index), 0)
    pass_on(visit)


def normalize(visit: Visit) -> None:
    """Pass units on along each axis but those that are summed up."""
    rank = len(visit.shape(visit.port))
    old = visit.node.op_type != "LpNormalization" and visit.trace.graph.opset < 13
    axis = visit.attributes.get("axis", 1 if old else -1) % rank
    if visit.axis == axis or (old and visit.axis > axis):
        raise visit.refuse("it sums over the units")
    pass_on(visit)


def layer_norm(visit: Visit) -> None:
    rank = len(visit.shape(visit.port))
    if visit.axis >= visit.attributes.get("axis", -1) % rank or len(visit.outputs()) > 1:
        raise visit.refuse("it normalizes over the units")
    pass_on(visit)


RULES: dict[tuple[str, str], Rule] = {
    **{("", name): elementwise for name in _ELEMENTWISE.split()},
    **{("com.microsoft", name): elementwise for name in _ELEMENTWISE_OF_ORT.split()},
    **{("", name): pool for name in _POOLS.split()},
    **{("", name): normalize for name in _NORMALIZING.split()},
    ("", "BatchNormalization"): batch_norm,
    ("", "InstanceNormalization"): batch_norm,
    ("", "LayerNormalization"): layer_norm,
    ("", "RMSNormalization"): layer_norm,
}
