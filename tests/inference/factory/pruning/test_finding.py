from collections.abc import Callable

import numpy as np
import pytest

from inference.factory.pruning.finding import find_groups
from tests.inference.factory.pruning.graphs import (
    Builder,
    layer_norm,
    redundant_cnn,
    redundant_mlp,
    redundant_transformer,
)

Spoil = Callable[[Builder, str], str]


def _model(spoil: Spoil, units: int = 8) -> list[int]:
    """Return the sizes of the groups of a layer of units that something is done to before the next layer."""
    made = Builder()
    hidden = made.node("Relu", made.dense("x", made.random(4, units)))
    changed = spoil(made, hidden)
    output = made.dense(changed, made.random(units, 3)) if changed != hidden else hidden
    return [group.units for group in find_groups(made.model(["n", 4], output)).groups]


def _quantized(made: Builder, hidden: str) -> str:
    scale, zero = made.constant(0.1), made.constant(0, np.uint8)
    return made.node("DequantizeLinear", made.node("QuantizeLinear", hidden, scale, zero), scale, zero)


def _rolled(made: Builder, hidden: str) -> str:
    first = made.node("Slice", hidden, made.sizes(0), made.sizes(3), made.sizes(1))
    last = made.node("Slice", hidden, made.sizes(3), made.sizes(8), made.sizes(1))
    return made.node("Mul", made.node("Concat", last, first, axis=1), hidden)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda made, hidden: hidden,
        lambda made, hidden: made.node("Softmax", hidden, axis=-1),
        lambda made, hidden: made.node("LayerNormalization", hidden, made.constant(np.ones(8)), axis=-1),
        lambda made, hidden: layer_norm(made, hidden, 8),
        lambda made, hidden: made.node("Mul", hidden, made.node("ReduceSum", hidden, made.sizes(1))),
        lambda made, hidden: made.node("Reshape", hidden, made.sizes(8, -1)),
        lambda made, hidden: made.node("CumSum", hidden, made.constant(1, np.int64)),
        lambda made, hidden: made.node("Gather", hidden, made.sizes(7, 6, 5, 4, 3, 2, 1, 0), axis=1),
        lambda made, hidden: made.node("Einsum", hidden, made.constant(np.eye(8)), equation="ab,bc->ac"),
        _quantized,
        _rolled,
    ],
    ids=["output", "softmax", "norm", "old_norm", "sum", "reshape", "cumsum", "gather", "einsum", "int8", "rolled"],
)
def test_units_that_mix_with_each_other_stay(spoil: Spoil) -> None:
    assert _model(spoil) == []


@pytest.mark.parametrize(
    "pass_on",
    [
        lambda made, hidden: made.node("Clip", hidden, made.constant(0), made.constant(6)),
        lambda made, hidden: made.node("Mul", hidden, made.node("Sigmoid", hidden)),
        lambda made, hidden: made.node("Concat", *[hidden], axis=1),
        lambda made, hidden: made.node("Squeeze", made.node("Unsqueeze", hidden, made.sizes(0)), made.sizes(0)),
        lambda made, hidden: made.node("Pad", hidden, made.sizes(1, 0, 0, 0)),
    ],
    ids=["clip", "gate", "concat", "squeeze", "pad"],
)
def test_units_are_followed_through_what_keeps_them_apart(pass_on: Spoil) -> None:
    assert _model(pass_on) == [8]


def test_grouped_convolution_and_units_read_in_a_subgraph_stay() -> None:
    made = Builder()
    hidden = made.node("Relu", made.node("Conv", "x", made.constant(made.random(8, 4, 1, 1))))
    grouped = made.node("Conv", hidden, made.constant(made.random(6, 4, 1, 1)), group=2)
    output = made.node("Conv", made.node("Relu", grouped), made.constant(made.random(3, 6, 1, 1)))
    found = find_groups(made.model(["n", 4, 5, 5], output, rank=4))

    assert [group.name for group in found.groups] == []
    assert {"Conv: its channels are in groups"} <= {refusal.reason for refusal in found.refusals}


def test_weight_that_two_layers_share_is_cut_for_each_apart() -> None:
    made = Builder()
    shared = made.constant(made.random(6, 6))
    hidden = made.node("Relu", made.node("MatMul", "x", shared))
    output = made.node(
        "MatMul", made.node("Relu", made.node("MatMul", hidden, shared)), made.constant(made.random(6, 2))
    )

    assert [group.units for group in find_groups(made.model(["n", 6], output)).groups] == [6, 6]


def test_depthwise_convolution_is_part_of_its_channels() -> None:
    made = Builder()
    hidden = made.node("Conv", "x", made.constant(made.random(8, 3, 1, 1)))
    deep = made.node("Conv", hidden, made.constant(made.random(8, 1, 3, 3)), made.constant(made.random(8)), group=8)
    output = made.node("Conv", deep, made.constant(made.random(3, 8, 1, 1)))
    (group,) = find_groups(made.model(["n", 3, 9, 9], output, rank=4)).groups

    assert (group.units, len(group.sources), len(group.sinks)) == (8, 1, 1)
    assert {name for _, name in group.edits.counts} == {"group"}


def test_heads_columns_and_residual_channels_are_found() -> None:
    assert [group.units for group in find_groups(redundant_transformer()).groups] == [6, 96]
    assert [group.units for group in find_groups(redundant_mlp()).groups] == [128, 128, 128]
    by_size = {group.units: group for group in find_groups(redundant_cnn()).groups}
    assert len(by_size[36].sources) in (1, 2)


def test_one_matrix_for_query_key_and_value_is_cut_by_head() -> None:
    made = Builder()
    joint = made.node("Reshape", made.dense("x", made.random(12, 36), made.random(36)), made.sizes(0, 0, 3, 3, 4))
    moved = made.node("Transpose", joint, perm=[2, 0, 3, 1, 4])
    query, key, value = (made.node("Gather", moved, made.constant(i, np.int64), axis=0) for i in range(3))
    scores = made.node("MatMul", query, made.node("Transpose", key, perm=[0, 1, 3, 2]))
    mixed = made.node("MatMul", made.node("Softmax", scores, axis=-1), value)
    joined = made.node("Reshape", made.node("Transpose", mixed, perm=[0, 2, 1, 3]), made.sizes(0, 0, 12))
    (group,) = find_groups(made.model(["n", "s", 12], made.dense(joined, made.random(12, 12)), rank=3)).groups

    assert (group.units, group.source_width, group.kind) == (3, 12, "blocks")


def test_gated_layer_from_one_matrix_ties_both_halves() -> None:
    made = Builder()
    joint = made.dense("x", made.random(6, 20))
    made.node("Split", joint, outputs=2, axis=1)
    gate, up = made.nodes[-1].output
    hidden = made.node("Mul", made.node("Sigmoid", gate), up)
    (group,) = find_groups(made.model(["n", 6], made.dense(hidden, made.random(10, 4)))).groups

    assert group.units == 10
    assert group.edits.splits
