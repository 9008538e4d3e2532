"""The corners of a photographed sheet, where all its edges are seen on a table that is darker or of another color."""

import math

import cv2
import numpy as np
import numpy.typing as npt

from inference.core.contracts import Quad
from inference.pictures.ink import Gray, SmallPicture

COARSE = 4
"""The step between pixels by which the sheet is first looked for."""
PRINT = 7
"""The height of print, at most, in coarse pixels. Smaller dark spots belong to the paper around them."""
MIN_AREA, MAX_AREA = 0.2, 0.97
"""The share of the picture that a sheet covers."""
MAX_ADDED = 0.1
"""The share of the light area, at most, that is added to it at bent or covered corners."""
MIN_FILLED = 0.75
"""The share of the sheet that is as light as paper, at least."""
MAX_LIGHT_BEYOND = 0.25
"""The share of the table that is as light as paper, at most."""
DETAIL = 9
"""The height of details beyond the sheet, at most, in pixels."""
DETAIL_STEP = 0.4
"""The contrast of print, at least, as a share of that between paper and table."""
MAX_PRINT_BEYOND = 0.005
"""The share of what lies beyond that is print, at most. A box on a dark page has print around it, a sheet has none."""
MIN_ANGLE, MAX_ANGLE = 55.0, 125.0
MIN_SIDE = 60
"""The length of an edge in pixels of the small picture, at least."""
ROUGH_SLACK, SLACK = 0.06, 0.005
"""The distance by which a corner may lie beyond the picture, at first and at last, as a share of its longer side."""
SAMPLES = 64
"""The places along an edge where it is looked for."""
REACH, BESIDE = 18, 4
"""The distance from its coarse place in which an edge is sought, and the pixels compared on both sides."""
MIN_STEP, MIN_STEP_SHARE = 12.0, 0.15
"""The difference between paper and table, at least, in gray levels and as a share of the paper's."""
STRAIGHT = 2.0
"""The pixels by which an edge strays from a straight line, at most."""
MIN_SEEN = 0.7
"""The share of an edge, at least, that is seen."""

Floats = npt.NDArray[np.float64]


def find_sheet(small: SmallPicture) -> Quad | None:
    """Return the corners in the small picture, clockwise from the top left as it lies; None if an edge is unseen."""
    light = _lightness(small)
    rough = _rough_corners(light)
    if rough is None or not _is_sheet(rough, light.shape, ROUGH_SLACK):
        return None
    edges = [_edge(light, rough[side], rough[(side + 1) % 4]) for side in range(4)]
    if any(edge is None for edge in edges):
        return None
    corners = np.array([_crossing(edges[side - 1], edges[side]) for side in range(4)])
    if not _is_sheet(corners, light.shape, SLACK) or _has_print_beyond(light, corners):
        return None
    one, two, three, four = ((float(across), float(down)) for across, down in corners)
    return one, two, three, four


def _lightness(small: SmallPicture) -> Gray:
    """Return the darkest color of each pixel. It is high on white paper, and low on a table of any other color."""
    red, green, blue = cv2.split(small.pixels)
    return np.asarray(cv2.min(cv2.min(red, green), blue), np.uint8)


