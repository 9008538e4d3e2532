"""Describes a tick box that was found on a picture, and the bounds that all kinds of them share."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from inference.layout.boxes import Box

Mask = npt.NDArray[np.uint8]

SMALLEST, LARGEST = 0.5, 2.6
"""The side of a tick box, as a share of the height of a line of text. A line without tall letters is half as high."""
LEAST_SIDE = 11
"""The side below which nothing can be distinguished, in pixels."""
MAX_CANDIDATES = 2_000


@dataclass(frozen=True, slots=True)
class PictureBox:
    box: Box
    checked: bool
    is_full: bool = False
    """It is set if the box is filled altogether, which only counts beside open boxes of its size."""


def quantile(values: npt.NDArray[Any], share: float) -> float:
    """Return the value that a share of all is below. NumPy's own takes ten times as long."""
    place = min(int(share * values.size), values.size - 1)
    return float(np.partition(values, place, axis=None)[place])
