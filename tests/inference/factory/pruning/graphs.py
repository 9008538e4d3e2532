"""Small graphs as exporters write them, with and without redundancy that is known beforehand."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnxruntime as ort
from onnx import ModelProto, TensorProto, helper, numpy_helper

Array = npt.NDArray[Any]
OPSET = 17


class Builder:
    """A graph under construction. Each method adds a part and returns the name of its result."""

    def __init__(self, seed: int = 0) -> None:
        self.rng = np.random.default_rng(seed)
        self.nodes: list[Any] = []
        self.constants: list[TensorProto] = []

    def constant(self, value: npt.ArrayLike, dtype: Any = np.float32) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.array(value, dtype), name))
        return name

    def sizes(self, *values: int) -> str:
        return self.constant(values, np.int64)

    def node(self, operator: str, *inputs: str, domain: str = "", outputs: int = 1, **attributes: Any) -> str:
        name = f"{operator.lower()}{len(self.nodes)}"
        names = [name, *(f"{name}.{i}" for i in range(1, outputs))]
        self.nodes.append(helper.make_node(operator, list(inputs), names, name=name, domain=domain, **attributes))
        return name

    def random(self, *shape: int) -> Array:
        return np.asarray(self.rng.standard_normal(shape) / np.sqrt(shape[0]), np.float32)

    def dense(self, inward: str, weight: Array, bias: Array | None = None) -> str:
        product = self.node("MatMul", inward, self.constant(weight))
        return product if bias is None else self.node("Add", product, self.constant(bias))

    def model(self, shape: Sequence[int | str], output: str, rank: int = 2, opset: int = OPSET) -> ModelProto:
        graph = helper.make_graph(
            self.nodes,
            "g",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
            [helper.make_tensor_value_info(output, TensorProto.FLOAT, [None] * rank)],
            self.constants,
        )
        imports = [helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=imports, ir_version=8)


def widen(rng: np.random.Generator, make: Array, bias: Array, read: Array, copies: int) -> tuple[Array, Array, Array]:
    """Return a wider layer of the same function: copies that share the reading weight, and units that do nothing."""
    units, dead = make.shape[1], make.shape[1]
    shares = rng.random((copies, units)).astype(np.float32)
    shares /= shares.sum(axis=0)
    wide = np.concatenate([*[make] * copies, np.zeros((len(make), dead), np.float32)], axis=1)
    wide_bias = np.concatenate([*[bias] * copies, np.full(dead, -1, np.float32)])
    reading = np.concatenate([*(read * share[:, None] for share in shares), rng.standard_normal((dead, read.shape[1]))])
    order = rng.permutation(wide.shape[1])
    return wide[:, order], wide_bias[order], reading[order].astype(np.float32)


def redundant_mlp(units: int = 32, copies: int = 3, width: int = 24) -> ModelProto:
    """Make two hidden layers of ReLU units, of which most are copies or dead, and a linear layer of low rank."""
    made = Builder(1)
    first, bias, second = made.random(width, units), made.random(units), made.random(units, units)
    wide = widen(made.rng, first, bias, second, copies)
    hidden = made.node("Relu", made.dense("x", wide[0], wide[1]))
    third = made.random(units, width)
    next_bias = made.random(units)
    wider = widen(made.rng, wide[2], next_bias, third, copies)
    hidden = made.node("Relu", made.dense(hidden, wider[0], wider[1]))
    low = wider[2] @ made.random(width, 8) @ made.random(8, 4 * units)
    hidden = made.dense(hidden, low, made.random(4 * units))
    output = made.dense(hidden, made.random(4 * units, 5), made.random(5))
    return made.model(["batch", width], output)


def redundant_cnn(units: int = 12, copies: int = 3, size: int = 16) -> ModelProto:
    """Make Conv, BatchNormalization, ReLU, pooling, a residual, Flatten and Gemm, with copies of channels."""
    made = Builder(2)

    def conv(inward: str, weight: Array, **attributes: Any) -> str:
        bias = made.constant(0.1 * made.rng.standard_normal(len(weight)))
        return made.node("Conv", inward, made.constant(weight), bias, pads=[1, 1, 1, 1], **attributes)

    def copied(weight: Array) -> Array:
        return np.concatenate([weight] * copies)

    def norm(inward: str, channels: int) -> str:
        parts = [np.tile(made.rng.random(channels // copies) + 0.5, copies) for _ in range(4)]
        return made.node("BatchNormalization", inward, *(made.constant(part) for part in parts))

    wide = units * copies
    first = made.constant(copied(made.rng.standard_normal((units, 3, 3, 3)) / 5))
    bias = made.constant(np.tile(made.rng.standard_normal(units) / 10, copies))
    stem = made.node("Conv", "x", first, bias, pads=[1, 1, 1, 1])
    stem = made.node("Relu", norm(stem, wide))
    second = made.constant(copied(made.rng.standard_normal((units, wide, 3, 3)) / np.sqrt(9 * wide)))
    bias = made.constant(np.tile(made.rng.standard_normal(units) / 10, copies))
    inner = made.node("Relu", norm(made.node("Conv", stem, second, bias, pads=[1, 1, 1, 1]), wide))
    third = made.constant(copied(made.rng.standard_normal((units, wide, 1, 1)) / np.sqrt(wide)))
    joined = made.node("Relu", made.node("Add", made.node("Conv", inner, third), stem))
    pooled = made.node("MaxPool", joined, kernel_shape=[4, 4], strides=[4, 4])
    flat = made.node("Flatten", pooled)
    rows = wide * (size // 4) ** 2
    output = made.node("Gemm", flat, made.constant(made.random(rows, 7).T), made.constant(made.random(7)), transB=1)
    return made.model(["batch", 3, size, size], output)


def redundant_transformer(width: int = 32, heads: int = 2, copies: int = 3, hidden: int = 24) -> ModelProto:
    """Make a block as PyTorch exports it, with copies of heads and of feed-forward columns."""
    made = Builder(3)
    size = width // heads
    parts = [np.concatenate([made.random(width, width)] * copies, axis=1) for _ in range(3)]
    biases = [np.tile(made.random(width), copies) for _ in range(3)]
    shape = made.node("Shape", "x")
    batch = made.node("Gather", shape, made.constant(0, np.int64), axis=0)
    length = made.node("Gather", shape, made.constant(1, np.int64), axis=0)
    axis = made.sizes(0)

    def split(values: str, *order: int) -> str:
        dims = [made.node("Unsqueeze", one, axis) for one in (batch, length)]
        dims += [made.sizes(heads * copies), made.sizes(size)]
        return made.node("Transpose", made.node("Reshape", values, made.node("Concat", *dims, axis=0)), perm=order)

    query, key, value = (made.dense("x", part, bias) for part, bias in zip(parts, biases, strict=True))
    scores = made.node("MatMul", split(query, 0, 2, 1, 3), split(key, 0, 2, 3, 1))
    scores = made.node("Softmax", made.node("Div", scores, made.constant(np.sqrt(size))), axis=-1)
    mixed = made.node("Transpose", made.node("MatMul", scores, split(value, 0, 2, 1, 3)), perm=[0, 2, 1, 3])
    dims = [made.node("Unsqueeze", one, axis) for one in (batch, length)] + [made.sizes(width * copies)]
    joined = made.node("Reshape", mixed, made.node("Concat", *dims, axis=0))
    attended = made.node("Add", made.dense(joined, made.random(width * copies, width), made.random(width)), "x")
    normed = layer_norm(made, attended, width)
    up, bias, down = widen(
        made.rng, made.random(width, hidden), made.random(hidden), made.random(hidden, width), copies
    )
    fed = made.dense(gelu(made, made.dense(normed, up, bias)), down, made.random(width))
    return made.model(["batch", "length", width], layer_norm(made, made.node("Add", normed, fed), width), 3)


def gelu(made: Builder, values: str) -> str:
    error = made.node("Erf", made.node("Div", values, made.constant(np.sqrt(2))))
    product = made.node("Mul", values, made.node("Add", error, made.constant(1)))
    return made.node("Mul", product, made.constant(0.5))


def layer_norm(made: Builder, values: str, width: int) -> str:
    """Add a layer norm as older exporters spell it."""
    centered = made.node("Sub", values, made.node("ReduceMean", values, axes=[-1]))
    variance = made.node("ReduceMean", made.node("Pow", centered, made.constant(2)), axes=[-1])
    deviation = made.node("Sqrt", made.node("Add", variance, made.constant(1e-5)))
    scaled = made.node("Mul", made.node("Div", centered, deviation), made.constant(np.ones(width)))
    return made.node("Add", scaled, made.constant(np.zeros(width)))


def run(path: Path, names: Sequence[str], feeds: Iterable[Mapping[str, Array]]) -> Iterator[list[Array]]:
    options = ort.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1
    session = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    known = {value.name for value in session.get_inputs()}
    for feed in feeds:
        yield session.run(list(names), {name: value for name, value in feed.items() if name in known})


def feeds(shape: Sequence[int], count: int, seed: int = 0) -> list[dict[str, Array]]:
    rng = np.random.default_rng(seed)
    return [{"x": rng.standard_normal(shape).astype(np.float32)} for _ in range(count)]


def answers(model: ModelProto | bytes, inputs: Sequence[Mapping[str, Array]]) -> Array:
    content = model if isinstance(model, bytes) else model.SerializeToString()
    session = ort.InferenceSession(content, providers=["CPUExecutionProvider"])
    return np.concatenate([session.run(None, dict(feed))[0] for feed in inputs])


def relative_error(true: Array, found: Array) -> float:
    return float(np.linalg.norm(true - found) / np.linalg.norm(true))


def error_against(model: ModelProto, inputs: Sequence[Mapping[str, Array]]) -> Callable[[Path], float]:
    true = answers(model, inputs)
    return lambda path: relative_error(true, answers(path.read_bytes(), inputs))
