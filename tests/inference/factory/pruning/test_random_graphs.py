from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import onnx
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import ModelProto

from inference.factory.pruning.compensation import energy, fit, squared_error
from inference.factory.pruning.finding import find_groups
from inference.factory.pruning.graph import Graph
from inference.factory.pruning.groups import Group
from inference.factory.pruning.moments import GroupMoments, collect
from inference.factory.pruning.pruning import order_units, prune_group, readers_of
from tests.inference.factory.pruning.graphs import Builder, answers, feeds, run

UNARY = ("Relu", "Sigmoid", "Tanh", "Elu", "Identity")


@st.composite
def graphs(draw: st.DrawFn) -> ModelProto:
    """Draw a stack of layers, of which some have a bias, a gate, a residual or two readers."""
    made = Builder(draw(st.integers(0, 1000)))
    hidden, width = "x", 6
    for _ in range(draw(st.integers(1, 4))):
        units = draw(st.integers(2, 24))
        value = made.dense(hidden, made.random(width, units), made.random(units) if draw(st.booleans()) else None)
        value = made.node(draw(st.sampled_from(UNARY)), value)
        if draw(st.booleans()):
            value = made.node("Mul", value, made.node("Sigmoid", made.dense(hidden, made.random(width, units))))
        if draw(st.booleans()):
            other = made.dense(value, made.random(units, units))
            value = made.node("Add", value, made.node("Tanh", other))
        if draw(st.booleans()):
            value = made.node("Unsqueeze", value, made.sizes(1))
            value = made.node("Squeeze", made.node("Transpose", value, perm=[0, 1, 2]), made.sizes(1))
        hidden, width = value, units
    return made.model(["n", 6], made.dense(hidden, made.random(width, 3), made.random(3)))


def _moments(model: ModelProto, group: Group, inputs: list[dict[str, np.ndarray]]) -> GroupMoments:
    with TemporaryDirectory() as folder:
        return collect(model, [group], inputs, run=run, folder=Path(folder))


@settings(max_examples=25)
@given(graphs(), st.floats(0.1, 0.95))
def test_signature_stays_and_all_groups_can_be_pruned(model: ModelProto, share: float) -> None:
    inputs = feeds((40, 6), 2)
    for group in find_groups(model).groups:
        moments = _moments(model, group, inputs)
        kept = order_units(Graph(model), group, moments, 1).kept(group.units, max(1, int(share * group.units)))
        pruned = ModelProto()
        pruned.CopyFrom(model)
        prune_group(pruned, group, kept, moments)

        onnx.checker.check_model(pruned, full_check=True)
        assert list(pruned.graph.input) == list(model.graph.input)
        assert list(pruned.graph.output) == list(model.graph.output)
        assert answers(pruned, inputs).shape == answers(model, inputs).shape


@settings(max_examples=25)
@given(graphs(), st.floats(0.1, 0.95))
def test_error_of_the_last_layer_is_the_predicted_one(model: ModelProto, share: float) -> None:
    inputs = feeds((60, 6), 2)
    graph = Graph(model)
    for group in find_groups(model).groups:
        (reader, *others) = readers_of(graph, group)
        if others or reader.sink.target not in graph.outputs or len(group.tensors) > 3:
            continue
        moments = _moments(model, group, inputs)
        whole = moments[group.name, reader.sink.node, reader.sink.weight].whole
        kept = order_units(graph, group, moments, 1).kept(group.units, max(1, int(share * group.units)))
        fitted = fit(whole, reader.weight, reader.kept_columns(kept), reader.has_constant)
        pruned = ModelProto()
        pruned.CopyFrom(model)
        prune_group(pruned, group, kept, moments)

        found = ((answers(model, inputs) - answers(pruned, inputs)) ** 2).sum()
        scale = energy(whole, reader.weight, reader.has_constant)
        assert abs(found - squared_error(whole, reader.weight, fitted)) <= 1e-5 * scale
