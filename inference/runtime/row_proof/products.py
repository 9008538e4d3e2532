"""Rules for operators that sum over an axis of two tensors, and for whole layers in one operator."""

from collections.abc import Sequence

from inference.runtime.row_proof.axes import the_rest_is_fixed
from inference.runtime.row_proof.elementwise import broadcast_sizes, fits_rows, the_first
from inference.runtime.row_proof.values import CannotProve, Fixed, Known, Rows, Shape, Use


def mat_mul(use: Use) -> Rows:
    if any(use.attribute(name, 0) for name in ("transBatchA", "transBatchB")):
        raise CannotProve("it turns the axis of the rows")
    # The third input holds the zero points of the quantized form.
    if not all(value is None or (isinstance(value, Fixed) and value.is_one_number) for value in use.inputs[2:3]):
        raise CannotProve("its zero point may differ from row to row")
    the_rest_is_fixed(use, 2)
    left = _turned(use.input(0), use.attribute("transA", 0))
    right = _turned(use.input(1), use.attribute("transB", 0))
    return multiplied(left, right)


def multiplied(left: Known | None, right: Known | None) -> Rows:
    match left, right:
        case Rows(), Rows():
            _both_in_front(left, right)
            followed = left
        case Rows(), Fixed(shape=shape) if shape:
            if left.rank < 2 or left.axis == left.rank - 1:
                raise CannotProve("it sums over the rows")
            _no_row_of_its_own(right, left)
            followed = left
        case Fixed(shape=shape), Rows() if shape:
            if right.rank < 2 or right.axis == right.rank - 2:
                raise CannotProve("it sums over the rows")
            _no_row_of_its_own(left, right)
            followed = right
        case _:
            raise CannotProve("the shape of its weights is not known")
    shape = _product_shape(left.shape or (), right.shape or ())
    lost = 1 if followed is left and len(right.shape or ()) == 1 else 0
    if followed is right and len(left.shape or ()) == 1:
        raise CannotProve("its weights have one axis only")
    return followed.shaped(shape, axis=len(shape) - followed.from_right + lost)


def gemm(use: Use) -> Rows:
    left, weights, bias = use.input(0), use.input(1), use.input(2)
    if not isinstance(left, Rows) or not isinstance(weights, Fixed) or left.rank != 2:
        raise CannotProve("it multiplies rows with one another")
    if left.axis != (1 if use.attribute("transA", 0) else 0):
        raise CannotProve("it sums over the rows")
    columns = None
    if weights.shape is not None and len(weights.shape) == 2:
        columns = weights.shape[0 if use.attribute("transB", 0) else 1]
    if isinstance(bias, Fixed) and not fits_rows(bias, 2):
        raise CannotProve("its constant may differ from row to row")
    if isinstance(bias, Rows) and (bias.axis, bias.rank, bias.places) != (0, 2, left.places):
        raise CannotProve("it adds other rows")
    return left.shaped([None, columns], axis=0)


def quantized(use: Use) -> Rows:
    """Follow an operator on a tensor with its scale and zero point, and weights. Only the tensor comes by rows."""
    rows = the_first(use)
    the_rest_is_fixed(use)
    if not all(value is None or (isinstance(value, Fixed) and value.is_one_number) for value in use.inputs[1:3]):
        raise CannotProve("its scale may differ from row to row")
    if rows.axis != 0 or rows.rank < 2:
        raise CannotProve("the rows are not its first axis")
    if use.node.operator == "QLinearMatMul" and not _is_matrix(use.input(3)):
        raise CannotProve("its weights are not a matrix")
    return rows.of_rank(rows.rank)


def packed_weights(use: Use) -> Rows:
    rows = the_first(use)
    the_rest_is_fixed(use)
    if rows.axis == rows.rank - 1:
        raise CannotProve("it sums over the rows")
    return rows.shaped([*rows.shape[:-1], None])


def einsum(use: Use) -> Rows:
    equation = use.attribute("equation", b"")
    left, arrow, right = str(equation.decode() if isinstance(equation, bytes) else equation).partition("->")
    terms, result = [term.strip() for term in left.split(",")], right.strip()
    if not arrow or "." in left + right or len(terms) != len(use.inputs):
        raise CannotProve("its equation is not spelled out")
    letters = set()
    for term, given in zip(terms, use.inputs, strict=True):
        if isinstance(given, Rows) and len(term) == given.rank and term.count(term[given.axis]) == 1:
            letters.add((term[given.axis], given.places))
        elif not isinstance(given, Fixed):
            raise CannotProve("its equation does not go with its inputs")
    ((letter, places),) = letters if len(letters) == 1 else [("", None)]
    by_rows = [letter in term for term in terms]
    if not letter or by_rows != [isinstance(value, Rows) for value in use.inputs] or result.count(letter) != 1:
        raise CannotProve("it sums over the rows, or multiplies them with one another")
    return Rows(result.index(letter), (None,) * len(result), places)


def _both_in_front(left: Rows, right: Rows) -> None:
    """Raise unless both axes of the rows are among the leading axes, along which products are only set side by side."""
    if left.from_right < 3 or left.from_right != right.from_right:
        raise CannotProve("it multiplies rows with one another")
    if (left.places == 1) != (right.places == 1):
        raise CannotProve("it multiplies rows with one another")


