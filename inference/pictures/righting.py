"""The way from a stored picture to the upright one: a sheet cut out of a photograph, a turn, and skew taken out."""

import math
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from inference.core.contracts import Pixels, Quad

Matrix = npt.NDArray[np.float64]
Points = npt.NDArray[np.float64]

WHITE = (255, 255, 255)


@dataclass(frozen=True, slots=True)
class Righting:
    """The steps to the upright picture, in this order: cut out the sheet, turn by `rotation`, take out `angle`."""

    width: int
    height: int
    """The size of the stored picture."""
    rotation: int = 0
    """The degrees clockwise that the picture is turned by: 0, 90, 180 or 270."""
    angle: float = 0.0
    """The skew in degrees clockwise that is taken out after the turn."""
    sheet: Quad | None = None
    """The corners of the sheet in the stored picture, clockwise from its top left as the picture lies."""

    @property
    def changes_nothing(self) -> bool:
        return not self.rotation and not self.angle and self.sheet is None

    @property
    def shown_size(self) -> tuple[int, int]:
        """Return the width and height of the upright picture."""
        width, height = self._turned_size
        if not self.angle:
            return width, height
        sine, cosine = abs(math.sin(math.radians(self.angle))), abs(math.cos(math.radians(self.angle)))
        return round(width * cosine + height * sine), round(width * sine + height * cosine)

    def matrix(self) -> Matrix:
        """Return the 3 x 3 matrix from positions on the stored picture to positions on the upright one."""
        return self._leveled() @ self._turned() @ self._cut_out()

    def apply(self, pixels: Pixels) -> Pixels:
        if self.changes_nothing:
            return pixels
        if self.sheet is None and not self.angle:
            return np.ascontiguousarray(np.rot90(pixels, -self.rotation // 90))
        # What lies beyond the stored picture is shown as paper: the color that most of its border has.
        beyond = tuple(int(value) for value in np.median(_border(pixels), axis=0)) if self.sheet is None else WHITE
        upright = cv2.warpPerspective(
            pixels,
            _between_centers(self.matrix()),
            self.shown_size,
            flags=cv2.INTER_LINEAR if self.sheet is None else cv2.INTER_CUBIC,
            borderMode=cv2.BORDER_CONSTANT,
            borderValue=beyond,
        )
        return np.asarray(upright, np.uint8)

    def on_stored(self, points: npt.ArrayLike) -> Points:
        """Return positions on the upright picture as positions on the stored picture."""
        return _moved(np.asarray(np.linalg.inv(self.matrix()), np.float64), points)

    def on_shown(self, points: npt.ArrayLike) -> Points:
        return _moved(self.matrix(), points)

    @property
    def _cut_size(self) -> tuple[int, int]:
        if self.sheet is None:
            return self.width, self.height
        top, right, bottom, left = (
            math.dist(self.sheet[a], self.sheet[b]) for a, b in ((0, 1), (1, 2), (2, 3), (3, 0))
        )
        return max(1, round(max(top, bottom))), max(1, round(max(left, right)))

    @property
    def _turned_size(self) -> tuple[int, int]:
        width, height = self._cut_size
        return (height, width) if self.rotation in (90, 270) else (width, height)

    def _cut_out(self) -> Matrix:
        if self.sheet is None:
            return np.eye(3)
        width, height = self._cut_size
        target = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
        return np.asarray(cv2.getPerspectiveTransform(np.array(self.sheet, np.float32), target), np.float64)

    def _turned(self) -> Matrix:
        width, height = self._cut_size
        match self.rotation:
            case 90:
                return np.array([[0, -1, height], [1, 0, 0], [0, 0, 1]], np.float64)
            case 180:
                return np.array([[-1, 0, width], [0, -1, height], [0, 0, 1]], np.float64)
            case 270:
                return np.array([[0, 1, 0], [-1, 0, width], [0, 0, 1]], np.float64)
        return np.eye(3)

    def _leveled(self) -> Matrix:
        if not self.angle:
            return np.eye(3)
        (width, height), (shown_width, shown_height) = self._turned_size, self.shown_size
        sine, cosine = math.sin(math.radians(self.angle)), math.cos(math.radians(self.angle))
        turn = np.array([[cosine, sine, 0], [-sine, cosine, 0], [0, 0, 1]])
        leveled = _shift(shown_width / 2, shown_height / 2) @ turn @ _shift(-width / 2, -height / 2)
        return np.asarray(leveled, np.float64)


def _shift(across: float, down: float) -> Matrix:
    return np.array([[1, 0, across], [0, 1, down], [0, 0, 1]], np.float64)


def _between_centers(matrix: Matrix) -> Matrix:
    """Convert a matrix between corners of pixels to one between their centers, as OpenCV counts."""
    return np.asarray(_shift(-0.5, -0.5) @ matrix @ _shift(0.5, 0.5), np.float64)


def _moved(matrix: Matrix, points: npt.ArrayLike) -> Points:
    given = np.asarray(points, np.float64)
    if not given.size:
        return given
    return np.asarray(cv2.perspectiveTransform(given.reshape(1, -1, 2), matrix), np.float64).reshape(given.shape)


def _border(pixels: Pixels) -> Pixels:
    return np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])
