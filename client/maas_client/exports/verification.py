"""The comparison of an exported file with the original: the same inputs must give the same answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime

from maas_client.exports.errors import ExportDiffers

Arrays = Mapping[str, np.ndarray[Any, Any]]


@dataclass(frozen=True)
class Case:
    """Inputs by the names of the graph, and the answers of the original by the names of the outputs."""

    inputs: Arrays
    answers: Arrays


@dataclass(frozen=True)
class Difference:
    output: str
    largest: float
    """The largest difference of numbers: absolute up to 1, relative above. It is infinite where only one is finite."""
    unequal: int
    """The number of unequal labels, or of other values that are no floating-point numbers."""
    values: int
    labels: bool = False

    def within(self, tolerance: float) -> bool:
        return self.largest <= tolerance and not self.unequal

    def __str__(self) -> str:
        if self.labels:
            return f"{self.output}: {self.values - self.unequal} of {self.values} equal"
        return f"{self.output}: largest difference {self.largest:.2g}"


def verified(path: Path, cases: Sequence[Case], tolerance: float) -> list[Difference]:
    """Return the difference of each output. Raises ExportDiffers if one exceeds the tolerance."""
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    found: dict[str, Difference] = {}
    for case in cases:
        given = dict(zip(names, session.run(names, dict(case.inputs)), strict=True))
        for name, answer in case.answers.items():
            one = difference(name, answer, np.asarray(given[name]))
            found[name] = _joined(found[name], one) if name in found else one
    beyond = [str(one) for one in found.values() if not one.within(tolerance)]
    if beyond:
        raise ExportDiffers(
            f"The ONNX file answers otherwise than the original ({'; '.join(beyond)}; tolerance {tolerance:g}). "
            "Nothing was pushed. If that is acceptable, raise --tolerance."
        )
    return list(found.values())


def difference(name: str, answer: np.ndarray[Any, Any], given: np.ndarray[Any, Any]) -> Difference:
    if _rows(answer) != _rows(given):
        raise ExportDiffers(f"Output {name} has the shape {given.shape}, and the original has {answer.shape}.")
    answer = answer.reshape(given.shape)
    if answer.dtype.kind not in "fc":
        return Difference(
            name, 0.0, int(np.count_nonzero(answer.astype(given.dtype) != given)), answer.size, labels=True
        )
    one, other = answer.astype(np.float64), given.astype(np.float64)
    with np.errstate(invalid="ignore"):
        apart = np.abs(one - other) / np.maximum(1.0, np.abs(one))
    apart[(one == other) | (np.isnan(one) & np.isnan(other))] = 0.0
    largest = float(np.max(np.nan_to_num(apart, nan=np.inf), initial=0.0))
    return Difference(name, largest, 0, answer.size)


def _rows(array: np.ndarray[Any, Any]) -> tuple[int, ...]:
    """Return the shape without last axes of length one, which libraries add and leave out."""
    shape: tuple[int, ...] = array.shape
    while len(shape) > 1 and shape[-1] == 1:
        shape = shape[:-1]
    return shape


def _joined(one: Difference, other: Difference) -> Difference:
    return Difference(
        one.output, max(one.largest, other.largest), one.unequal + other.unequal, one.values + other.values, one.labels
    )
