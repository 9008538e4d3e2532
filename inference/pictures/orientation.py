"""The turn that makes a page upright, by a classifier of squares of its picture and the direction of its lines."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from inference.core.contracts import Pixels
from inference.pictures.skew import Skew

TURNS = (0, 270, 180, 90)
"""The degrees clockwise that make a page upright, by the classifier's classes: it lies turned by 0, 90, 180 or 270."""
SHORT_SIDE, SQUARE = 256, 224
"""The sizes that the classifier was trained on: the short side of the page, and the square that is cut out of it."""
MAX_SQUARES = 3
LONG_ASPECT = 2.0
"""The aspect above which one square shows too little of the picture."""
CLEAR_RHYTHM = 2.0
"""The rhythm from which the direction of the rows counts."""
AGAINST_ROWS = 0.15
"""The factor for turns that would leave the lines plumb. A poem may look like columns of letters."""
MIN_CERTAINTY = 0.6
"""The certainty below which the page is left as it lies."""

Floats = npt.NDArray[np.float32]
_MEAN = np.array([0.485, 0.456, 0.406], np.float32)
_DEVIATION = np.array([0.229, 0.224, 0.225], np.float32)


@dataclass(frozen=True, slots=True)
class Orientation:
    rotation: int
    """The degrees clockwise that make the page upright."""
    certainty: float
    """The certainty from 0 to 1 that this turn is right among those that are possible."""


def classifier_input(pixels: Pixels) -> Floats:
    """Return squares x 3 x 224 x 224 from a picture whose lines are level or plumb."""
    height, width = pixels.shape[:2]
    scale = SHORT_SIDE / min(height, width)
    size = (max(SQUARE, round(width * scale)), max(SQUARE, round(height * scale)))
    if max(size) > SHORT_SIDE * LONG_ASPECT * MAX_SQUARES:
        size = (min(size[0], SHORT_SIDE * 6), min(size[1], SHORT_SIDE * 6))
    shrinks = scale < 1
    small = cv2.resize(pixels, size, interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR)
    squares = [small[top : top + SQUARE, left : left + SQUARE] for top, left in _corners(size)]
    normal = (np.stack(squares).astype(np.float32) / 255 - _MEAN) / _DEVIATION
    return np.ascontiguousarray(normal.transpose(0, 3, 1, 2), np.float32)


def _corners(size: tuple[int, int]) -> list[tuple[int, int]]:
    """Return the top and left of each square: the middle of the page, or squares spread along a long picture."""
    width, height = size
    if max(size) <= LONG_ASPECT * min(size):
        return [((height - SQUARE) // 2, (width - SQUARE) // 2)]
    shares = [(index + 0.5) / MAX_SQUARES for index in range(MAX_SQUARES)]
    spread = [round(share * (max(size) - SQUARE)) for share in shares]
    across = (min(size) - SQUARE) // 2
    return [(start, across) if height > width else (across, start) for start in spread]


def decide(probabilities: Sequence[Sequence[float]] | Floats, skew: Skew) -> Orientation:
    """Return the turn from the probabilities of each square and the direction of the rows."""
    by_turn = dict(zip(TURNS, np.asarray(probabilities, np.float64).mean(axis=0).tolist(), strict=True))
    if skew.rhythm >= CLEAR_RHYTHM:
        by_turn = {
            turn: chance * (1 if (turn in (90, 270)) == skew.vertical else AGAINST_ROWS)
            for turn, chance in by_turn.items()
        }
    best = max(by_turn, key=by_turn.__getitem__)
    certainty = by_turn[best] / max(sum(by_turn.values()), 1e-9)
    if certainty < MIN_CERTAINTY:
        return Orientation(0, certainty)
    return Orientation(best, certainty)