def _no_row_of_its_own(weights: Fixed, rows: Rows) -> None:
    if rows.from_right >= 3 and len(weights.shape or ()) >= rows.from_right and not fits_rows(weights, rows.from_right):
        raise CannotProve("its weights may differ from row to row")


def _product_shape(left: Shape, right: Shape) -> Shape:
    if len(right) == 1:
        return left[:-1]
    front = broadcast_sizes([left[:-2], right[:-2]])
    return (*front, left[-2] if len(left) > 1 else None, right[-1])


def _turned(given: Known | None, turned: int) -> Known | None:
    if not turned or given is None:
        return given
    if given.shape is None or len(given.shape) < 2:
        return given
    shape = (*given.shape[:-2], given.shape[-1], given.shape[-2])
    if isinstance(given, Fixed):
        return Fixed(shape)
    last = {given.rank - 1: given.rank - 2, given.rank - 2: given.rank - 1}
    return given.shaped(shape, axis=last.get(given.axis, given.axis))


def _is_matrix(given: Known | None) -> bool:
    return isinstance(given, Fixed) and given.shape is not None and len(given.shape) == 2


def recurrent(use: Use) -> Sequence[Rows]:
    """Follow a recurrent layer. The axes of its input are steps, rows and features. Its outputs are steps, directions,
    rows and features, and the last states.
    """
    rows = the_first(use)
    if use.attribute("layout", 0) or rows.axis != 1 or rows.rank != 3:
        raise CannotProve("the rows are not its second axis")
    weights, lengths, states = use.inputs[1:4], use.input(4), use.inputs[5:7]
    for state in states:
        if not (state is None or (isinstance(state, Rows) and state.axis == 1 and state.places == rows.places)):
            raise CannotProve("its first state may differ from row to row")
    if not all(value is None or isinstance(value, Fixed) for value in (*weights, *use.inputs[7:])) or not (
        lengths is None or (isinstance(lengths, Rows) and lengths.axis == 0 and lengths.places == rows.places)
    ):
        raise CannotProve("its weights come from the rows")
    return [rows.of_rank(4, axis=2), rows.of_rank(3), rows.of_rank(3)][: len(use.node.outputs)]


_WEIGHTS_OF = {("com.microsoft", "Attention"): (1, 2), ("com.microsoft", "MultiHeadAttention"): (3,)}
"""The positions of inputs that are the same for all rows. In others, a constant may differ for each row."""


def attention(use: Use) -> Rows:
    """Follow attention, in which each row attends to itself. Inputs that come by rows have them on the first axis, and
    other inputs have size 1 there.
    """
    rows, weights = the_first(use), _WEIGHTS_OF.get((use.node.domain, use.node.operator), ())
    for position, value in enumerate(use.inputs):
        if isinstance(value, Rows) and (value.axis, value.places) != (0, rows.places):
            raise CannotProve("the rows are not the first axis of all of its inputs")
        if isinstance(value, Fixed) and position not in weights and not _alike_for_all(use, value):
            raise CannotProve("a constant in it may differ from row to row")
    if rows.axis != 0 or rows.rank < 3 or len([name for name in use.node.outputs if name]) > 1:
        raise CannotProve("it keeps what it has seen")
    return rows.of_rank(rows.rank)


def _alike_for_all(use: Use, mask: Fixed) -> bool:
    """Return whether a mask is the same for all rows. Of fewer than four axes, only the standard's is."""
    return fits_rows(mask, 4) and (not use.node.domain or len(mask.shape or ()) == 4)


def embedded(use: Use) -> Rows:
    """Follow an embedding. Its inputs are the ids of tokens and perhaps segments, then tables and weights."""
    rows = the_first(use)
    others = [value for value in use.inputs[1:] if isinstance(value, Rows)]
    if rows.axis != 0 or rows.rank != 2 or any((value.axis, value.rank) != (0, 2) for value in others):
        raise CannotProve("the rows are not the first axis of all of its inputs")
    if len([name for name in use.node.outputs if name]) > 1:
        raise CannotProve("it gives more than the embeddings")
    return rows.of_rank(3)


def skip_norm(use: Use) -> Rows:
    """Follow the sum of two tensors of the same rows, normalized along the last axis."""
    rows, other = the_first(use), use.input(1)
    the_rest_is_fixed(use, 2)
    same = isinstance(other, Rows) and (other.axis, other.rank, other.places) == (0, rows.rank, rows.places)
    if not same or rows.axis != 0 or rows.rank < 2:
        raise CannotProve("what it adds may differ from row to row")
    if any(isinstance(value, Fixed) and len(value.shape or (0, 0)) != 1 for value in use.inputs[2:]):
        raise CannotProve("its scale may differ from row to row")
    return rows


def of_a_table(use: Use) -> Sequence[Rows]:
    """Follow an operator that reads a row of numbers and gives a label, scores or other numbers for it."""
    rows = the_first(use)
    the_rest_is_fixed(use)
    if rows.axis != 0 or rows.rank != 2 or rows.places != 1:
        raise CannotProve("its input is no table of rows")
    if use.node.operator.endswith("Classifier"):
        return [Rows(0, (None,)), Rows(0, (None, None))][: len(use.node.outputs)]
    return [Rows(0, (None, None))]
