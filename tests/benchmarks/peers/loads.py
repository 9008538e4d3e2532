"""The models that all contestants serve, and what they are asked: never the same twice, so that no cache helps."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

from inference.core.contracts import VersionSpec
from inference.runtime.precision import artifact
from inference.runtime.texts import WINDOW_TOKENS
from tests.benchmarks.bench_embeddings import WORDS
from tests.benchmarks.peers.wires import Given, Vector
from tests.inference.registry.builtin.served import builtin_specs

CALLERS = 64
TEXTS = 1024
TINY_WIDTHS = (16, 32, 8)
MEMORY_WIDTHS = (512, 4096, 8192, 16)
"""143 MB of weights, which one row has to have read whole, as 64 rows together do."""
THREADS = 2


@dataclass(frozen=True)
class ServedFile:
    name: str
    weights: Path
    tokenizer: Path | None = None

    def expected(self, given: Given) -> Vector:
        """Return what the file itself gives for this input alone."""
        session = ort.InferenceSession(str(self.weights), providers=["CPUExecutionProvider"])
        if isinstance(given, bytes):
            answer: Vector = session.run(None, {"x": np.frombuffer(given, np.float32)[None]})[0][0]
            return answer
        from tokenizers import Tokenizer  # noqa: PLC0415  Only where texts are served.

        tokenizer = Tokenizer.from_file(str(self.tokenizer))
        tokenizer.no_padding()
        tokenizer.enable_truncation(WINDOW_TOKENS)
        ids = np.array([tokenizer.encode(given).ids], np.int64)
        vector: Vector = session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0][0]
        return vector


@dataclass(frozen=True)
class Load:
    """Callers who ask one model for so long."""

    name: str
    title: str
    file: str
    callers: int
    seconds: float
    given: Callable[[int], Given]
    together: int = 64
    """The largest batch that a peer may make."""
    half: bool = False
    """Whether our own waits at half of our rate are measured too."""


def _texts(shortest: int, longest: int) -> Callable[[int], str]:
    """Each length as likely as any other; the number in front makes each text a new one."""
    chance = random.Random(5)
    texts = [" ".join(chance.choices(WORDS, k=chance.randint(shortest, longest) - 1)) for _ in range(TEXTS)]
    return lambda number: f"{number} {texts[number % TEXTS]}"


def _rows(width: int) -> Callable[[int], bytes]:
    """The number is in the first two values, of which each says 12 bits of it exactly."""
    rest = np.random.default_rng(6).standard_normal(width - 2).astype(np.float32).tobytes()
    return lambda number: (np.array(divmod(number, 4096), np.float32) / np.float32(4096)).tobytes() + rest


LOADS: Mapping[str, Load] = {
    load.name: load
    for load in (
        Load(
            "mixed",
            "embeddings, 5 to 120 words, 64 callers",
            "embed",
            CALLERS,
            5.0,
            _texts(5, 120),
            together=8,
            half=True,
        ),
        # Of one text, 7.5 ms of processor time alone, 4.9 in an eight, 5.3 among 32.
        Load("short", "embeddings, 5 to 15 words, 64 callers", "embed", CALLERS, 4.0, _texts(5, 15), together=8),
        # Padding costs more than batches gain: of one text, 18 ms of processor time alone, 35 in an eight.
        Load(
            "alone",
            "the same, peers' batching off",
            "embed",
            CALLERS,
            5.0,
            _texts(5, 120),
            together=1,
        ),
        Load(
            "memory",
            "memory-bound model, 64 callers",
            "memory",
            CALLERS,
            4.0,
            _rows(MEMORY_WIDTHS[0]),
            half=True,
        ),
        Load("tiny", "tiny model, 64 callers", "tiny", CALLERS, 3.0, _rows(TINY_WIDTHS[0]), half=True),
        Load("one", "tiny model, one caller", "tiny", 1, 2.0, _rows(TINY_WIDTHS[0])),
    )
}


def served_files(folder: Path) -> Mapping[str, ServedFile]:
    embed: VersionSpec = builtin_specs()["embed"]
    tokenizer = Path(artifact(embed, "tokenizer"))
    return {
        "embed": ServedFile("embed", Path(artifact(embed, "weights")), tokenizer),
        "memory": ServedFile("memory", _save_layers(folder / "memory.onnx", MEMORY_WIDTHS)),
        "tiny": ServedFile("tiny", _save_layers(folder / "tiny.onnx", TINY_WIDTHS)),
    }


def _save_layers(path: Path, widths: tuple[int, ...]) -> Path:
    rng = np.random.default_rng(4)
    nodes, weights, name = [], [], "x"
    last = len(widths) - 2
    for layer, (width, next_width) in enumerate(pairwise(widths)):
        values = rng.standard_normal((width, next_width), np.float32) / np.float32(width**0.5)
        weights.append(numpy_helper.from_array(values, f"w{layer}"))
        output = "y" if layer == last else f"m{layer}"
        nodes.append(helper.make_node("MatMul", [name, f"w{layer}"], [output]))
        if layer != last:
            nodes.append(helper.make_node("Relu", [output], [f"x{layer}"]))
        name = f"x{layer}"
    graph = helper.make_graph(
        nodes,
        "layers",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", widths[0]])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["rows", widths[-1]])],
        weights,
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10), path)
    return path
