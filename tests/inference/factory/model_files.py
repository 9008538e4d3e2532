"""Write small models of the kinds that people bring, with weights from a seed."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from inference.runtime.tensors import Array

FLOAT, INT64, STRING = TensorProto.FLOAT, TensorProto.INT64, TensorProto.STRING
Tensors = dict[str, tuple[int, Sequence[str | int | None]]]
"""The element type and shape of each input or output by name."""
VOCABULARY, WIDTH, HEADS = 200, 32, 4
CITIES = ("Bern", "Basel", "Geneva", "Lugano", "Zurich")


def write_model(
    path: Path, nodes: Sequence[onnx.NodeProto], inputs: Tensors, outputs: Tensors, **weights: object
) -> Path:
    graph = helper.make_graph(
        nodes,
        "model",
        [helper.make_tensor_value_info(name, kind, shape) for name, (kind, shape) in inputs.items()],
        [helper.make_tensor_value_info(name, kind, shape) for name, (kind, shape) in outputs.items()],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in weights.items()],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=9), path)
    return path


def normal(generator: np.random.Generator, *shape: int, scale: float = 1.0) -> Array:
    return (scale * generator.standard_normal(shape)).astype(np.float32)


def save_mlp(path: Path, seed: int = 0) -> Path:
    """Save a classifier of 16 numbers into 4 classes, with a label and probabilities."""
    generator = np.random.default_rng(seed)
    node = helper.make_node
    nodes = [
        node("Gemm", ["x", "w1", "b1"], ["h1"], name="first"),
        node("Relu", ["h1"], ["r1"]),
        node("Gemm", ["r1", "w2", "b2"], ["h2"], name="second"),
        node("Relu", ["h2"], ["r2"]),
        node("Gemm", ["r2", "w3", "b3"], ["logits"], name="third"),
        node("Softmax", ["logits"], ["probabilities"], axis=1),
        node("ArgMax", ["logits"], ["label"], axis=1, keepdims=0),
    ]
    return write_model(
        path,
        nodes,
        {"x": (FLOAT, ["rows", 16])},
        {"label": (INT64, ["rows"]), "probabilities": (FLOAT, ["rows", 4])},
        w1=normal(generator, 16, 64, scale=0.35),
        b1=normal(generator, 64, scale=0.1),
        w2=normal(generator, 64, 64, scale=0.18),
        b2=normal(generator, 64, scale=0.1),
        w3=normal(generator, 64, 4, scale=0.3),
        b3=normal(generator, 4, scale=0.1),
    )


def save_transformer(path: Path, seed: int = 0) -> Path:
    """Save an encoder of tokens into one vector of length 1: embeddings, attention, feed-forward, masked mean."""
    generator = np.random.default_rng(seed)
    node, head = helper.make_node, WIDTH // HEADS
    split = [
        step
        for name, order in (("q", (0, 2, 1, 3)), ("k", (0, 2, 3, 1)), ("v", (0, 2, 1, 3)))
        for step in (
            node("MatMul", ["e", f"w{name}"], [f"{name}0"], name=f"matmul_{name}"),
            node("Reshape", [f"{name}0", "by_head"], [f"{name}1"]),
            node("Transpose", [f"{name}1"], [name], perm=order),
        )
    ]
    nodes = [
        node("Gather", ["words", "input_ids"], ["we"], name="look_up"),
        node("Shape", ["input_ids"], ["ids_shape"]),
        node("Gather", ["ids_shape", "one"], ["length"]),
        node("Slice", ["positions", "zeros1", "length", "zeros1"], ["pe"]),
        node("Add", ["we", "pe"], ["e"]),
        *split,
        node("MatMul", ["q", "k"], ["scores0"]),
        node("Mul", ["scores0", "by_root"], ["scores1"]),
        node("Cast", ["attention_mask"], ["mask"], to=FLOAT),
        node("Unsqueeze", ["mask", "axes12"], ["mask4"]),
        node("Sub", ["one_f", "mask4"], ["hidden"]),
        node("Mul", ["hidden", "very_low"], ["added"]),
        node("Add", ["scores1", "added"], ["scores"], name="mask_scores"),
        node("Softmax", ["scores"], ["attention"], axis=-1),
        node("MatMul", ["attention", "v"], ["context0"]),
        node("Transpose", ["context0"], ["context1"], perm=(0, 2, 1, 3)),
        node("Reshape", ["context1", "together"], ["context"]),
        node("MatMul", ["context", "wo"], ["projected"], name="matmul_o"),
        node("Add", ["projected", "e"], ["residual"]),
        node("MatMul", ["residual", "wi"], ["wide"], name="matmul_i"),
        node("Relu", ["wide"], ["active"]),
        node("MatMul", ["active", "wf"], ["narrow"], name="matmul_f"),
        node("Add", ["narrow", "residual"], ["states"]),
        node("Unsqueeze", ["mask", "axes2"], ["mask3"]),
        node("Mul", ["states", "mask3"], ["masked"], name="mask_mean"),
        node("ReduceSum", ["masked", "one"], ["summed"], keepdims=0),
        node("LpNormalization", ["summed"], ["embedding"], axis=1, p=2),
    ]
    return write_model(
        path,
        nodes,
        {"input_ids": (INT64, ["batch", "length"]), "attention_mask": (INT64, ["batch", "length"])},
        {"embedding": (FLOAT, ["batch", WIDTH])},
        words=normal(generator, VOCABULARY, WIDTH),
        positions=normal(generator, 64, WIDTH, scale=0.3),
        **{f"w{name}": normal(generator, WIDTH, WIDTH, scale=WIDTH**-0.5) for name in "qkvo"},
        wi=normal(generator, WIDTH, 4 * WIDTH, scale=WIDTH**-0.5),
        wf=normal(generator, 4 * WIDTH, WIDTH, scale=(4 * WIDTH) ** -0.5),
        by_head=np.array([0, 0, HEADS, head]),
        together=np.array([0, 0, WIDTH]),
        by_root=np.float32(head**-0.5),
        one_f=np.float32(1),
        very_low=np.float32(-1e4),
        one=np.array([1]),
        zeros1=np.array([0]),
        axes12=np.array([1, 2]),
        axes2=np.array([2]),
    )


def save_conv_net(path: Path, seed: int = 0) -> Path:
    """Save a net of two convolutions with a batch norm, from pictures of 24 × 24 to 6 numbers."""
    generator = np.random.default_rng(seed)
    node = helper.make_node
    nodes = [
        node("Conv", ["picture", "k1", "c1"], ["m1"], pads=[1, 1, 1, 1], name="conv1"),
        node("BatchNormalization", ["m1", "s", "b", "mean", "var"], ["n1"], name="norm"),
        node("Relu", ["n1"], ["r1"], name="relu1"),
        node("MaxPool", ["r1"], ["p1"], kernel_shape=[2, 2], strides=[2, 2]),
        node("Conv", ["p1", "k2", "c2"], ["m2"], pads=[1, 1, 1, 1], name="conv2"),
        node("Relu", ["m2"], ["r2"], name="relu2"),
        node("AveragePool", ["r2"], ["g"], kernel_shape=[6, 6], strides=[6, 6], name="pool"),
        node("Flatten", ["g"], ["f"]),
        node("Gemm", ["f", "w", "v"], ["y"], name="head"),
    ]
    return write_model(
        path,
        nodes,
        {"picture": (FLOAT, ["n", 3, 24, 24])},
        {"y": (FLOAT, ["n", 6])},
        k1=normal(generator, 8, 3, 3, 3, scale=0.3),
        c1=normal(generator, 8, scale=0.1),
        s=np.abs(normal(generator, 8)) + 0.5,
        b=normal(generator, 8, scale=0.2),
        mean=normal(generator, 8, scale=0.2),
        var=np.abs(normal(generator, 8)) + 0.5,
        k2=normal(generator, 16, 8, 3, 3, scale=0.2),
        c2=normal(generator, 16, scale=0.1),
        w=normal(generator, 64, 6, scale=0.2),
        v=normal(generator, 6, scale=0.1),
    )


def save_trees(path: Path, seed: int = 0, *, trees: int = 12, depth: int = 4) -> Path:
    """Save an ensemble of trees as scikit-learn's forests are exported, for 5 features around 5 and 3 classes."""
    generator = np.random.default_rng(seed)
    inner, leaves = 2**depth - 1, 2**depth
    nodes = trees * (inner + leaves)
    is_leaf = np.tile(np.arange(inner + leaves) >= inner, trees)
    ids = np.tile(np.arange(inner + leaves), trees)
    leaf_trees, leaf_ids = np.repeat(np.arange(trees), leaves), np.tile(np.arange(inner, inner + leaves), trees)
    shares = generator.dirichlet([0.5] * 3, trees * leaves) / trees
    ensemble = helper.make_node(
        "TreeEnsembleClassifier",
        ["x"],
        ["label", "probabilities"],
        domain="ai.onnx.ml",
        name="trees",
        post_transform="NONE",
        classlabels_int64s=[0, 1, 2],
        nodes_treeids=np.repeat(np.arange(trees), inner + leaves).tolist(),
        nodes_nodeids=ids.tolist(),
        nodes_featureids=np.where(is_leaf, 0, generator.integers(0, 5, nodes)).tolist(),
        nodes_values=np.where(is_leaf, 0, generator.normal([5], 1, nodes)).tolist(),
        nodes_modes=["LEAF" if leaf else "BRANCH_LEQ" for leaf in is_leaf],
        nodes_truenodeids=np.where(is_leaf, 0, 2 * ids + 1).tolist(),
        nodes_falsenodeids=np.where(is_leaf, 0, 2 * ids + 2).tolist(),
        nodes_missing_value_tracks_true=[0] * nodes,
        nodes_hitrates=[1.0] * nodes,
        class_treeids=np.repeat(leaf_trees, 3).tolist(),
        class_nodeids=np.repeat(leaf_ids, 3).tolist(),
        class_ids=np.tile(np.arange(3), trees * leaves).tolist(),
        class_weights=shares.ravel().tolist(),
    )
    return write_model(
        path,
        [ensemble],
        {"x": (FLOAT, [None, 5])},
        {"label": (INT64, [None]), "probabilities": (FLOAT, [None, 3])},
    )


