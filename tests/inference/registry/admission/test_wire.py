"""Test the limits on the number of parts of a file, before it is parsed."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from onnx import ModelProto, NodeProto, helper

from inference.registry.admission import AdmissionLimits, ModelRefused
from inference.registry.admission.wire import check_wire

LIMITS = AdmissionLimits()


def model_of(*nodes: NodeProto, values: Sequence[float] = ()) -> bytes:
    forest = helper.make_node("Forest", ["x"], ["y"], **({"values": values} if values else {}))  # type: ignore[arg-type]
    return bytes(helper.make_model(helper.make_graph([*nodes, forest], "g", [], [])).SerializeToString())


def refusal(data: bytes, limits: AdmissionLimits = LIMITS) -> str:
    with pytest.raises(ModelRefused) as refused:
        check_wire(data, limits)
    return f"{refused.value.code}: {refused.value.detail}"


def test_more_nodes_than_the_limit_are_refused() -> None:
    nodes = [helper.make_node("Relu", ["x"], ["x"])] * 4
    check_wire(model_of(*nodes), replace(LIMITS, max_nodes=5))
    told = refusal(model_of(*nodes), replace(LIMITS, max_nodes=4))
    assert told == "model_too_large: The model has more than 4 nodes."


@pytest.mark.parametrize("values", [[300] * 10_000, [0.5] * 10_000, [-1, 2**62] * 5_000])
def test_numbers_of_lists_are_no_fields_and_have_a_limit_of_their_own(values: list[float]) -> None:
    data = model_of(values=values)
    check_wire(data, replace(LIMITS, max_wire_fields=100, max_wire_numbers=10_000))
    told = refusal(data, replace(LIMITS, max_wire_numbers=9_999))
    assert told == "model_too_large: The lists of the model have more than 9999 numbers."


def test_a_number_that_never_ends_within_a_list_is_refused() -> None:
    data = model_of(values=[1] * 100)
    endless = b"\x40\x01" * 50 + b"\x40" + b"\xff" * 11 + b"\x01"
    assert "a number has more than ten bytes" in refusal(_with_attribute(endless))
    assert ModelProto.FromString(data).graph.node[0].attribute[0].ints == [1] * 100


def test_a_list_that_is_longer_than_what_holds_it_is_refused() -> None:
    assert "the file ends within a number" in refusal(_with_attribute(b"\x40\x01" * 50 + b"\x40\x81"))
    assert "a field is longer than what holds it" in refusal(_with_attribute(b"\x3d\x00\x00\x00\x00\x3d\x00\x00"))


def _with_attribute(attribute: bytes) -> bytes:
    """Return a model with a graph, a node and an attribute of these bytes."""
    content = attribute
    for tag in (b"\x2a", b"\x0a", b"\x3a"):
        content = tag + bytes([len(content) & 0x7F | 0x80, len(content) >> 7]) + content
    return content
