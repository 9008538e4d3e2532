"""The embedding model with 8-bit weights, built from the same package. It is refused if it is not close enough."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnxruntime as ort
from tokenizers import Tokenizer

from inference.factory.transforms import DynamicInt8, transform
from inference.registry.builtin.minilm_export import ExportFailed, export_minilm
from inference.runtime.texts import WINDOW_TOKENS

MEAN_COSINE = 0.99
MIN_COSINE = 0.97
"""The lowest accepted cosine to the fp32 vector of the same text. `MEAN_COSINE` is the bound of the mean."""

OPTIONS = DynamicInt8(per_channel=True, reduce_range=True, separate_layer_norms=True)
"""The same for all processors, so that the file and its vectors are the same everywhere."""

REFERENCE_TEXTS = (
    "The cat sat on the mat.",
    "Invoice 2026-0417: the total of 1,234.50 EUR is due by the end of May.",
    "This agreement is governed by the laws of Switzerland; the courts of Zurich have jurisdiction.",
    "Dear Ms Miller, thank you for your letter of 3 March, which reached us this morning.",
    "The quarterly report shows that revenue grew by eleven per cent, while the cost of storage fell.",
    "Name, date of birth, place of birth, nationality, address, signature of the applicant.",
    "a",
    "How do I return a parcel that arrived damaged?",
    "Machine learning models are trained on examples and judged on others that they have never seen. " * 4,
    "Rows of a table: 12, 7, 3.5, 0.01, 1e6, n/a, total 1000022.51; see note 4 on page 17. " * 6,
)


def export_minilm_int8(weights: Path, into: Path) -> None:
    """Write the 8-bit graph by the factory's transformation and check it.

    The tokenizer must lie beside the weights, as it does in packages.
    """
    with tempfile.TemporaryDirectory(prefix="minilm-int8-") as made:
        exact, small = Path(made) / "fp32.onnx", Path(made) / "int8.onnx"
        export_minilm(weights, exact)
        transform(exact, OPTIONS, into=small)
        check_closeness(exact, small, weights.with_name("tokenizer.json"))
        into.write_bytes(small.read_bytes())


def check_closeness(exact: Path, small: Path, tokenizer: Path) -> None:
    """Raise ExportFailed if the vectors are too far from those of the exact graph, singly or on average."""
    encoder = Tokenizer.from_file(str(tokenizer))
    encoder.no_padding()
    encoder.enable_truncation(WINDOW_TOKENS)
    rows = [encoder.encode(text).ids for text in REFERENCE_TEXTS]
    cosines = np.sum(_vectors(exact, rows) * _vectors(small, rows), axis=1)
    # The condition is written so that NaN is refused as well.
    if not (cosines.mean() >= MEAN_COSINE and cosines.min() >= MIN_COSINE):
        raise ExportFailed(
            f"cosines to fp32 are {cosines.mean():.4f} on average and {cosines.min():.4f} at least; "
            f"{MEAN_COSINE} and {MIN_COSINE} are required"
        )


def _vectors(path: Path, rows: Sequence[Sequence[int]]) -> npt.NDArray[np.float32]:
    session: Any = ort.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    ids = [np.array([row], np.int64) for row in rows]
    vectors = [session.run(None, {"input_ids": row, "attention_mask": np.ones_like(row)})[0][0] for row in ids]
    return np.stack(vectors)
