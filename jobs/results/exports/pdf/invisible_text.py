"""Drawing instructions for invisible lines of text at the positions that the picture shows. This module is pure."""

import math
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jobs.results.exports.pdf.character_codes import UNITS_PER_EM, CharacterCodes, advance
from jobs.results.exports.pdf.visual_order import visual_order

FONT = "F"
_BASELINE = 0.2
"""The share of a line's height, from its bottom, that is below the baseline of its letters."""
_MIN_POINTS = 0.01


@dataclass(frozen=True)
class Sheet:
    """A page of the file, and the number of its points in one pixel of the picture."""

    height_points: float
    points_per_pixel: float

    def place(self, corner: Sequence[float]) -> tuple[float, float]:
        """Return a corner of the picture, whose origin is at the top, as a point of the page."""
        x, y = corner
        return x * self.points_per_pixel, self.height_points - y * self.points_per_pixel


def invisible_lines(lines: Iterable[Mapping[str, Any]], sheet: Sheet, codes: CharacterCodes) -> bytes:
    drawn = [_line(line, sheet, codes) for line in lines if line.get("box")]
    return "\n".join(("BT 3 Tr", *filter(None, drawn), "ET\n")).encode("ascii")


def _line(line: Mapping[str, Any], sheet: Sheet, codes: CharacterCodes) -> str:
    """Draw a line so that its characters fill the box in height and length, even if the box is rotated."""
    text = visual_order("".join(map(_printable, str(line["text"]))).strip())
    top_left, _, bottom_right, bottom_left = (sheet.place(corner) for corner in line["box"])
    width, size = math.dist(bottom_left, bottom_right), math.dist(bottom_left, top_left)
    if not text or min(width, size) < _MIN_POINTS:
        return ""
    stretch = 100 * width / (size * sum(map(advance, text)) / UNITS_PER_EM)
    along_x, along_y = ((b - a) / width for a, b in zip(bottom_left, bottom_right, strict=True))
    x, y = (a + _BASELINE * (b - a) for a, b in zip(bottom_left, top_left, strict=True))
    numbers = " ".join(map(_number, (along_x, along_y, -along_y, along_x, x, y)))
    shown = "".join(f"{codes.code(char):04X}" for char in text)
    return f"/{FONT} {_number(size)} Tf {_number(stretch)} Tz {numbers} Tm <{shown}> Tj"


def _printable(char: str) -> str:
    return " " if unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp", "Zs"} else char


def _number(value: float) -> str:
    return f"{value:.4f}".rstrip("0").rstrip(".")
