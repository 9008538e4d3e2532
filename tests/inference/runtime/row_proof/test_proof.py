"""Test graphs whose operators prove that rows are independent, and graphs in which some value could mix them."""

from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import pytest
from onnx import numpy_helper

from inference.runtime.graph_outline import OutlineUnreadable, read_outline
from inference.runtime.row_proof import Proof, prove_rows

HEADER = '<ir_version: 10, opset_import: ["" : 20, "com.microsoft" : 1, "ai.onnx.ml" : 3]>'

NETWORK = """
    net (float[n, 3, 32, 32] x) => (float[n, 10] y)
    <float[8, 3, 3, 3] w, float[8] b, float[8] s, float[8] o, float[8] m, float[8] v, float[10, 2048] g, float[10] c>
    { a = Conv<pads = [1, 1, 1, 1]>(x, w, b) d = BatchNormalization(a, s, o, m, v) e = Relu(d)
      f = MaxPool<kernel_shape = [2, 2], strides = [2, 2]>(e) h = Flatten<axis = 1>(f)
      i = Gemm<transB = 1>(h, g, c) y = Softmax(i) }
"""
TRANSFORMER = """
    net (int64[n, t] ids, int64[n, t] mask) => (float[n, t, 64] y)
    <float[100, 64] words, float[64, 64] q, float[64, 64] k, float[64, 64] v, float[64] s, float[64] b,
     int64[4] heads = {0, 0, 4, 16}, int64[3] whole = {0, 0, 64}, float one = {1.0}, float far = {-10000.0}>
    { e = Gather(words, ids) qs = MatMul(e, q) ks = MatMul(e, k) vs = MatMul(e, v)
      q4 = Reshape(qs, heads) k4 = Reshape(ks, heads) v4 = Reshape(vs, heads)
      qt = Transpose<perm = [0, 2, 1, 3]>(q4) kt = Transpose<perm = [0, 2, 3, 1]>(k4)
      vt = Transpose<perm = [0, 2, 1, 3]>(v4) scores = MatMul(qt, kt)
      axes = Constant<value_ints = [1, 2]>() m4 = Unsqueeze(mask, axes) mf = Cast<to = 1>(m4)
      left = Sub(one, mf) low = Mul(left, far) masked = Add(scores, low) share = Softmax<axis = -1>(masked)
      seen = MatMul(share, vt) back = Transpose<perm = [0, 2, 1, 3]>(seen) joined = Reshape(back, whole)
      sum = Add(joined, e) y = LayerNormalization<axis = -1>(sum, s, b) }
"""
SHAPES_OF_ITS_OWN = """
    net (float[n, t, 64] x) => (float[n, t, 64] y)
    <int64 first = {0}, int64 second = {1}, int64[1] heads = {8}, int64[1] width = {8}, int64[1] all = {64},
     int64[1] zero = {0}>
    { shape = Shape(x) n = Gather(shape, first) t = Gather(shape, second)
      n1 = Unsqueeze(n, zero) t1 = Unsqueeze(t, zero)
      split = Concat<axis = 0>(n1, t1, heads, width) a = Reshape(x, split)
      turned = Transpose<perm = [0, 2, 1, 3]>(a) back = Transpose<perm = [0, 2, 1, 3]>(turned)
      joined = Concat<axis = 0>(n1, t1, all) y = Reshape(back, joined) }
"""
FOLDED = """
    net (float[n, t, 64] x) => (float[n, t, 64] y)
    <int64[2] flat = {-1, 64}, float[64, 64] w, int64[1] all = {64}, int64[1] zero = {0}, int64[1] two = {2}>
    { a = Reshape(x, flat) b = MatMul(a, w) c = Softmax(b) shape = Shape(x)
      front = Slice(shape, zero, two) back = Concat<axis = 0>(front, all) y = Reshape(c, back) }
"""
RECURRENT = """
    net (float[n, t, 16] x) => (float[n, 8] y)
    <float[1, 32, 16] w, float[1, 32, 8] r, int64[1] zero = {0}>
    { a = Transpose<perm = [1, 0, 2]>(x) s, h = LSTM<hidden_size = 8>(a, w, r) y = Squeeze(h, zero) }
"""
CLASS_TOKEN = """
    net (float[n, t, 4] x) => (float[n, u, 4] y)
    <float[1, 1, 4] token, int64 first = {0}, int64[1] zero = {0}, int64[2] rest = {1, 4}>
    { shape = Shape(x) n = Gather(shape, first) n1 = Unsqueeze(n, zero) wanted = Concat<axis = 0>(n1, rest)
      each = Expand(token, wanted) y = Concat<axis = 1>(each, x) }
"""
TABLE = """
    net (float[n, 4] x) => (float[n, 2] y)
    { y = ai.onnx.ml.Scaler<offset = [0.0], scale = [2.0]>(x) }
"""


def proof_of(tmp_path: Path, graph: str) -> Proof:
    path = tmp_path / "model.onnx"
    path.write_bytes(parsed(graph).SerializeToString())
    return prove_rows(read_outline(path))


def parsed(graph: str) -> onnx.ModelProto:
    """Parse the graph. Values that are declared before the operators without contents become weights."""
    model = onnx.parser.parse_model(HEADER + graph)
    for value in model.graph.value_info:
        shape = [one.dim_value for one in value.type.tensor_type.shape.dim]
        model.graph.initializer.append(numpy_helper.from_array(np.zeros(shape, np.float32), value.name))
    del model.graph.value_info[:]
    return model


