"""Packs many numbers into short texts for JSON, and unpacks them."""

import base64
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from inference.class_sets.regression import Numbers


def packed(numbers: Numbers | Sequence[float]) -> str:
    """Return the numbers with two bytes each, which keeps about three digits of each."""
    return _text(np.asarray(numbers, dtype="<f2"))


def packed_keys(keys: Sequence[int]) -> str:
    """Return the checksums, which have four bytes each, without a loss."""
    return _text(np.asarray(keys, dtype="<u4"))


def unpacked(text: str, count: int) -> Numbers:
    """Return packed numbers; raise a `ValueError` if they are not `count` finite numbers."""
    numbers = np.frombuffer(base64.b64decode(text, validate=True), "<f2").astype(np.float64)
    if len(numbers) != count or not np.isfinite(numbers).all():
        raise ValueError(f"{len(numbers)} numbers are stored where {count} are needed.")
    return numbers


def unpacked_keys(text: str) -> list[int]:
    """Return packed checksums; raise a `ValueError` if the text is damaged."""
    keys: list[int] = np.frombuffer(base64.b64decode(text, validate=True), "<u4").tolist()
    return keys


def _text(numbers: npt.NDArray[np.generic]) -> str:
    return base64.b64encode(numbers.tobytes()).decode()
