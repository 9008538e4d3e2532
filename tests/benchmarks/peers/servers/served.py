"""The model that every peer serves: the same file, tokenizer and threads for all, chosen by environment variables."""

import base64
import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import onnxruntime as ort

WINDOW_TOKENS = 256
PORT = int(os.environ.get("PEER_PORT", "0"))
MAX_TOGETHER = int(os.environ.get("PEER_BATCH", "32"))
WEIGHTS = os.environ.get("PEER_WEIGHTS", "")
TOKENIZER = os.environ.get("PEER_TOKENIZER", "")

Vectors = npt.NDArray[np.float32]


class TextModel:
    """Texts as they come, padded to the longest of the batch."""

    def __init__(self, weights: str = WEIGHTS, tokenizer: str = TOKENIZER) -> None:
        from tokenizers import Tokenizer  # noqa: PLC0415  Only where texts are served.

        self._tokenizer = Tokenizer.from_file(tokenizer)
        self._tokenizer.enable_truncation(WINDOW_TOKENS)
        self._tokenizer.enable_padding()
        self._session = _session(weights)

    @staticmethod
    def read(written: str) -> str:
        return written

    def answers(self, texts: Sequence[str]) -> Vectors:
        windows = self._tokenizer.encode_batch(list(texts))
        ids = np.array([window.ids for window in windows], np.int64)
        mask = np.array([window.attention_mask for window in windows], np.int64)
        vectors: Vectors = self._session.run(None, {"input_ids": ids, "attention_mask": mask})[0]
        return vectors


class RowModel:
    """Rows of numbers, stacked."""

    def __init__(self, weights: str = WEIGHTS) -> None:
        self._session = _session(weights)

    @staticmethod
    def read(written: str) -> bytes:
        return base64.b64decode(written)

    def answers(self, rows: Sequence[bytes]) -> Vectors:
        stacked = np.frombuffer(b"".join(rows), np.float32).reshape(len(rows), -1)
        return self.answers_to_array(stacked)

    def answers_to_array(self, rows: Vectors) -> Vectors:
        vectors: Vectors = self._session.run(None, {"x": rows})[0]
        return vectors


def served_model() -> Any:
    return TextModel() if TOKENIZER else RowModel()


def written(vector: Vectors) -> str:
    return base64.b64encode(vector.tobytes()).decode()


def _session(weights: str) -> ort.InferenceSession:
    """One session with a thread for each core: ahead of several processes with one each. Threads that spin
    while they wait would take the cores from the server around them."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = int(os.environ.get("PEER_THREADS", "2"))
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return ort.InferenceSession(weights, options, providers=["CPUExecutionProvider"])
