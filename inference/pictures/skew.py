"""The angle of the printed lines on a page, modulo a quarter turn, by the rows that their ink forms."""

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from inference.pictures.ink import Gray

MAX_SKEW = 16.0
COARSE_STEP = 0.5
"""The step in degrees between the angles that are tried first."""
FINE_RANGE = 0.8
STRIPS = 64
"""The strips into which the picture is cut along its lines. Within a strip, a line is taken for level."""
COARSE_GROUP = 8
"""The strips that are moved against each other and added up. Rows of one column need not be level with another's."""
FINE_STEPS = ((0.1, 16), (0.05, 32))
"""The steps in degrees around the best angle, and the strips for each. More strips tell small angles from none."""
MIN_SIDE = 16
"""The height and width in pixels below which a picture holds no line."""
MIN_RHYTHM = 1.35
"""The rhythm below which the ink forms no rows."""

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Skew:
    degrees: float
    """The angle clockwise from horizontal, or from vertical if the lines run up or down the page."""
    rhythm: float
    """The ratio by which the rows stand out at this angle from those at other angles."""
    vertical: bool
    """Set if the lines run up or down the page."""


def measure_skew(mask: Gray) -> Skew:
    across, along = skew_along(mask, vertical=False), skew_along(mask, vertical=True)
    return across if across.rhythm >= along.rhythm else along


def skew_along(mask: Gray, *, vertical: bool) -> Skew:
    """Return the skew of lines that run across the page or, if they are vertical, up or down."""
    return _skew_of(np.ascontiguousarray(np.rot90(mask)) if vertical else mask, vertical=vertical)


def residual_skew(mask: Gray) -> float:
    """Return the angle that is left on a picture whose lines are nearly level. It is exact for small angles."""
    return _fine_angle(_strips(mask), 0.0) if min(mask.shape) >= MIN_SIDE else 0.0


def _skew_of(mask: Gray, *, vertical: bool) -> Skew:
    if min(mask.shape) < MIN_SIDE:
        return Skew(0.0, 1.0, vertical=vertical)
    strips = _strips(mask)
    coarse = np.arange(-MAX_SKEW, MAX_SKEW + COARSE_STEP / 2, COARSE_STEP)
    sharpness = np.array([_sharpness(strips, angle, COARSE_GROUP) for angle in coarse])
    rhythm = float(sharpness.max() / max(float(np.median(sharpness)), 1e-9))
    if rhythm < MIN_RHYTHM:
        return Skew(0.0, rhythm, vertical=vertical)
    return Skew(_fine_angle(strips, float(coarse[sharpness.argmax()])), rhythm, vertical=vertical)


def _fine_angle(strips: "_Strips", about: float) -> float:
    """Return the middle of the peak near an angle, from a range that is centered on it at the end."""
    for step, group in FINE_STEPS:
        angles = about + np.arange(-FINE_RANGE, FINE_RANGE + step / 2, step)
        about = _middle_of_peak(angles, np.array([_sharpness(strips, angle, group) for angle in angles]))
    return about


@dataclass(frozen=True, slots=True)
class _Strips:
    ink: Floats
    """The ink by strip and row, with white rows before and after."""
    height: int
    reach: int
    """The number of white rows on either side."""
    centers: Floats
    """The middle of each strip, in pixels from the middle of the picture."""


def _strips(mask: Gray) -> _Strips:
    height, width = mask.shape
    ink = cv2.resize(mask.astype(np.float32), (STRIPS, height), interpolation=cv2.INTER_AREA).T
    reach = int(width / 2 * np.tan(np.deg2rad(MAX_SKEW + FINE_RANGE))) + 2
    centers = (np.arange(STRIPS, dtype=np.float32) + 0.5) * (width / STRIPS) - width / 2
    return _Strips(np.pad(ink, ((0, 0), (reach, reach))), height, reach, centers)


def _sharpness(strips: _Strips, angle: float, group: int) -> float:
    """Return how sharply rows of ink alternate with white if the lines run at this angle."""
    starts = (np.rint(strips.centers * np.tan(np.deg2rad(angle))).astype(int) + strips.reach).tolist()
    profiles = np.zeros((STRIPS // group, strips.height), np.float32)
    for strip, start in enumerate(starts):
        profiles[strip // group] += strips.ink[strip, start : start + strips.height]
    steps = np.diff(profiles, axis=1).ravel()
    return float(steps @ steps)


def _middle_of_peak(angles: npt.NDArray[np.float64], sharpness: npt.NDArray[np.float64]) -> float:
    """Return the middle of the upper half of the peak, which is steadier than its highest angle."""
    weights = np.maximum(sharpness - (sharpness.max() + sharpness.min()) / 2, 0)
    return float((angles * weights).sum() / weights.sum()) if weights.sum() else float(angles[sharpness.argmax()])
