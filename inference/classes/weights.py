"""The weights of the features for each class, which `python -m tests.benchmarks.fit_classes` fits."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from inference.classes.features import NAMES

LABELS = ("invoice", "contract", "letter", "report", "form", "other")
FILE = Path(__file__).with_name("weights.json")
Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Weights:
    bias: Numbers
    """A number for each of `LABELS`."""
    slopes: Numbers
    """A row for each of the features' `NAMES`, with a number for each of `LABELS`."""
    temperature: float
    """The number that the scores are divided by, so that the probabilities hold."""

    def probabilities(self, features: Numbers) -> Numbers:
        """Return a row of probabilities for a row of features, or for each of several rows."""
        scores = (features @ self.slopes + self.bias) / self.temperature
        powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=-1, keepdims=True))

    def to_json(self) -> str:
        rows: list[list[float]] = np.round(np.vstack([self.bias, self.slopes]), 3).tolist()
        named = {name: dict(zip(LABELS, row, strict=True)) for name, row in zip(("bias", *NAMES), rows, strict=True)}
        lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in named.items())
        return f'{{\n  "temperature": {round(self.temperature, 3)},\n{lines}\n}}\n'


def read_weights(content: Mapping[str, Any]) -> Weights:
    """Return the weights of a file; a feature that it does not name has none."""
    rows = [[content.get(name, {}).get(label, 0.0) for label in LABELS] for name in ("bias", *NAMES)]
    return Weights(np.array(rows[0]), np.array(rows[1:]), float(content["temperature"]))


@cache
def fitted_weights() -> Weights:
    return read_weights(json.loads(FILE.read_text("utf-8")))
