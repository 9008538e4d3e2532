"""Rules for whole layers in one operator: recurrent layers, attention, and packages for tables of numbers."""

from collections.abc import Sequence

from inference.runtime.row_proof.axes import the_rest_is_fixed
from inference.runtime.row_proof.elementwise import fits_rows, the_first
from inference.runtime.row_proof.outline import Use
from inference.runtime.row_proof.values import CannotProve, Fixed, Rows


def recurrent(use: Use) -> Sequence[Rows]:
    """Follow a recurrent layer. The axes of its input are steps, rows and features. Its outputs are steps, directions,
    rows and features, and the last states.
    """
    rows = the_first(use)
    if use.attribute("layout", 0) or rows.axis != 1 or rows.rank != 3:
        raise CannotProve("the rows are not its second axis")
    weights, lengths, states = use.inputs[1:4], use.input(4), use.inputs[5:7]
    for one in states:
        if not (one is None or (isinstance(one, Rows) and one.axis == 1 and one.places == rows.places)):
            raise CannotProve("its first state may differ from row to row")
    if not all(one is None or isinstance(one, Fixed) for one in (*weights, *use.inputs[7:])) or not (
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
    for place, one in enumerate(use.inputs):
        if isinstance(one, Rows) and (one.axis, one.places) != (0, rows.places):
            raise CannotProve("the rows are not the first axis of all of its inputs")
        if isinstance(one, Fixed) and place not in weights and not _alike_for_all(use, one):
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
    others = [one for one in use.inputs[1:] if isinstance(one, Rows)]
    if rows.axis != 0 or rows.rank != 2 or any((one.axis, one.rank) != (0, 2) for one in others):
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
    if any(isinstance(one, Fixed) and len(one.shape or (0, 0)) != 1 for one in use.inputs[2:]):
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
