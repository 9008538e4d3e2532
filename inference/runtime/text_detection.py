"""The positions of text lines on a page, found by a detector. Sizes, thresholds and rounding follow the PP-OCR pipeline
of the rapidocr package, so that the same image gives the same lines.
"""

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import pyclipper

from inference.core.contracts import Pixels

MAX_SIDE = 2000
MIN_SIDE = 30
MAX_ENLARGED_SIDE = 4000
"""The limit of enlarging, so that a strip one pixel high does not fill memory."""
MAX_ASPECT = 8
"""The largest aspect ratio. Wider images are padded, because the detector misses text of the image's height."""
MIN_DETECTOR_SIDE = 736
STRIDE = 32
MAX_DETECTOR_PIXELS = 8_000_000
"""The most pixels of the detector's input, for the memory of a long, narrow image that is enlarged."""

TEXT_PROBABILITY = 0.3
MIN_BOX_PROBABILITY = 0.5
MAX_BOXES = 1000
MIN_BOX_SIDE = 3
GROWTH = 1.6
"""The growth of a box as a multiple of its area over its circumference. The detector marks only the core of a line."""
SAME_ROW_PIXELS = 10

Floats = npt.NDArray[np.float32]

# This maps pixels to the range from -1 to 1, computed in double precision once for each of the 256 values.
_NORMALIZED = (((np.arange(256, dtype=np.float32) * np.float32(1 / 255)).astype(np.float64) - 0.5) / 0.5).astype(
    np.float32
)


@dataclass(frozen=True, slots=True)
class PreparedPage:
    image: Pixels
    """The image in BGR, of bounded size. Lines are found on it and cut out of it."""
    scale_x: float
    scale_y: float
    top: int
    """The number of padding rows above the page."""
    width: int
    height: int
    """The height of the page's own image, as `width` is its width."""


def prepare_page(pixels: Pixels) -> PreparedPage:
    height, width = pixels.shape[:2]
    image = np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR), np.uint8)
    image = _resize(image, min(1.0, MAX_SIDE / max(height, width)))
    enlargement = min(MIN_SIDE / min(image.shape[:2]), MAX_ENLARGED_SIDE / max(image.shape[:2]))
    image = _resize(image, max(1.0, enlargement))
    scaled_height, scaled_width = image.shape[:2]
    top = _padding_rows(scaled_width, scaled_height)
    if top:
        image = np.pad(image, ((top, top), (0, 0), (0, 0)))
    return PreparedPage(image, width / scaled_width, height / scaled_height, top, width, height)


def _padding_rows(width: int, height: int) -> int:
    if height > MIN_SIDE and width / height <= MAX_ASPECT:
        return 0
    wanted = max(int(width / MAX_ASPECT), MIN_SIDE) * 2
    return int(abs(wanted - height) / 2)


def close_scale(image: Pixels) -> float:
    """Return the scale of a close look. A small image is enlarged."""
    return float(max(1.0, MIN_DETECTOR_SIDE / min(image.shape[:2])))


def detector_input(image: Pixels, scale: float | None = None) -> Floats:
    """Return an input of 1 x 3 x height x width, where both sides are multiples of the network's stride."""
    height, width = image.shape[:2]
    ratio = min(close_scale(image) if scale is None else scale, (MAX_DETECTOR_PIXELS / (height * width)) ** 0.5)
    size = (_to_stride(int(width * ratio)), _to_stride(int(height * ratio)))
    if size != (width, height):
        image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA if ratio < 1 else cv2.INTER_LINEAR))
    planes = np.empty((1, 3, size[1], size[0]), np.float32)
    for channel in range(3):
        np.take(_NORMALIZED, image[:, :, channel], out=planes[0, channel])
    return planes


def find_boxes(probabilities: Floats, *, width: int, height: int) -> Floats:
    """Return boxes x 4 corners x 2 on an image of this size, in reading order."""
    mask = cv2.dilate((probabilities > TEXT_PROBABILITY).astype(np.uint8), np.ones((2, 2), np.uint8))
    contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    target = np.array([width, height], np.float32)
    boxes = [box for contour in contours[:MAX_BOXES] if (box := _grown_box(probabilities, contour, target)) is not None]
    return in_reading_order(np.array(boxes, np.float32).reshape(-1, 4, 2))


