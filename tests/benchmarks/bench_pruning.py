"""Compare pruned files of models with built-in redundancy with their sources: processor time, size and error.

With `--embed TEXTS` it prunes the feed-forward columns and heads of the built-in embedding model, calibrated on a file
with one text a line, and compares vectors and times on the texts of `--held-out`.
"""

import argparse
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import onnxruntime as ort
from onnx import ModelProto
from tokenizers import Tokenizer

from inference.factory.pruning.errors import PruningImpossible
from inference.factory.pruning.search import prune_to_bound
from inference.registry.builtin.catalog import EMBED_PACKAGE
from inference.registry.builtin.installed import package_file
from inference.registry.builtin.minilm_export import export_minilm
from tests.benchmarks.circumstances import circumstances
from tests.inference.factory.pruning.graphs import (
    error_against,
    feeds,
    redundant_cnn,
    redundant_mlp,
    redundant_transformer,
    relative_error,
    run,
)

Feeds = Mapping[str, np.ndarray[Any, Any]]
ROUNDS = 7
CHECKED = 300
"""The texts that decide which file is chosen. The others are for the fit."""
MODELS: Sequence[tuple[str, Callable[[], ModelProto], tuple[int, ...]]] = (
    ("MLP", lambda: redundant_mlp(128, 4, 64), (64, 64)),
    ("CNN", lambda: redundant_cnn(16, 4, 32), (4, 3, 32, 32)),
    ("transformer", lambda: redundant_transformer(64, 4, 3, 128), (2, 32, 64)),
)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--embed", type=Path)
    options.add_argument("--held-out", type=Path)
    options.add_argument("--bound", type=float, default=0.02, help="1 - the mean cosine to the source (embed)")
    given = options.parse_args()
    print(circumstances())
    with TemporaryDirectory() as folder:
        for name, make, shape in MODELS:
            _redundant(name, make(), shape, Path(folder))
        if given.embed and given.held_out:
            _embed(given.embed, given.held_out, given.bound, Path(folder))


def _redundant(name: str, model: ModelProto, shape: tuple[int, ...], folder: Path) -> None:
    source, into = folder / "source.onnx", folder / "pruned.onnx"
    source.write_bytes(model.SerializeToString())
    known, unseen = feeds(shape, 32), feeds(shape, 8, seed=99)
    prune_to_bound(source, known, into=into, run=run, error_of=error_against(model, known), bound=1e-3)
    error = relative_error(_answers(source, unseen), _answers(into, unseen))
    print(f"{name}: {_ratio(source, into, unseen):.1f}x the speed, {_sizes(source, into)}, relative error {error:.1e}")


def _embed(calibration: Path, held_out: Path, bound: float, folder: Path) -> None:
    source, into = folder / "embed.onnx", folder / "embed-pruned.onnx"
    export_minilm(package_file(EMBED_PACKAGE, "model/model.safetensors"), source)
    texts = calibration.read_text().splitlines()
    checked, fitted = _tokens(texts[:CHECKED]), _tokens(texts[CHECKED:])
    unseen = _tokens(held_out.read_text().splitlines())
    true = _answers(source, checked)
    try:
        found = prune_to_bound(
            source,
            fitted,
            into=into,
            run=run,
            error_of=lambda path: 1 - _cosine(true, _answers(path, checked)),
            bound=bound,
            progress=lambda share, text: print(f"{share:.0%} {text}", file=sys.stderr),
        )
    except PruningImpossible as refused:
        print(f"embed: refused: {refused}")
        return
    for one in found.tried:
        print(f"embed, {one.work:.2f} of the work: cosine {1 - one.error:.4f} on texts that it was not fitted to")
    cosine = _cosine(_answers(source, unseen), _answers(into, unseen))
    print(f"embed: {_ratio(source, into, unseen[:60]):.2f}x the speed, {_sizes(source, into)}, cosine {cosine:.4f}")


def _tokens(texts: Sequence[str]) -> list[Feeds]:
    encoder = Tokenizer.from_file(str(package_file(EMBED_PACKAGE, "model/tokenizer.json")))
    encoder.no_padding()
    encoder.enable_truncation(256)
    ids = [np.array([encoder.encode(text).ids], np.int64) for text in texts]
    return [{"input_ids": row, "attention_mask": np.ones_like(row)} for row in ids]


def _cosine(true: np.ndarray[Any, Any], found: np.ndarray[Any, Any]) -> float:
    return float((true * found).sum(axis=1).mean())


def _session(path: Path) -> Any:
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def _answers(path: Path, inputs: Sequence[Feeds]) -> np.ndarray[Any, Any]:
    session = _session(path)
    return np.concatenate([session.run(None, dict(one))[0] for one in inputs])


def _ratio(source: Path, into: Path, inputs: Sequence[Feeds]) -> float:
    """Return the ratio of the processor times, the least of several rounds taken by turns."""
    sessions = [_session(path) for path in (source, into)]
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS):
        for session, taken in zip(sessions, times, strict=True):
            start = time.process_time()
            for one in inputs:
                session.run(None, dict(one))
            taken.append(time.process_time() - start)
    return min(times[0]) / min(times[1])


def _sizes(source: Path, into: Path) -> str:
    return f"{source.stat().st_size / 1e6:.1f} MB → {into.stat().st_size / 1e6:.1f} MB"


if __name__ == "__main__":
    main()