def _rough_corners(light: Gray) -> Floats | None:
    """Return the corners of the largest light area, if a quadrangle describes it well."""
    height, width = light.shape
    if min(height, width) < MIN_SIDE:
        return None
    coarse = cv2.resize(light, (width // COARSE, height // COARSE), interpolation=cv2.INTER_AREA)
    plain = cv2.morphologyEx(coarse, cv2.MORPH_CLOSE, np.ones((PRINT, PRINT), np.uint8))
    _, mask = cv2.threshold(plain, 0, 1, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    outlines, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    hull = cv2.convexHull(max(outlines, key=cv2.contourArea)) if outlines else np.empty((0, 1, 2))
    corners = _quadrangle(np.asarray(hull, np.int32))
    if corners is None or not _parts_light_from_dark(np.asarray(mask, np.uint8), corners):
        return None
    scale = np.array([width / mask.shape[1], height / mask.shape[0]])
    return np.asarray((_from_top_left(corners) + 0.5) * scale, np.float64)


def _quadrangle(hull: npt.NDArray[np.int32]) -> Floats | None:
    """Return the quadrangle around the hull by its longest sides, if little is added to it."""
    if len(hull) < 4:
        return None
    corners = cv2.approxPolyN(hull, 4, epsilon_percentage=MAX_ADDED, ensure_convex=True)
    return np.asarray(corners, np.float64).reshape(4, 2) if corners.size == 8 else None


def _parts_light_from_dark(mask: Gray, corners: Floats) -> bool:
    sheet = np.asarray(cv2.fillConvexPoly(np.zeros_like(mask), corners.astype(np.int32), 1), np.uint8)
    inside = int(sheet.sum())
    beyond = sheet.size - inside
    filled = int((mask & sheet).sum())
    return filled >= MIN_FILLED * inside and int(mask.sum()) - filled <= MAX_LIGHT_BEYOND * beyond


def _from_top_left(corners: Floats) -> Floats:
    """Return the corners clockwise, the one nearest to the top left first."""
    center = corners.mean(axis=0)
    clockwise = corners[np.argsort(np.arctan2(*(corners - center).T[::-1]))]
    return np.roll(clockwise, -int(clockwise.sum(axis=1).argmin()), axis=0)


def _is_sheet(corners: Floats, shape: tuple[int, ...], slack: float) -> bool:
    """Return whether the corners are those of a sheet seen from above or from a slant, all within the picture."""
    height, width = shape
    beyond = np.maximum(-corners, corners - np.array([width, height])).max()
    if beyond > slack * max(shape):
        return False
    sides = np.roll(corners, -1, axis=0) - corners
    lengths = np.hypot(*sides.T)
    if lengths.min() < MIN_SIDE:
        return False
    before = np.roll(sides, 1, axis=0)
    turns = np.degrees(
        np.arctan2(before[:, 0] * sides[:, 1] - before[:, 1] * sides[:, 0], (before * sides).sum(axis=1))
    )
    if (turns < 180 - MAX_ANGLE).any() or (turns > 180 - MIN_ANGLE).any():
        return False
    return MIN_AREA <= cv2.contourArea(corners.astype(np.float32)) / (height * width) <= MAX_AREA


def _has_print_beyond(light: Gray, corners: Floats) -> bool:
    sheet = cv2.fillConvexPoly(np.zeros_like(light), corners.round().astype(np.int32), 255)
    beyond = cv2.dilate(sheet, np.ones((4 * BESIDE + 1,) * 2, np.uint8)) == 0
    if not beyond.any():
        return False
    square = np.ones((DETAIL, DETAIL), np.uint8)
    bright, dark = (cv2.morphologyEx(light, way, square) for way in (cv2.MORPH_TOPHAT, cv2.MORPH_BLACKHAT))
    step = float(np.median(light[sheet > 0])) - float(np.median(light[beyond]))
    printed = cv2.max(bright, dark)[beyond] >= max(DETAIL_STEP * step, 1.0)
    return float(printed.mean()) > MAX_PRINT_BEYOND


def _edge(light: Gray, start: Floats, end: Floats) -> tuple[Floats, Floats] | None:
    """Return two points on the straight edge near these corners, or None if too little of it is seen."""
    along = (end - start) / math.dist(start, end)
    inwards = np.array([-along[1], along[0]])
    shares = np.linspace(0.04, 0.96, SAMPLES)
    places = start + shares[:, None] * (end - start)
    steps = _steps(light, places, inwards)
    offsets = steps.argmax(axis=1) - float(REACH)
    seen = steps.max(axis=1) > 0
    fit = np.zeros(2)
    for reach in (3 * STRAIGHT, STRAIGHT, STRAIGHT):
        if seen.sum() < MIN_SEEN * SAMPLES:
            return None
        fit = (
            np.polyfit(shares[seen], offsets[seen], 1) if reach < 3 * STRAIGHT else _middle_line(shares, offsets, seen)
        )
        seen &= np.abs(np.polyval(fit, shares) - offsets) <= reach
    if seen.sum() < MIN_SEEN * SAMPLES:
        return None
    return start + np.polyval(fit, 0.0) * inwards, end + np.polyval(fit, 1.0) * inwards


def _middle_line(shares: Floats, offsets: Floats, seen: npt.NDArray[np.bool_]) -> Floats:
    """Return a line through the medians of both halves, which a few wrong places do not move."""
    at, off = np.array_split(shares[seen], 2), np.array_split(offsets[seen], 2)
    slope = (np.median(off[1]) - np.median(off[0])) / (at[1].mean() - at[0].mean())
    return np.array([slope, np.median(offsets[seen] - slope * shares[seen])])


def _steps(light: Gray, places: Floats, inwards: Floats) -> Floats:
    """Return how far paper stands out from the table by place and offset, and 0 where it does not."""
    distances = np.arange(-REACH - BESIDE, REACH + BESIDE) + 0.5
    positions = (places[:, None] + distances[:, None] * inwards - 0.5).astype(np.float32)
    across, down = positions[..., 0], positions[..., 1]
    profiles = cv2.remap(light, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    sums = np.cumsum(np.pad(np.asarray(profiles, np.float64), ((0, 0), (1, 0))), axis=1)
    means = (sums[:, BESIDE:] - sums[:, :-BESIDE]) / BESIDE
    inside, outside = means[:, BESIDE:], means[:, :-BESIDE]
    enough = inside - outside >= np.maximum(MIN_STEP, MIN_STEP_SHARE * inside)
    return np.where(enough, inside - outside, 0.0)


def _crossing(one: tuple[Floats, Floats] | None, other: tuple[Floats, Floats] | None) -> Floats:
    """Return where two edges meet. Parallel edges meet nowhere."""
    if one is None or other is None:
        return np.full(2, np.inf)
    (start, end), (begin, stop) = one, other
    first, second = end - start, stop - begin
    size = first[0] * second[1] - first[1] * second[0]
    if abs(size) < 1e-9:
        return np.full(2, np.inf)
    gap = begin - start
    return np.asarray(start + first * (gap[0] * second[1] - gap[1] * second[0]) / size, np.float64)
