"""The inputs that a person gives as a file: a table of rows, or arrays."""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from maas_client.exports.errors import CannotExport

Array = np.ndarray[Any, Any]


def table(path: Path) -> dict[str, Array]:
    """Return the columns of a .csv file with a head, or of a .npy matrix, whose columns have numbers as names."""
    if path.suffix == ".npy":
        matrix = _loaded(path)
        if matrix.ndim != 2:
            raise CannotExport(f"{path.name} has {matrix.ndim} dimensions; a table of inputs has two.")
        return {str(number): matrix[:, number] for number in range(matrix.shape[1])}
    if path.suffix != ".csv":
        raise CannotExport(f"{path.name} is no table: give a .csv file with a head, or a .npy file.")
    with path.open(newline="") as file:
        head, *rows = list(csv.reader(file)) or [[]]
    if not rows or any(len(row) != len(head) for row in rows):
        raise CannotExport(f"{path.name} has no rows, or rows of different lengths.")
    return {name: _column([row[number] for row in rows]) for number, name in enumerate(head)}


def arrays(path: Path) -> dict[str, Array]:
    """Return the arrays of a .npz file by their names, or the array of a .npy file."""
    if path.suffix == ".npy":
        return {"input": _loaded(path)}
    if path.suffix != ".npz":
        raise CannotExport(f"{path.name} holds no arrays: give a .npz or a .npy file.")
    found = _loaded(path)
    return {name: found[name] for name in found.files}


def _loaded(path: Path) -> Any:
    try:
        return np.load(path, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise CannotExport(f"{path.name} cannot be read: {error}") from error


def _column(texts: Sequence[str]) -> Array:
    try:
        return np.array([float(text) for text in texts])
    except ValueError:
        return np.array(texts, dtype=object)
