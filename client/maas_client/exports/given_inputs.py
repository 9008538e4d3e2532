"""The inputs that a person gives as a file: a table of rows, or arrays."""

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from maas_client.exports.errors import CannotExport

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Table:
    columns: Mapping[str, Array]
    """The columns by their names, which are numbers from 0 if the file has none."""
    taken: str
    """What was taken from the file, in words."""

    def named(self, names: Sequence[str]) -> "Table":
        """Return the table with these names, in their order, if its columns have none and are as many."""
        if self.names_columns or len(names) != len(self.columns):
            return self
        return Table(dict(zip(names, self.columns.values(), strict=True)), self.taken)

    @property
    def names_columns(self) -> bool:
        return list(self.columns) != _numbers(len(self.columns))


def table(path: Path) -> Table:
    """Return the columns of a .csv file, or of a .npy matrix."""
    if path.suffix == ".npy":
        matrix = _loaded(path)
        if matrix.ndim != 2:
            raise CannotExport(f"{path.name} has {matrix.ndim} dimensions; a table of inputs has two.")
        columns = {str(number): matrix[:, number] for number in range(matrix.shape[1])}
        return Table(columns, f"{_size(*matrix.shape)} without names")
    if path.suffix != ".csv":
        raise CannotExport(f"{path.name} is no table: give a .csv file or a .npy file.")
    with path.open(newline="") as file:
        first, *others = list(csv.reader(file)) or [[]]
    has_names = not _is_data(first)
    head, rows = (first, others) if has_names else (_numbers(len(first)), [first, *others])
    if not rows or any(len(row) != len(head) for row in rows):
        raise CannotExport(f"{path.name} has no rows, or rows of different lengths.")
    columns = {name: _column([row[number] for row in rows]) for number, name in enumerate(head)}
    how = "names from the first row" if has_names else "no names: the first row has only numbers, so it is data"
    return Table(columns, f"{_size(len(rows), len(head))}, {how}")


def _is_data(first: Sequence[str]) -> bool:
    """Return whether a first row is data: it has only numbers, and does not count the columns as pandas does."""
    return bool(first) and all(map(_is_number, first)) and list(first) != _numbers(len(first))


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _numbers(count: int) -> list[str]:
    return [str(number) for number in range(count)]


def _size(rows: int, columns: int) -> str:
    return f"{rows} row{'s' * (rows != 1)} of {columns} column{'s' * (columns != 1)}"


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
