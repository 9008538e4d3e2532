"""An exporter that writes all-MiniLM-L6-v2 as an ONNX graph from its safetensors weights, without torch.

The graph takes token ids and their mask and returns sentence embeddings: it contains the encoder, mean pooling and the
division by the norm. Attention is ONNX Runtime's fused operator, because its optimizer does not find attention in a
graph that was not traced from PyTorch. The optimizer finds the other fusions by itself.
"""

import json
import mmap
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnxruntime as ort
from onnx import ModelProto, TensorProto, helper, numpy_helper

CONTRIB = "com.microsoft"
"""The domain of ONNX Runtime's own operators, which it has in addition to the standard ones."""

IR_VERSION = 10
OPSET = 20
CONTRIB_OPSET = 1


class GraphBuilder:
    """A graph under construction. Each method adds a part and returns the name of the part."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._nodes: list[Any] = []
        self._weights: dict[str, TensorProto] = {}

    def weight(self, name: str, value: npt.ArrayLike) -> str:
        if name not in self._weights:
            self._weights[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def node(self, operator: str, inputs: Sequence[str], output: str, *, domain: str = "", **attributes: Any) -> str:
        self._nodes.append(helper.make_node(operator, list(inputs), [output], name=output, domain=domain, **attributes))
        return output

    def build(
        self, inputs: Mapping[str, Sequence[str | int]], outputs: Mapping[str, Sequence[str | int]]
    ) -> ModelProto:
        """Build the model with int64 inputs and float32 outputs, as language models have them."""
        graph = helper.make_graph(
            self._nodes,
            self._name,
            [helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name, shape in inputs.items()],
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in outputs.items()],
            list(self._weights.values()),
        )
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(CONTRIB, CONTRIB_OPSET)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION, producer_name="maas")


Tensors = Mapping[str, npt.NDArray[Any]]

_DTYPES = {"F32": np.float32, "F16": np.float16, "I64": np.int64}


def read_safetensors(path: Path) -> Tensors:
    """Return views into the mapped file. The file stays open as long as any of them exists."""
    with path.open("rb") as file:
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    header_end = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:header_end])
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        flat = np.frombuffer(memoryview(content)[header_end + begin : header_end + end], _DTYPES[entry["dtype"]])
        tensors[name] = flat.reshape(entry["shape"])
    return tensors


LAYERS = 6
HEADS = 12
DIMENSIONS = 384
EPSILON = 1e-12
MIN_COSINE = 0.99999


class ExportFailed(Exception):
    """The exported graph does not compute what the original model computes."""

    code = "export_differs"


def export_minilm(weights: Path, into: Path) -> None:
    """Write the graph and check it against the stored reference. A graph that differs is deleted."""
    partial = into.with_name(f"{into.name}.partial")
    partial.write_bytes(minilm_graph(read_safetensors(weights)).SerializeToString(deterministic=True))
    try:
        check_against_reference(partial)
    except ExportFailed:
        partial.unlink()
        raise
    partial.replace(into)


def check_against_reference(path: Path) -> None:
    reference = json.loads(files(__package__).joinpath("minilm_reference.json").read_text())
    ids = np.array([reference["input_ids"]], np.int64)
    session = ort.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    embedding = session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0][0]
    # Both vectors have length 1.
    cosine = float(embedding @ np.array(reference["embedding"]))
    if not cosine > MIN_COSINE:
        raise ExportFailed(f"cosine {cosine:.6f} to the reference; at least {MIN_COSINE} is required")


def minilm_graph(weights: Tensors) -> ModelProto:
    graph = GraphBuilder("all-MiniLM-L6-v2")
    hidden = _embed_tokens(graph, weights)
    mask = graph.node("Cast", ["attention_mask"], "attention.mask", to=TensorProto.INT32)
    for layer in range(LAYERS):
        hidden = _encode(graph, weights, f"encoder.layer.{layer}", hidden, mask)
    _pool(graph, hidden)
    return graph.build(
        inputs={"input_ids": ["batch", "sequence"], "attention_mask": ["batch", "sequence"]},
        outputs={"sentence_embedding": ["batch", DIMENSIONS]},
    )


def _embed_tokens(graph: GraphBuilder, weights: Tensors) -> str:
    word_weights = graph.weight("words", weights["embeddings.word_embeddings.weight"])
    # Every token is of type 0, so the vector of that type is added to the vector of each position.
    positions = graph.weight(
        "positions",
        weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0],
    )
    shape = graph.node("Shape", ["input_ids"], "input_ids.shape")
    length = graph.node("Gather", [shape, graph.weight("axis.1", np.array([1]))], "input_ids.length")
    used = graph.node("Slice", [positions, graph.weight("axis.0", np.array([0])), length], "positions.used")
    total = graph.node("Add", [graph.node("Gather", [word_weights, "input_ids"], "words.used"), used], "embeddings.sum")
    return _normalize(graph, weights, "embeddings.LayerNorm", total)


def _encode(graph: GraphBuilder, weights: Tensors, layer: str, hidden: str, mask: str) -> str:
    attended = _attend(graph, weights, layer, hidden, mask)
    projected = _dense(graph, weights, f"{layer}.attention.output.dense", attended)
    residual = graph.node("Add", [projected, hidden], f"{layer}.attention.residual")
    attention = _normalize(graph, weights, f"{layer}.attention.output.LayerNorm", residual)
    widened = _dense(graph, weights, f"{layer}.intermediate.dense", attention)
    activated = graph.node("Gelu", [widened], f"{layer}.intermediate.gelu")
    narrowed = _dense(graph, weights, f"{layer}.output.dense", activated)
    residual = graph.node("Add", [narrowed, attention], f"{layer}.output.residual")
    return _normalize(graph, weights, f"{layer}.output.LayerNorm", residual)


def _attend(graph: GraphBuilder, weights: Tensors, layer: str, hidden: str, mask: str) -> str:
    parts = [f"{layer}.attention.self.{part}" for part in ("query", "key", "value")]
    kernel = np.concatenate([weights[f"{part}.weight"].T for part in parts], axis=1)
    bias = np.concatenate([weights[f"{part}.bias"] for part in parts])
    name = f"{layer}.attention.self"
    inputs = [hidden, graph.weight(f"{name}.weight", kernel), graph.weight(f"{name}.bias", bias), mask]
    return graph.node("Attention", inputs, name, domain=CONTRIB, num_heads=HEADS)


def _dense(graph: GraphBuilder, weights: Tensors, name: str, inward: str) -> str:
    kernel = graph.weight(f"{name}.weight", weights[f"{name}.weight"].T)
    product = graph.node("MatMul", [inward, kernel], f"{name}.product")
    return graph.node("Add", [product, graph.weight(f"{name}.bias", weights[f"{name}.bias"])], name)


def _normalize(graph: GraphBuilder, weights: Tensors, name: str, inward: str) -> str:
    scale = graph.weight(f"{name}.weight", weights[f"{name}.weight"])
    bias = graph.weight(f"{name}.bias", weights[f"{name}.bias"])
    return graph.node("LayerNormalization", [inward, scale, bias], name, axis=-1, epsilon=EPSILON)


def _pool(graph: GraphBuilder, hidden: str) -> None:
    axis = graph.weight("axis.1", np.array([1]))
    mask = graph.node("Cast", ["attention_mask"], "pool.mask", to=TensorProto.FLOAT)
    row = graph.node("Unsqueeze", [mask, axis], "pool.row")
    total = graph.node("Squeeze", [graph.node("MatMul", [row, hidden], "pool.product"), axis], "pool.sum")
    mean = graph.node("Div", [total, graph.node("ReduceSum", [mask, axis], "pool.tokens")], "pool.mean")
    graph.node("LpNormalization", [mean], "sentence_embedding", axis=-1, p=2)