def in_reading_order(boxes: Floats) -> Floats:
    """Sort boxes in rows from top to bottom, each row from left to right. Boxes whose tops are close form a row."""
    if not len(boxes):
        return boxes
    by_top = boxes[np.argsort(boxes[:, 0, 1], kind="stable")]
    rows = np.concatenate([[0], np.cumsum(np.diff(by_top[:, 0, 1]) >= SAME_ROW_PIXELS)])
    return by_top[np.lexsort((by_top[:, 0, 0], rows))]


def on_page(boxes: Floats, page: PreparedPage) -> Floats:
    """Convert boxes on the prepared image to boxes on the page's own image."""
    moved = (boxes - np.array([0, page.top], np.float32)) * np.array([page.scale_x, page.scale_y], np.float32)
    return np.clip(moved, 0, np.array([page.width, page.height], np.float32))


def _grown_box(probabilities: Floats, contour: npt.NDArray[Any], target: Floats) -> Floats | None:
    """Convert a contour on the map to a box on an image of the target's width and height."""
    core, short_side = _smallest_rectangle(contour)
    if short_side < MIN_BOX_SIDE or _mean_inside(probabilities, core) < MIN_BOX_PROBABILITY:
        return None
    grown, short_side = _smallest_rectangle(_grow(core))
    if short_side < MIN_BOX_SIDE + 2:
        return None
    size = np.array(probabilities.shape[::-1], np.float32)
    box = np.clip(_clockwise(np.clip(np.round(grown / size * target), 0, target)), 0, target - 1)
    sides = (np.linalg.norm(box[0] - box[1]), np.linalg.norm(box[0] - box[3]))
    return box.astype(np.float32) if min(map(int, sides)) > MIN_BOX_SIDE else None


def _smallest_rectangle(points: npt.NDArray[Any]) -> tuple[Floats, float]:
    rectangle = cv2.minAreaRect(points)
    return _clockwise(np.asarray(cv2.boxPoints(rectangle))), min(rectangle[1])


def _clockwise(corners: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Sort the corners clockwise from the top left. The two leftmost corners are the left side, whatever the angle."""
    by_x = corners[np.argsort(corners[:, 0], kind="stable")]
    (top_left, bottom_left), (top_right, bottom_right) = (
        side[np.argsort(side[:, 1], kind="stable")] for side in (by_x[:2], by_x[2:])
    )
    return np.array([top_left, top_right, bottom_right, bottom_left])


def _grow(corners: Floats) -> npt.NDArray[np.int32]:
    exact = corners.astype(np.float64)
    following = np.roll(exact, -1, axis=0)
    area = abs(float(np.sum(exact[:, 0] * following[:, 1] - following[:, 0] * exact[:, 1]))) / 2
    circumference = float(np.linalg.norm(following - exact, axis=1).sum())
    offset = pyclipper.PyclipperOffset()
    offset.AddPath(corners, pyclipper.JT_ROUND, pyclipper.ET_CLOSEDPOLYGON)
    paths = offset.Execute(area * GROWTH / circumference)
    return np.array([point for path in paths for point in path], np.int32).reshape(-1, 1, 2)


def _mean_inside(probabilities: Floats, corners: Floats) -> float:
    height, width = probabilities.shape
    left, top = np.clip(np.floor(corners.min(axis=0)), 0, [width - 1, height - 1]).astype(int)
    right, bottom = np.clip(np.ceil(corners.max(axis=0)), 0, [width - 1, height - 1]).astype(int)
    mask = np.zeros((bottom - top + 1, right - left + 1), np.uint8)
    cv2.fillPoly(mask, (corners - np.array([left, top])).astype(np.int32).reshape(1, -1, 2), 1)
    return float(cv2.mean(probabilities[top : bottom + 1, left : right + 1], mask)[0])


def _resize(image: Pixels, ratio: float) -> Pixels:
    if ratio == 1.0:
        return image
    height, width = image.shape[:2]
    return np.asarray(cv2.resize(image, (_to_stride(int(width * ratio)), _to_stride(int(height * ratio)))))


def _to_stride(side: int) -> int:
    return max(STRIDE, round(side / STRIDE) * STRIDE)
