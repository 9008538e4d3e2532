"""Make a clean page look scanned or faxed: turned, skewed, noisy, shaded; the boxes of its truth move along."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import cv2
import numpy as np

from tests.benchmarks.documents.truth import GeneratedPage, Matrix, Picture, Quad

opencv: Any = cv2
"""OpenCV, whose own types are wider than what it returns."""


def degrade(
    page: GeneratedPage,
    seed: int,
    *,
    dpi: float | None = None,
    rotation: int = 0,
    skew: float = 0.0,
    noise: float = 0.0,
    shadow: float = 0.0,
    jpeg: int | None = None,
    blur: float = 0.0,
    fax: bool = False,
    paper: int = 255,
    beyond: int = 255,
) -> GeneratedPage:
    """Return the page as a worse picture.

    `dpi` scales it; `rotation` (0, 90, 180, 270) is how far it must be turned clockwise to be upright; `skew` turns it
    clockwise by some degrees more, and the sheet grows; `beyond` is the gray outside the paper, and `paper` that of the
    paper. `noise` is a deviation in gray levels, `shadow` the darkening (0 to 1) at one side, `blur` a radius in
    pixels,
    `jpeg` a quality. A `fax` has one bit, and rows that are missing or doubled.
    """
    random = np.random.default_rng(seed)
    page = rescaled(page, dpi) if dpi and dpi != page.dpi else page
    if paper < 255:
        page = replace(page, picture=_tinted(page.picture, paper))
    page = turned(page, rotation, skew, beyond)
    picture = opencv.GaussianBlur(page.picture, (0, 0), blur) if blur > 0 else page.picture
    picture = _shaded(picture, random, shadow) if shadow > 0 else picture
    picture = _grainy(picture, random, noise) if noise > 0 else picture
    picture = _faxed(picture, random) if fax else picture
    picture = _packed(picture, jpeg) if jpeg else picture
    return replace(page, picture=np.ascontiguousarray(picture))


def rescaled(page: GeneratedPage, dpi: float) -> GeneratedPage:
    factor = dpi / page.dpi
    way = opencv.INTER_AREA if factor < 1 else opencv.INTER_CUBIC
    picture = opencv.resize(page.picture, None, fx=factor, fy=factor, interpolation=way)
    scale = np.diag([picture.shape[1] / page.picture.shape[1], picture.shape[0] / page.picture.shape[0], 1.0])
    return replace(page.moved(picture, mover(scale)), dpi=dpi)


def turned(page: GeneratedPage, rotation: int, skew: float, beyond: int) -> GeneratedPage:
    """Turn the page counterclockwise by the rotation, and clockwise by the skew, on a sheet that is large enough."""
    if not rotation and not skew:
        return page
    height, width = page.picture.shape[:2]
    angle = np.deg2rad(skew - rotation)
    cos, sin = np.cos(angle), np.sin(angle)
    wide, high = (round(abs(cos) * a + abs(sin) * b) for a, b in ((width, height), (height, width)))
    matrix = np.array([[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]])
    middle = matrix @ np.array([width / 2, height / 2, 1.0])
    matrix[:2, 2] = wide / 2 - middle[0], high / 2 - middle[1]
    gray = (beyond, beyond, beyond)
    if skew:
        shift = pixel_centers(matrix)[:2]
        picture = opencv.warpAffine(page.picture, shift, (wide, high), flags=opencv.INTER_CUBIC, borderValue=gray)
    else:
        picture = np.rot90(page.picture, rotation // 90)
    moved = page.moved(np.ascontiguousarray(picture), mover(matrix))
    return replace(moved, rotation=(page.rotation + rotation) % 360, angle=page.angle + skew)


def pixel_centers(matrix: Matrix) -> Matrix:
    """Return the matrix for OpenCV, which counts from the middle of the first pixel, not from its corner."""
    half = np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.5], [0.0, 0.0, 1.0]])
    centered: Matrix = np.linalg.inv(half) @ matrix @ half
    return centered


def mover(matrix: Matrix) -> Callable[[Quad], Quad]:
    """Return a function that moves boxes by a matrix of 3 x 3, which may be a perspective."""

    def move(box: Quad) -> Quad:
        x, y, scale = matrix @ np.vstack([np.array(box).T, np.ones(4)])
        one, two, three, four = ((float(a), float(b)) for a, b in zip(x / scale, y / scale, strict=True))
        return one, two, three, four

    return move


def _tinted(picture: Picture, paper: int) -> Picture:
    table = np.linspace(0, paper, 256).astype(np.uint8)
    return table[picture]


def _shaded(picture: Picture, random: np.random.Generator, shadow: float) -> Picture:
    """Darken the picture more and more toward one side, in a direction by chance."""
    height, width = picture.shape[:2]
    angle = random.uniform(0, 2 * np.pi)
    x = np.linspace(-1, 1, width, dtype=np.float32) * np.float32(np.cos(angle))
    y = np.linspace(-1, 1, height, dtype=np.float32) * np.float32(np.sin(angle))
    light = 1 - np.float32(shadow) * np.clip((x[None, :] + y[:, None] + 1) / 2, 0, 1) ** 1.5
    return (picture * light[:, :, None]).astype(np.uint8)


def _grainy(picture: Picture, random: np.random.Generator, noise: float) -> Picture:
    grain = random.standard_normal(picture.shape[:2], dtype=np.float32) * np.float32(noise)
    return np.clip(picture + grain[:, :, None], 0, 255).astype(np.uint8)


def _faxed(picture: Picture, random: np.random.Generator) -> Picture:
    """Return black and white dots only, some of them wrong, with rows that repeat the row above."""
    gray = opencv.cvtColor(picture, opencv.COLOR_RGB2GRAY)
    otsu = float(opencv.threshold(gray, 0, 255, opencv.THRESH_BINARY + opencv.THRESH_OTSU)[0])
    limit = min(max(otsu, 60.0), 220.0)
    ink = gray < limit + random.normal(0, 12, gray.shape).astype(np.float32)
    ink ^= random.random(gray.shape, dtype=np.float32) < 0.0008
    for row in random.integers(1, len(gray), size=max(1, len(gray) // 250)):
        ink[row] = ink[row - 1]
    one = np.where(ink, 0, 255).astype(np.uint8)
    return np.repeat(one[:, :, None], 3, axis=2)


def _packed(picture: Picture, quality: int) -> Picture:
    """Return the picture with the losses of JPEG."""
    done, data = opencv.imencode(
        ".jpg", opencv.cvtColor(picture, opencv.COLOR_RGB2BGR), [opencv.IMWRITE_JPEG_QUALITY, quality]
    )
    assert done
    loaded: Picture = opencv.cvtColor(opencv.imdecode(data, opencv.IMREAD_COLOR), opencv.COLOR_BGR2RGB)
    return loaded
