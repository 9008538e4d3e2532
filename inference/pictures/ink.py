"""The ink of a page on a small picture, whatever the color of the paper and its shadows."""

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from inference.core.contracts import Pixels

MEASURED_SIDE = 1000
"""The longer side of the small picture. Print of 6 points is about five pixels high on it."""
MIN_CONTRAST = 14
"""The smallest difference in gray levels between ink and the paper around it."""
COARSE = 4
"""The step between the pixels by which the paper is measured."""
NEIGHBORHOOD = 0.06
"""The side of the neighborhood around a pixel, as a share of the longer side of the picture."""

Gray = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class SmallPicture:
    pixels: Pixels
    gray: Gray
    scale: float
    """The number of pixels of the page for each pixel here."""


def small_picture(pixels: Pixels, side: int = MEASURED_SIDE) -> SmallPicture:
    height, width = pixels.shape[:2]
    scale = max(1.0, max(height, width) / side)
    if scale > 1:
        size = (max(1, round(width / scale)), max(1, round(height / scale)))
        pixels = np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)
    return SmallPicture(pixels, np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY), np.uint8), scale)


def ink_mask(gray: Gray) -> Gray:
    """Return 1 where the picture differs from the paper around it. Light print on dark paper is ink too."""
    _, mask = cv2.threshold(cv2.absdiff(gray, paper(gray)), MIN_CONTRAST, 1, cv2.THRESH_BINARY)
    return np.asarray(mask, np.uint8)


def paper(gray: Gray) -> Gray:
    """Return the gray level of the paper around each pixel: the median, since most of a neighborhood is paper."""
    height, width = gray.shape
    coarse = np.ascontiguousarray(gray[::COARSE, ::COARSE])
    side = max(3, int(max(coarse.shape) * NEIGHBORHOOD)) | 1
    return np.asarray(cv2.resize(cv2.medianBlur(coarse, side), (width, height)), np.uint8)
