"""Test that every file, whatever its bytes, results in a signature or a refusal."""

import contextlib
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx import GraphProto, ModelProto, NodeProto, StringStringEntryProto, TensorProto, helper

from inference.registry.admission import AdmissionLimits, ModelRefused, admit

from .conftest import BuildModel, RefusalOf, Save

any_bytes = settings(
    max_examples=300,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def delimited(field: int, payload: bytes) -> bytes:
    """Return a length-delimited field as protobuf writes it."""
    prefix = bytearray([field << 3 | 2])
    length = len(payload)
    while length > 127:
        prefix.append(length & 127 | 128)
        length >>= 7
    return bytes(prefix) + bytes([length]) + payload


def whole_model() -> bytes:
    """Return a model with one of everything that a file can contain."""
    body = helper.make_node("Constant", [], ["b"], value=helper.make_tensor("t", TensorProto.FLOAT, [2], [1.0, 2.0]))
    function = helper.make_function("local", "F", ["a"], ["b"], [body], [helper.make_opsetid("", 18)])
    inner = helper.make_graph([helper.make_node("Relu", ["x"], ["b"])], "g", [], [])
    nodes = [
        helper.make_node("F", ["x"], ["z"], domain="local"),
        helper.make_node("If", ["c"], ["y"], then_branch=inner, else_branch=inner),
    ]
    weights = [helper.make_tensor("c", TensorProto.BOOL, [], [True])]
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", 4]) for name in ("x", "y")]
    graph = helper.make_graph(nodes, "main", values[:1], values[1:], weights)
    data: bytes = helper.make_model(graph, functions=[function]).SerializeToString()
    return data


WHOLE = whole_model()


def admit_or_refuse(path: Path) -> None:
    with contextlib.suppress(ModelRefused):
        admit(path, AdmissionLimits())


@any_bytes
@given(data=st.binary(max_size=200))
def test_random_bytes_raise_nothing_else(data: bytes, save: Save) -> None:
    admit_or_refuse(save(data))


@any_bytes
@given(bit=st.integers(0, len(WHOLE) * 8 - 1), other=st.integers(0, len(WHOLE) * 8 - 1))
def test_flipped_bits_raise_nothing_else(bit: int, other: int, save: Save) -> None:
    data = bytearray(WHOLE)
    for position in {bit, other}:
        data[position // 8] ^= 1 << position % 8
    admit_or_refuse(save(bytes(data)))


def test_a_file_cut_anywhere_raises_nothing_else(save: Save) -> None:
    admit(save(WHOLE), AdmissionLimits())
    for length in range(len(WHOLE)):
        admit_or_refuse(save(WHOLE[:length]))


def test_a_file_cut_within_its_graph_is_refused(save: Save) -> None:
    assert_refused(save(WHOLE[: len(WHOLE) // 2]), "model_corrupt")


def assert_refused(path: Path, code: str, limits: AdmissionLimits | None = None) -> None:
    with pytest.raises(ModelRefused) as refusal:
        admit(path, limits or AdmissionLimits())
    assert refusal.value.code == code


@pytest.mark.parametrize(
    ("data", "code"),
    [
        pytest.param(b"", "model_empty", id="empty"),
        pytest.param(ModelProto(ir_version=9).SerializeToString(), "model_empty", id="no graph"),
        pytest.param(b"\x89PNG\r\n\x1a\n" + bytes(100), "model_corrupt", id="picture"),
        pytest.param(b"%PDF-1.7\n", "model_corrupt", id="document"),
        pytest.param(delimited(2, b"\xff\xfe"), "model_corrupt", id="text that is not UTF-8"),
        pytest.param(WHOLE + delimited(15, b"?"), "model_corrupt", id="unknown field"),
        pytest.param(WHOLE + b"\x3b\x3c", "model_corrupt", id="protobuf group"),
        pytest.param(delimited(2, b"xxORTM") + WHOLE, "model_corrupt", id="also in ONNX Runtime's format"),
    ],
)
def test_what_is_no_model_is_refused(data: bytes, code: str, refusal_of: RefusalOf) -> None:
    assert refusal_of(data).code == code


def test_messages_nested_beyond_what_parsers_follow_are_refused(refusal_of: RefusalOf) -> None:
    graph = b""
    for _ in range(5000):
        graph = delimited(1, delimited(5, delimited(6, graph)))
    assert refusal_of(delimited(7, graph)).code == "model_too_deep"


def test_a_file_over_the_size_limit_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "sparse.onnx"
    with path.open("wb") as file:
        file.truncate(2**40)
    assert_refused(path, "model_too_large")


def test_too_many_parts_are_refused_before_they_are_parsed(refusal_of: RefusalOf) -> None:
    assert refusal_of(delimited(7, delimited(1, b"") * 2_000_001)).code == "model_too_large"


def test_packed_numbers_are_charged_as_they_unpack(build_model: BuildModel, save: Save) -> None:
    tensor = TensorProto(name="w", data_type=TensorProto.INT64, dims=[1000], int64_data=[0] * 1000)
    path = save(build_model(weights=[tensor]))
    admit(path, AdmissionLimits(max_initializer_bytes=8000))
    assert_refused(path, "model_too_large", AdmissionLimits(max_initializer_bytes=7999))


@pytest.mark.parametrize("kind", ["missing", "folder", "pipe"])
def test_what_is_no_file_is_refused(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    assert_refused(path, "model_unreadable")


def test_a_refusal_quotes_the_file_briefly_and_in_print(build_model: BuildModel, refusal_of: RefusalOf) -> None:
    node = NodeProto(op_type="\x1b[2J\n" + "x" * 10_000, output=["y"])
    refusal = refusal_of(build_model(node))
    assert refusal.code == "operator_not_allowed"
    assert len(refusal.detail) <= 500
    assert refusal.detail.isprintable()


def test_names_that_nothing_reads_may_be_anything(build_model: BuildModel, save: Save) -> None:
    model = build_model()
    model.graph.MergeFrom(GraphProto(doc_string="\x00", metadata_props=[StringStringEntryProto(key="k", value="v")]))
    admit(save(model), AdmissionLimits())
