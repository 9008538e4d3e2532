"""Photograph a page: a sheet in perspective on a darker table, with uneven light; its truth moves along."""

from dataclasses import replace
from typing import Any

import cv2
import numpy as np

from tests.benchmarks.documents.degrade import mover, pixel_centers
from tests.benchmarks.documents.truth import GeneratedPage, Matrix, Picture, Quad, upright

opencv: Any = cv2
"""OpenCV, whose own types are wider than what it returns."""
TABLES = ((96, 70, 48), (60, 62, 66), (120, 96, 72), (44, 52, 60), (84, 100, 88))
MAX_SLANT = 0.09
"""The distance by which a corner may be moved, as a share of the side."""


def photograph(page: GeneratedPage, seed: int, slant: float = MAX_SLANT, light: float = 0.35) -> GeneratedPage:
    """Return the page as a photograph, of about the same size; `sheet` are the corners of its paper."""
    random = np.random.default_rng(seed)
    height, width = page.picture.shape[:2]
    border = random.uniform(0.04, 0.12, size=2) * (width, height)
    size = (int(width + 2 * border[0]), int(height + 2 * border[1]))
    corners = upright(0, 0, width, height)
    shaken = np.array(corners) + border + random.uniform(-1, 1, size=(4, 2)) * slant * np.array([width, height]) / 2
    shaken = np.clip(shaken, 6, np.array(size) - 6)
    matrix: Matrix = opencv.getPerspectiveTransform(np.array(corners, np.float32), shaken.astype(np.float32))
    picture = _on_table(page.picture, pixel_centers(matrix), size, random)
    picture = _lit(picture, random, light)
    moved = page.moved(picture, mover(matrix))
    return replace(moved, sheet=_quad(shaken))


def _on_table(picture: Picture, matrix: Matrix, size: tuple[int, int], random: np.random.Generator) -> Picture:
    table = _table(size, random)
    sheet = opencv.warpPerspective(picture, matrix, size, flags=opencv.INTER_CUBIC, borderMode=opencv.BORDER_REPLICATE)
    whole = np.full(picture.shape[:2], 255, np.uint8)
    mask = opencv.warpPerspective(whole, matrix, size, flags=opencv.INTER_LINEAR)
    far = max(3, size[0] // 150)
    shade = opencv.GaussianBlur(np.roll(mask, (far, far), axis=(0, 1)), (0, 0), far)
    table = opencv.multiply(table, opencv.merge([255 - shade // 2] * 3), scale=1 / 255)
    mask3 = opencv.merge([mask] * 3)
    mixed: Picture = opencv.add(
        opencv.multiply(sheet, mask3, scale=1 / 255), opencv.multiply(table, opencv.bitwise_not(mask3), scale=1 / 255)
    )
    return mixed


def _table(size: tuple[int, int], random: np.random.Generator) -> Picture:
    """Return a surface with grain along one direction, like wood or cloth."""
    color = np.array(TABLES[random.integers(len(TABLES))], np.float32)
    width, height = size
    fine = random.standard_normal((height // 4 + 1, width // 40 + 1), dtype=np.float32)
    coarse = random.standard_normal((height // 120 + 2, width // 160 + 2), dtype=np.float32)
    grain = 7 * opencv.resize(fine, size, interpolation=opencv.INTER_LINEAR)
    grain += 10 * opencv.resize(coarse, size, interpolation=opencv.INTER_CUBIC)
    table: Picture = np.clip(color + grain[:, :, None], 0, 255).astype(np.uint8)
    return table


def _lit(picture: Picture, random: np.random.Generator, light: float) -> Picture:
    """Darken what is far from a lamp, tint all a little, and add the grain of a camera."""
    height, width = picture.shape[:2]
    lamp = random.uniform(0.1, 0.9, size=2)
    x = (np.linspace(0, 1, width, dtype=np.float32) - np.float32(lamp[0])) ** 2
    y = (np.linspace(0, 1, height, dtype=np.float32) - np.float32(lamp[1])) ** 2
    bright = np.float32(random.uniform(0.86, 1)) * (1 - np.float32(light) * np.clip(x[None, :] + y[:, None], 0, 1))
    grain = random.standard_normal((height, width), dtype=np.float32) * np.float32(3)
    tint = np.array([1.0, random.uniform(0.95, 1), random.uniform(0.86, 0.98)], np.float32)
    lit = picture * (bright[:, :, None] * tint) + grain[:, :, None]
    shot: Picture = np.clip(lit, 0, 255).astype(np.uint8)
    return shot


def _quad(points: Matrix) -> Quad:
    one, two, three, four = ((float(x), float(y)) for x, y in points)
    return one, two, three, four
