"""Prepares pictures of text lines for Tesseract: every line gets the same height, whatever its size was.

Tesseract ends the whole process (an assertion fails) on lines of a few pixels' height. It scales lines to its own
height anyway, so nothing is lost here.
"""

import cv2
import numpy as np
import numpy.typing as npt

from inference.core.contracts import Pixels

LINE_HEIGHT = 36
BORDER = 4
"""The pixels around a line, filled like its edge. Without them, characters at the edges are read less well."""
MAX_WIDTH = 4096
"""The largest width. A line ten thousand pixels long is squeezed, so that its time and memory are bounded."""
MIN_INK = 2
"""The smallest number of dark pixels in a row or column with text. Single ones are noise."""
MIN_CONTRAST = 24
"""The smallest difference of brightness. Tesseract invents characters on an empty picture."""

Gray = npt.NDArray[np.uint8]


def prepared_line(line: Pixels) -> Gray | None:
    """Return the line in gray at the standard height with a border, or None if nothing is on it."""
    if not line.size:
        return None
    gray = np.asarray(cv2.cvtColor(np.ascontiguousarray(line), cv2.COLOR_RGB2GRAY), np.uint8)
    if int(gray.max()) - int(gray.min()) < MIN_CONTRAST:
        return None
    gray = _trimmed(gray)
    height, width = gray.shape
    size = (min(MAX_WIDTH, max(LINE_HEIGHT, round(width * LINE_HEIGHT / height))), LINE_HEIGHT)
    scaled = cv2.resize(gray, size, interpolation=cv2.INTER_AREA if height > LINE_HEIGHT else cv2.INTER_CUBIC)
    return np.asarray(cv2.copyMakeBorder(scaled, BORDER, BORDER, BORDER, BORDER, cv2.BORDER_REPLICATE), np.uint8)


def _trimmed(gray: Gray) -> Gray:
    """Return the part with ink. Tesseract takes an empty margin for a mark: most lines would begin or end with one."""
    _, bright = cv2.threshold(gray, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    white_on_black = int(np.count_nonzero(bright)) * 2 < bright.size
    ink = (bright != 0) if white_on_black else (bright == 0)
    rows = np.flatnonzero(np.count_nonzero(ink, axis=1) >= MIN_INK)
    columns = np.flatnonzero(np.count_nonzero(ink, axis=0) >= MIN_INK)
    if not rows.size or not columns.size:
        return gray
    return gray[max(0, rows[0] - 1) : rows[-1] + 2, max(0, columns[0] - 1) : columns[-1] + 2]