@pytest.mark.parametrize(
    "graph",
    [NETWORK, TRANSFORMER, SHAPES_OF_ITS_OWN, FOLDED, RECURRENT, CLASS_TOKEN, TABLE],
    ids=["pictures", "transformer", "shapes", "folded", "recurrent", "class token", "table"],
)
def test_a_graph_that_keeps_rows_apart_is_proven(tmp_path: Path, graph: str) -> None:
    proof = proof_of(tmp_path, graph)
    assert proof.holds, proof.why


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (
            "m = ReduceMax<keepdims = 0>(x) g = Greater(m, one) s = Div(x, one) y = Where(g, s, x)",
            "ReduceMax",
        ),
        ("m = ReduceMean(x, zero) y = Sub(x, m)", "ReduceMean: it works along the rows"),
        ("y = Softmax<axis = 0>(x)", "Softmax: it works along the rows"),
        ("y = Softmax<axis = -2>(x)", "Softmax: it works along the rows"),
        ("y = CumSum(x, zero)", "CumSum: it works along the rows"),
        ("t = Transpose(x) y = MatMul(x, t)", "MatMul: it multiplies rows with one another"),
        ("y = Transpose(x)", "output 'y' does not come by rows"),
        ("y = Gemm<transB = 1>(x, x)", "Gemm: it multiplies rows with one another"),
        ("y = Concat<axis = 0>(x, x)", "Concat: it works along the rows"),
        ("y = Gather<axis = 0>(x, zero)", "Gather: it works along the rows"),
        ("y = Slice(x, zero, zero, zero)", "Slice: it works along the rows"),
        ("y, i = TopK<axis = 0>(x, zero)", "TopK: it works along the rows"),
        ("y = Reshape(x, twice)", "Reshape: a part of what it makes may hold values of two rows"),
        ("y = Reshape(x, one_row)", "Reshape: it gives the rows' axis a size of its own"),
        ("y = Add(x, each)", "Add: a constant may differ from row to row"),
        ("s = Shape(x) f = Cast<to = 1>(s) y = Mul(x, f)", "Cast: it reckons with the number of rows"),
        ("s = Shape(x) n = ReduceProd(s) r = Range(nothing, n, step) y = Reshape(r, flat)", "Range"),
        ("y, s, z = DynamicQuantizeLinear(x)", "DynamicQuantizeLinear: this operator is not known"),
        ("y = BatchNormalization<training_mode = 1>(x, three, three, three, three)", "it is in training"),
        ("s, y = MaxPool<kernel_shape = [1]>(cube)", "second output"),
        ("y = RandomNormalLike(x)", "RandomNormalLike: it draws numbers"),
        ("y = NonZero(x)", "NonZero"),
        ("y = Squeeze(x)", "Squeeze: it takes out every axis of size one"),
        ('y = Einsum<equation = "ij,kj->ik">(x, x)', "Einsum"),
    ],
)
def test_an_operator_that_may_mix_rows_is_named(tmp_path: Path, body: str, why: str) -> None:
    weights = (
        "<float one = {1.0}, int64[1] zero = {0}, int64[2] twice = {-1, 2}, int64[2] one_row = {1, -1},"
        " float[5, 3] each, int64 nothing = {0}, int64 step = {1}, int64[2] flat = {-1, 3}, float[3] three,"
        " int64[3] deep = {0, 3, 1}>"
    )
    cube = "cube = Reshape(x, deep)" if "cube" in body else ""
    proof = proof_of(tmp_path, f"net (float[n, 3] x) => (float[n, 3] y) {weights} {{ {cube} {body} }}")
    assert not proof.holds
    assert why in proof.why


def test_a_graph_within_a_graph_is_not_followed(tmp_path: Path) -> None:
    branch = (
        "then_branch = a () => (float[n, 3] b) { b = Identity(x) },"
        " else_branch = c () => (float[n, 3] d) { d = Neg(x) }"
    )
    graph = f"net (float[n, 3] x) => (float[n, 3] y) <bool t = {{1}}> {{ y = If<{branch}>(t) }}"
    assert "graph within it" in proof_of(tmp_path, graph).why


def test_operators_that_the_file_defines_are_not_followed(tmp_path: Path) -> None:
    text = HEADER.replace('"ai.onnx.ml" : 3', '"own" : 1') + (
        'net (float[n, 3] x) => (float[n, 3] y) { y = own.Same(x) } <domain: "own", opset_import: ["" : 20]>'
        " Same (a) => (b) { b = Identity(a) }"
    )
    path = tmp_path / "model.onnx"
    path.write_bytes(onnx.parser.parse_model(text).SerializeToString())
    assert "operators of its own" in prove_rows(read_outline(path)).why


@pytest.mark.parametrize(
    "content", [b"", b"junk", b"\x3a\xff\xff\xff\xff\x0f", b"\x3a\x02\x0a\x7f", b"\x08" + b"\xff" * 11]
)
def test_a_file_that_is_none_is_said_to_be_unreadable(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(content)
    with pytest.raises(OutlineUnreadable):
        read_outline(path)


def test_weights_are_passed_over_and_their_shapes_kept(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    model = parsed("net (float[n, 64] x) => (float[n, 64] y) <float[64, 64] w> { y = MatMul(x, w) }")
    path.write_bytes(model.SerializeToString())
    outline = read_outline(path)
    assert (outline.constants["w"].shape, outline.constants["w"].values) == ((64, 64), None)
    assert prove_rows(outline).holds
