"""Measure two ways side by side by the time that the processor worked, which other work changes little."""

import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import TypeVar

Input = TypeVar("Input")


def gain(
    plain: Callable[[Input], object], fast: Callable[[Input], object], inputs: Sequence[Input], rounds: int
) -> float:
    """Return how many times as much time the plain way needs: the median over inputs of the best of rounds."""
    plain(inputs[0]), fast(inputs[0])
    ratios = []
    for given in inputs:
        best = [float("inf"), float("inf")]
        for _ in range(rounds):
            for at, way in enumerate((plain, fast)):
                best[at] = min(best[at], seconds(way, given))
        ratios.append(best[0] / best[1])
    return median(ratios)


def seconds(way: Callable[[Input], object], given: Input) -> float:
    started_s = time.process_time()
    way(given)
    return time.process_time() - started_s
