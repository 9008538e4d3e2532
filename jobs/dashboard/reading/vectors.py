"""Numbers that a model returned, shown as a few words and the first numbers of each. This module is pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

MAX_ROWS = 5
MAX_NUMBERS = 8
MAX_CHARACTERS = 60


@dataclass(frozen=True)
class VectorRow:
    name: str
    kind: str
    beginning: str


@dataclass(frozen=True)
class VectorView:
    title: str
    name_column: str
    rows: Sequence[VectorRow]
    left_out: int


def vectors_of(result: dict[str, Any]) -> VectorView | None:
    """Return the numbers in a result, or None if the model gave none."""
    if "outputs" in result:
        return _tensors(result["outputs"])
    if "embeddings" in result:
        return _embeddings(result["embeddings"], set(result.get("truncated") or ()))
    if result.get("embedding"):
        return _embeddings([result["embedding"]], {0} if result.get("truncated") is True else set())
    return None


def _embeddings(vectors: Sequence[Sequence[float]], cut: set[int]) -> VectorView:
    dimensions = len(vectors[0]) if vectors else 0
    rows = [
        VectorRow(
            f"Text {position + 1}",
            "truncated" if position in cut else f"{len(vector)} numbers",
            _numbers(vector),
        )
        for position, vector in enumerate(vectors[:MAX_ROWS])
    ]
    noun = "embedding" if len(vectors) == 1 else "embeddings"
    title = f"{len(vectors)} {noun} of {dimensions} numbers"
    return VectorView(title, "Text", rows, max(0, len(vectors) - MAX_ROWS))


def _tensors(outputs: Sequence[dict[str, Any]]) -> VectorView:
    rows = [
        VectorRow(
            str(output.get("name", "")),
            f"{output.get('datatype', '')} {list(output.get('shape', ()))}",
            _numbers(output.get("data", ())),
        )
        for output in outputs[:MAX_ROWS]
    ]
    noun = "tensor" if len(outputs) == 1 else "tensors"
    return VectorView(f"{len(outputs)} {noun}", "Output", rows, max(0, len(outputs) - MAX_ROWS))


def _numbers(values: Sequence[Any]) -> str:
    shown = ", ".join(
        f"{value:.4g}" if isinstance(value, float) else str(value)[:MAX_CHARACTERS] for value in values[:MAX_NUMBERS]
    )
    return f"{shown}, …" if len(values) > MAX_NUMBERS else shown
