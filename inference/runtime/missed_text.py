"""Text that the detector missed on a nearly empty page: ink outside all boxes, each piece shown to it by itself. A
short line alone on a clean sheet is outweighed by the white around it, and is found in a smaller image.
"""

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from inference.core.contracts import Pixels
from inference.runtime.text_detection import MIN_DETECTOR_SIDE, Floats, in_reading_order

INK_CONTRAST = 32
"""The contrast of ink in gray levels from the background: more than a scan's grain, less than pale print."""
NEARLY_EMPTY = 0.005
"""The share of ink below which a page is nearly empty. A few lines of print have more, and outweigh the white."""
MIN_MISSED_SHARE = 0.1
"""The share of a piece's ink outside the boxes that counts as missed. Tails of letters are outside boxes too."""
JOINED_PIXELS = (49, 25)
"""The width and height within which marks belong together. They join the words of a line, not the lines of a page."""
MIN_INK_PIXELS = 24
MIN_INK_HEIGHT = 6
"""The smallest height of a missed piece. Dust and ruled lines are below this height or have less ink."""
MAX_PIECES = 4
MARGIN = 40
MIN_SIDE = MIN_DETECTOR_SIDE // 2
"""The smallest side of the image of a piece. The detector sees an image this small at twice its size."""

Mask = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class MissedPiece:
    picture: Pixels
    """The image of the piece with white around it, and nothing else of the page."""
    left: int
    top: int
    area: npt.NDArray[np.bool_]
    """The area of the piece and its close surroundings on the whole page."""

    def add(self, found: Floats, boxes: Floats) -> Floats:
        """Return the page's boxes, with those found in the piece's image in place of its earlier ones."""
        if not len(found):
            return boxes
        across, down = boxes.mean(axis=1).astype(int).T
        moved = found + np.array([self.left, self.top], np.float32)
        return in_reading_order(np.concatenate([boxes[~self.area[down, across]], moved]))


def missed_pieces(image: Pixels, boxes: Floats) -> list[MissedPiece]:
    """Return the pieces largely outside the boxes, most ink first, or none if the page is not nearly empty."""
    gray = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
    background = int(cv2.calcHist([gray], [0], None, [256], [0, 256]).argmax())
    ink = _ink(gray, background)
    if cv2.countNonZero(ink) > NEARLY_EMPTY * ink.size:
        return []
    missed = _outside(boxes, ink)
    if not cv2.countNonZero(missed):
        return []
    joined = cv2.dilate(ink, np.ones(JOINED_PIXELS[::-1], np.uint8))
    _, labels, bounds, _ = cv2.connectedComponentsWithStats(joined)
    chosen = _largely_missed(ink, missed, labels, bounds)
    return [_piece(image, background, labels == label, bounds[label]) for label in chosen]


def _ink(gray: Mask, background: int) -> Mask:
    difference = cv2.absdiff(gray, np.full_like(gray, background))
    return np.asarray(cv2.threshold(difference, INK_CONTRAST, 1, cv2.THRESH_BINARY)[1], np.uint8)


def _outside(boxes: Floats, ink: Mask) -> Mask:
    outside = ink.copy()
    for box in boxes:
        cv2.fillPoly(outside, [box.astype(np.int32).reshape(-1, 1, 2)], 0)
    return outside


def _largely_missed(ink: Mask, missed: Mask, labels: npt.NDArray[Any], bounds: npt.NDArray[Any]) -> list[int]:
    inked = np.bincount(labels[ink > 0], minlength=len(bounds))
    share = np.bincount(labels[missed > 0], minlength=len(bounds)) / np.maximum(inked, 1)
    heights = bounds[:, cv2.CC_STAT_HEIGHT] - (JOINED_PIXELS[1] - 1)
    wanted = (share > MIN_MISSED_SHARE) & (inked >= MIN_INK_PIXELS) & (heights >= MIN_INK_HEIGHT)
    most_first = np.argsort(-inked, kind="stable")
    return [int(label) for label in most_first if wanted[label]][:MAX_PIECES]


def _piece(image: Pixels, background: int, area: npt.NDArray[np.bool_], bounds: npt.NDArray[Any]) -> MissedPiece:
    left, top, width, height = (int(value) for value in bounds[:4])
    across = _widened(left, width, image.shape[1])
    down = _widened(top, height, image.shape[0])
    picture = np.where(area[down, across, None], image[down, across], np.uint8(background))
    return MissedPiece(np.asarray(picture, np.uint8), across.start, down.start, area)


def _widened(start: int, length: int, limit: int) -> slice:
    """Return a range with a margin on both sides and a minimum length, inside the image."""
    wanted = min(max(length + 2 * MARGIN, MIN_SIDE), limit)
    first = min(max(0, start - (wanted - length) // 2), limit - wanted)
    return slice(first, first + wanted)
