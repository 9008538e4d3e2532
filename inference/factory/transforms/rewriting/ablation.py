"""Finds the nodes that lose most by being quantized, and keeps as few of them in fp32 as a bound on the error needs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from onnx import ModelProto

from .serving import Feeds, Refused, session

_MAX_GROUPS = 96
"""The most parts of a graph that are quantized alone. In a larger graph, neighbors are tried together."""
_SAMPLES_FOR_ORDER = 3
_SAMPLES_FOR_BOUND = 16

Quantize = Callable[[Sequence[str]], ModelProto]
"""A function that returns the graph with these nodes quantized."""


@dataclass(frozen=True, slots=True)
class Chosen:
    model: ModelProto
    kept: tuple[str, ...]
    """The nodes that stay in fp32, the one with the largest error first."""
    error: float


class Judge:
    """Measures the relative error of a graph's outputs against those of the original."""

    def __init__(self, original: ModelProto, samples: Sequence[Feeds]) -> None:
        self._samples = samples
        self._truth = [session(original).run(None, sample) for sample in samples]

    def error(self, model: ModelProto) -> float:
        """Return the largest error of an output: the length of the difference over the length of the true values."""
        runs = session(model)
        errors = [
            _relative_error(mine, true)
            for sample, truth in zip(self._samples, self._truth, strict=True)
            for mine, true in zip(runs.run(None, sample), truth, strict=True)
        ]
        return float(np.mean(errors))


def _relative_error(mine: npt.NDArray[Any], true: npt.NDArray[Any]) -> float:
    if not np.issubdtype(true.dtype, np.floating):
        return float(np.mean(mine != true)) if true.size else 0.0
    difference = np.linalg.norm((mine - true).astype(np.float64))
    length = np.linalg.norm(true.astype(np.float64))
    return float(difference / length) if length else float(difference)


def within_bound(
    original: ModelProto, nodes: Sequence[str], quantize: Quantize, samples: Sequence[Feeds], max_error: float
) -> Chosen:
    """Quantize all nodes but the fewest, chosen by their own error. Raises Refused if no choice keeps the bound."""
    judge = Judge(original, samples[:_SAMPLES_FOR_BOUND])
    whole = quantize(nodes)
    error = judge.error(whole)
    if error <= max_error:
        return Chosen(whole, (), error)
    groups = _in_order_of_error(original, nodes, quantize, samples[:_SAMPLES_FOR_ORDER])
    low, high, best = 1, len(groups), None
    while low < high:
        kept = (low + high) // 2
        model = quantize([node for group in groups[kept:] for node in group])
        error = judge.error(model)
        if error <= max_error:
            best, high = Chosen(model, tuple(node for group in groups[:kept] for node in group), error), kept
        else:
            low = kept + 1
    if best is None:
        raise Refused(
            "error_over_bound", f"the error is {error:.4f} with a single part quantized; {max_error} is allowed"
        )
    return best


def _in_order_of_error(
    original: ModelProto, nodes: Sequence[str], quantize: Quantize, samples: Sequence[Feeds]
) -> list[Sequence[str]]:
    size = -(-len(nodes) // _MAX_GROUPS)
    groups = [nodes[start : start + size] for start in range(0, len(nodes), size)]
    judge = Judge(original, samples)
    errors = [judge.error(quantize(group)) for group in groups]
    return [groups[at] for at in np.argsort(errors)[::-1]]
