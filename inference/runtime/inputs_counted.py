"""The number of inputs in a request that a model has to read: texts, or rows of tensors. The functions are pure."""

from collections.abc import Mapping

from inference.core.contracts import Json, PageInput, TensorInput, TextInput, TokenInput, WorkInput


def inputs_in(signature: Mapping[str, Json], work: WorkInput) -> int:
    """Return the number of inputs, which is at least 1."""
    match work:
        case TextInput():
            count = len(work.texts)
        case TokenInput():
            count = len(work.rows)
        case TensorInput():
            sizes = [tensor.shape[0] for tensor in work.tensors.values() if tensor.ndim]
            count = max(sizes, default=1) if reads_rows(signature) else 1
        case PageInput():
            count = 1
    return max(1, count)


def reads_rows(signature: Mapping[str, Json]) -> bool:
    """Return whether the first dimension counts inputs. For a sound, for example, it is the sound's length."""
    shapes = [tensor["shape"] for tensor in signature.get("inputs", ())]
    return bool(shapes) and all(len(shape) >= 2 and shape[0] == -1 for shape in shapes)
