"""The weights of leanings for each script, which `python -m tests.benchmarks.fit_scripts` fits."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]
FILE = Path(__file__).with_name("weights.json")


@dataclass(frozen=True, slots=True)
class Weights:
    scripts: tuple[str, ...]
    characters: tuple[str, ...]
    """The characters of the recognition by which scripts are distinguished."""
    bias: Numbers
    """A number for each script."""
    slopes: Numbers
    """A row for the blank and for each of the characters, with a number for each script."""

    def probabilities(self, features: npt.NDArray[Any]) -> Numbers:
        """Return a row of probabilities for each row of features."""
        scores = features @ self.slopes + self.bias
        powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=-1, keepdims=True))

    def to_json(self) -> str:
        rows: list[list[float]] = np.round(self.slopes, 3).tolist()
        lines = ",\n".join(
            f"    {json.dumps(name, ensure_ascii=False)}: {json.dumps(row)}"
            for name, row in zip(("", *self.characters), rows, strict=True)
        )
        scripts, bias = json.dumps(self.scripts), json.dumps(np.round(self.bias, 3).tolist())
        return f'{{\n  "scripts": {scripts},\n  "bias": {bias},\n  "slopes": {{\n{lines}\n  }}\n}}\n'


def read_weights(content: Mapping[str, Any]) -> Weights:
    slopes = content["slopes"]
    return Weights(
        tuple(content["scripts"]),
        tuple(name for name in slopes if name),
        np.array(content["bias"]),
        np.array(list(slopes.values())),
    )


@cache
def fitted_weights() -> Weights:
    return read_weights(json.loads(FILE.read_text("utf-8")))
