"""Makes the picture of a page as it was read, from the stored picture. Import this module only where one is made: its
libraries take long to load.
"""

from collections.abc import Mapping

import cv2
import numpy as np

from inference.core.contracts import Pixels
from inference.pictures.righting import Righting
from jobs.core.models import DocumentPage
from jobs.documents.files import local_file
from jobs.documents.reading import reader
from jobs.results.pictures.turns import Corners, turn_of

JPEG_QUALITY = 85
MAX_GROWTH = 2.5
"""The size of the largest upright picture, in sizes of the stored one. A sheet that is askew by 45 degrees has two."""
_BEYOND = 0.1
"""The share of the picture by which a corner of the sheet may lie outside of it."""
_SMALLEST = 0.01
"""The share of the picture that a sheet covers at least."""


def righting_of(result: Mapping[str, object] | None, width: int, height: int) -> Righting | None:
    """Return what was done to a stored picture of this size before it was read, or None for nothing.

    A result of an added model may have any values here. Those that make no sense count as nothing.
    """
    turn = turn_of(result)
    if turn.sheet is not None and not _is_sheet(turn.sheet, width, height):
        return None
    righting = Righting(width, height, turn.rotation, turn.angle, turn.sheet)
    shown_width, shown_height = righting.shown_size
    too_large = shown_width * shown_height > MAX_GROWTH * width * height
    return None if righting.changes_nothing or too_large else righting


def _is_sheet(sheet: Corners, width: int, height: int) -> bool:
    inside = all(
        -_BEYOND * width <= x <= (1 + _BEYOND) * width and -_BEYOND * height <= y <= (1 + _BEYOND) * height
        for x, y in sheet
    )
    points = np.array(sheet, np.float32)
    area = abs(float(cv2.contourArea(points)))
    return inside and bool(cv2.isContourConvex(points)) and area >= _SMALLEST * width * height


def shown_picture(page: DocumentPage, righting: Righting) -> tuple[bytes, str]:
    """Return the upright picture and its content type: lossless if the stored one is, else JPEG."""
    with local_file(page.picture) as path:
        pixels = reader().decode_picture(path)
    lossless = page.picture_type == "image/png"
    return _encoded(righting.apply(pixels), lossless), "image/png" if lossless else "image/jpeg"


def _encoded(pixels: Pixels, lossless: bool) -> bytes:
    options = [] if lossless else [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY]
    done, encoded = cv2.imencode(".png" if lossless else ".jpg", cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR), options)
    if not done:
        raise ValueError(f"a picture of {pixels.shape[1]} x {pixels.shape[0]} pixels was not encoded")
    return encoded.tobytes()