def save_of_strings(path: Path, seed: int = 0) -> Path:
    """Save a regression on a city and three numbers, as a pipeline with an encoder is exported."""
    generator = np.random.default_rng(seed)
    node = helper.make_node
    nodes = [
        node(
            "OneHotEncoder", ["city"], ["hot3"], domain="ai.onnx.ml", name="encoder", cats_strings=list(CITIES), zeros=1
        ),
        node("Reshape", ["hot3", "flat"], ["hot"]),
        node("Scaler", ["x"], ["scaled"], domain="ai.onnx.ml", offset=[50.0, 3.0, 0.5], scale=[0.1, 1.0, 4.0]),
        node("Concat", ["hot", "scaled"], ["features"], axis=1),
        node("Gemm", ["features", "w1", "b1"], ["h"], name="hidden"),
        node("Relu", ["h"], ["r"]),
        node("Gemm", ["r", "w2", "b2"], ["price"], name="last"),
    ]
    return write_model(
        path,
        nodes,
        {"city": (STRING, ["n", 1]), "x": (FLOAT, ["n", 3])},
        {"price": (FLOAT, ["n", 1])},
        flat=np.array([0, len(CITIES)]),
        w1=normal(generator, len(CITIES) + 3, 24, scale=0.6),
        b1=normal(generator, 24, scale=0.1),
        w2=normal(generator, 24, 1, scale=0.4),
        b2=np.array([100], np.float32),
    )


SAVERS = {
    "mlp": save_mlp,
    "transformer": save_transformer,
    "conv": save_conv_net,
    "trees": save_trees,
    "strings": save_of_strings,
}
