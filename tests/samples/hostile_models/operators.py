"""Models with operators, types and versions that are not served, or with attributes that do not fit."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from onnx import TensorProto, helper

from tests.samples.hostile_models.building import FLOATS, HostileModel, of_node, of_nodes, saved, value

TREE: Mapping[str, Any] = {
    "n_targets": 1,
    "nodes_treeids": [0, 0, 0],
    "nodes_nodeids": [0, 1, 2],
    "nodes_featureids": [0, 0, 0],
    "nodes_values": [0.5, 0.0, 0.0],
    "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"],
    "nodes_truenodeids": [1, 0, 0],
    "nodes_falsenodeids": [2, 0, 0],
    "target_treeids": [0, 0],
    "target_nodeids": [1, 2],
    "target_ids": [0, 0],
    "target_weights": [1.0, 2.0],
}


def tree(**changes: Any) -> bytes:
    node = of_node("TreeEnsembleRegressor", domain="ai.onnx.ml", **{**TREE, **changes})
    return saved(of_nodes(node, outputs=[value("y", ["n", 1])], domains=["ai.onnx.ml"]))


def relu(*, opset: int = 20, ir_version: int = 10) -> bytes:
    return saved(of_nodes(of_node("Relu"), opset=opset, ir_version=ir_version))


def typed(kind: int) -> bytes:
    return saved(
        of_nodes(of_node("Identity"), inputs=[value("x", kind=kind)], outputs=[value("y", kind=kind)], opset=21)
    )


def other_output(kind: str) -> bytes:
    tensor = helper.make_tensor_type_proto(FLOATS, ["n", 4])
    if kind == "map":
        node = of_node("ZipMap", domain="ai.onnx.ml", classlabels_int64s=[0, 1, 2, 3])
        made = helper.make_sequence_type_proto(helper.make_map_type_proto(TensorProto.INT64, tensor))
        output = helper.make_value_info("y", made)
        return saved(of_nodes(node, outputs=[output], domains=["ai.onnx.ml"]))
    if kind == "sequence":
        return saved(
            of_nodes(
                of_node("SequenceConstruct"),
                outputs=[helper.make_value_info("y", helper.make_sequence_type_proto(tensor))],
            )
        )
    output = helper.make_value_info("y", helper.make_optional_type_proto(tensor))
    return saved(of_nodes(of_node("Optional"), outputs=[output]))


def quantized(zero_kind: int, scale: float = 0.1) -> bytes:
    weights = [
        helper.make_tensor("scale", FLOATS, [], [scale]),
        helper.make_tensor("zero", zero_kind, [], [1]),
    ]
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "scale", "zero"], ["q"]),
        helper.make_node("DequantizeLinear", ["q", "scale", "zero"], ["y"]),
    ]
    return saved(of_nodes(*nodes, weights=weights))


def tfidf(**changes: Any) -> bytes:
    attributes = {
        "mode": "TF",
        "min_gram_length": 1,
        "max_gram_length": 1,
        "max_skip_count": 0,
        "ngram_counts": [0],
        "ngram_indexes": [0, 1],
        "pool_int64s": [1, 2],
        **changes,
    }
    node = of_node("TfIdfVectorizer", **attributes)
    return saved(of_nodes(node, inputs=[value("x", ["n"], TensorProto.INT64)], outputs=[value("y", ["m"])]))


def of_microsoft(op: str, inputs: Sequence[str], weights: Sequence[TensorProto], **attributes: Any) -> bytes:
    return saved(
        of_nodes(
            of_node(op, *inputs, domain="com.microsoft", **attributes),
            inputs=[value("x", ["n", 4, 8])],
            outputs=[helper.make_tensor_value_info("y", FLOATS, None)],
            weights=weights,
            domains=["com.microsoft"],
        )
    )


def floats(name: str, *dims: int) -> TensorProto:
    return TensorProto(name=name, data_type=FLOATS, dims=dims, raw_data=np.ones(dims, np.float32).tobytes())


def _operators() -> Iterator[tuple[str, HostileModel]]:
    yield "custom domain", HostileModel(lambda: saved(of_nodes(of_node("Run", domain="evil"), domains=["evil"])))
    yield "unknown operator", HostileModel(lambda: saved(of_nodes(of_node("System", command="id"))))
    yield (
        "operator that opens files",
        HostileModel(
            lambda: of_microsoft("EPContext", ["x"], [], ep_cache_context="/etc/passwd", embed_mode=0, main_context=1)
        ),
    )
    for opset in (0, 1, 9999):
        yield f"opset {opset}", HostileModel(partial(relu, opset=opset))
    for version in (0, 2**31, 2**62):
        yield (
            f"format version {version}",
            HostileModel(partial(relu, ir_version=version)),
        )
    for name in (
        "BFLOAT16",
        "FLOAT16",
        "FLOAT8E4M3FN",
        "FLOAT8E5M2FNUZ",
        "INT4",
        "UINT4",
        "COMPLEX64",
        "STRING",
        "BOOL",
    ):
        yield f"values of type {name}", HostileModel(partial(typed, TensorProto.DataType.Value(name)))
    for kind in ("map", "sequence", "optional"):
        yield f"output of kind {kind}", HostileModel(partial(other_output, kind))
    for zero in (TensorProto.INT8, TensorProto.INT32, FLOATS):
        yield f"zero point of type {zero}", HostileModel(partial(quantized, zero))
    yield "scale that is no number", HostileModel(lambda: quantized(TensorProto.UINT8, float("nan")))
    yield "scale of zero", HostileModel(lambda: quantized(TensorProto.UINT8, 0.0))
    yield "tree with a cycle", HostileModel(lambda: tree(nodes_modes=["BRANCH_LEQ"] * 3))
    yield "tree that leads nowhere", HostileModel(lambda: tree(nodes_truenodeids=[7, 0, 0]))
    yield "tree of a feature that is not there", HostileModel(lambda: tree(nodes_featureids=[2**31, 0, 0]))
    yield "tree of a negative feature", HostileModel(lambda: tree(nodes_featureids=[-4000, 0, 0]))
    yield "tree with a target that is not there", HostileModel(lambda: tree(target_ids=[0, 100_000_000]))
    yield "tree with negative targets", HostileModel(lambda: tree(n_targets=-3))
    yield "tree with lists of other lengths", HostileModel(lambda: tree(nodes_values=[0.5]))
    yield "pools that end early", HostileModel(lambda: tfidf(ngram_counts=[0, 100]))
    yield "pools with a far index", HostileModel(lambda: tfidf(ngram_indexes=[0, 2**40]))
    yield "pools with a negative index", HostileModel(lambda: tfidf(ngram_indexes=[0, -5]))
    yield "pools with a long skip", HostileModel(lambda: tfidf(max_skip_count=2**31, max_gram_length=100))
    yield (
        "attention with too few weights",
        HostileModel(
            lambda: of_microsoft("Attention", ["x", "w", "b"], [floats("w", 8, 3), floats("b", 3)], num_heads=1)
        ),
    )
    yield (
        "attention with too many heads",
        HostileModel(
            lambda: of_microsoft(
                "Attention", ["x", "w", "b"], [floats("w", 8, 24), floats("b", 24)], num_heads=2**31 - 1
            )
        ),
    )
    yield (
        "4-bit weights that are too short",
        HostileModel(
            lambda: of_microsoft(
                "MatMulNBits",
                ["x", "w", "s"],
                [TensorProto(name="w", data_type=TensorProto.UINT8, dims=[1], raw_data=b"\x11"), floats("s", 1)],
                K=8,
                N=2**20,
                bits=4,
                block_size=16,
            )
        ),
    )
    yield (
        "layer norm of other sizes",
        HostileModel(lambda: of_microsoft("SkipLayerNormalization", ["x", "x", "w"], [floats("w", 2)], epsilon=1e-5)),
    )


OPERATORS: Mapping[str, HostileModel] = dict(_operators())
