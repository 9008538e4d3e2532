"""Drawing instructions for text: invisible lines over a picture, or a message on a page. This module is pure."""

import math
import textwrap
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from inference.core.contracts import Quad
from jobs.results.exports.page_lines import Line
from jobs.results.exports.pdf.character_codes import UNITS_PER_EM, CharacterCodes, advance

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


def invisible_lines(lines: Iterable[Line], sheet: Sheet, codes: CharacterCodes) -> bytes:
    drawn = [_line(line.text, line.box, sheet, codes) for line in lines if line.box]
    return "\n".join(("BT 3 Tr", *filter(None, drawn), "ET\n")).encode("ascii")


def _line(text: str, box: Quad, sheet: Sheet, codes: CharacterCodes) -> str:
    """Draw a line so that its characters fill the box in height and length, even if the box is rotated."""
    text = visual_order("".join(map(_printable, text)).strip())
    top_left, _, bottom_right, bottom_left = map(sheet.place, box)
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


_RIGHT_TO_LEFT = frozenset({"R", "AL"})
_LEFT_TO_RIGHT = frozenset({"L", "EN", "AN"})


def visual_order(text: str) -> str:
    """Return a text as it looks, one level deep. PDF readers reverse right-to-left text back."""
    directions = [unicodedata.bidirectional(char) for char in text]
    strong = [direction for direction in directions if direction == "L" or direction in _RIGHT_TO_LEFT]
    if not _RIGHT_TO_LEFT.intersection(strong):
        return text
    from_the_right = strong[0] in _RIGHT_TO_LEFT
    parts = _parts(text, directions, from_the_right=from_the_right)
    return "".join(reversed(parts) if from_the_right else parts)


def _parts(text: str, directions: list[str], *, from_the_right: bool) -> list[str]:
    """Split a line and reverse its right-to-left parts. Characters between words run in the line's direction."""
    turned = [
        direction in _RIGHT_TO_LEFT or (from_the_right and direction not in _LEFT_TO_RIGHT) for direction in directions
    ]
    runs = groupby(zip(text, turned, strict=True), key=lambda pair: pair[1])
    return [_turned(pair[0] for pair in run) if back else "".join(pair[0] for pair in run) for back, run in runs]


def _turned(chars: Iterable[str]) -> str:
    letters: list[str] = []
    for char in chars:
        # A combining mark stays after the letter that carries it.
        if letters and unicodedata.combining(char):
            letters[-1] += char
        else:
            letters.append(char)
    return "".join(reversed(letters))


REMARK_FONT = "H"
_SIZE, _LEADING, _MARGIN = 11, 16, 56
_CHARACTERS = 84
"""The number of characters that fit on a text line of an A4 page in Helvetica at this size."""
_MAX_LINES = 40


def visible_remark(remark: str, height_points: float) -> bytes:
    """Return the drawing instructions for a message. Letters that Helvetica lacks become question marks."""
    lines = textwrap.wrap(remark, _CHARACTERS)[:_MAX_LINES]
    shown = " ".join(f"<{line.encode('cp1252', 'replace').hex()}> Tj T*" for line in lines)
    start = f"{_MARGIN} {height_points - _MARGIN:.2f} Td"
    return f"BT /{REMARK_FONT} {_SIZE} Tf {_LEADING} TL {start} {shown} ET\n".encode("ascii")
