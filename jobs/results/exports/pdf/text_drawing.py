"""Drawing instructions for text: invisible lines over a picture, or a message on a page. This module is pure."""

import math
import textwrap
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest

from inference.core.contracts import Quad
from jobs.results.exports.page_lines import Line
from jobs.results.exports.pdf.character_codes import UNITS_PER_EM, CharacterCodes, advance

FONT = "F"
_BASELINE = 0.2
"""The share of a line's height, from its bottom, that is below the baseline of its letters."""
_MIN_POINTS = 0.01
_MIN_GAP = 0.2
"""The width of the white between words, as a share of the line's height. Viewers take narrower white for none."""
_MAX_GAPS = 0.5
"""The share of a line's length that all its white takes at most, where that white is widened."""
_MIN_KERNING = 0.001


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
    placed = [_Placed(line.text, line.box) for line in lines if line.box]
    drawn = [
        _line(line, line.close_end(following) if following else None, sheet, codes)
        for line, following in zip_longest(placed, placed[1:])
    ]
    return "\n".join(("BT 3 Tr", *filter(None, drawn), "ET\n")).encode("ascii")


@dataclass(frozen=True)
class _Placed:
    text: str
    box: Quad

    @property
    def reach(self) -> float:
        """Return the white that a viewer takes for a gap between two letters: a letter's height or width."""
        top_left, _, bottom_right, bottom_left = self.box
        return max(math.dist(top_left, bottom_left), math.dist(bottom_left, bottom_right) / max(1, len(self.text)))

    def close_end(self, following: "_Placed") -> str | None:
        """Return the end, `left` or `right`, that is so near to the next line that a viewer may join the two."""
        reach = max(self.reach, following.reach)
        (_, _, right, left), (_, _, next_right, next_left) = self.box, following.box
        if math.dist(right, next_left) < reach:
            return "right"
        return "left" if math.dist(left, next_right) < reach else None


def _line(line: _Placed, close_end: str | None, sheet: Sheet, codes: CharacterCodes) -> str:
    """Draw a line so that its characters fill the box in height and length, even if the box is rotated.

    A narrow space at its close end keeps its words apart from those of the next line.
    """
    words = visual_order("".join(map(_printable, line.text))).split()
    top_left, _, bottom_right, bottom_left = map(sheet.place, line.box)
    width, size = math.dist(bottom_left, bottom_right), math.dist(bottom_left, top_left)
    if not words or min(width, size) < _MIN_POINTS:
        return ""
    along_x, along_y = ((b - a) / width for a, b in zip(bottom_left, bottom_right, strict=True))
    x, y = (a + _BASELINE * (b - a) for a, b in zip(bottom_left, top_left, strict=True))
    position = " ".join(map(_number, (along_x, along_y, -along_y, along_x, x, y)))
    spacing = _spacing(words, width / size)
    space = f"{codes.code(' '):04X}"
    between = f"{space}> {_number(spacing.kerning)} <" if spacing.kerning else space
    shown = between.join("".join(f"{codes.code(char):04X}" for char in word) for word in words)
    narrow = f"1 Tz <{space}> Tj "
    start, end = narrow * (close_end == "left"), narrow * (close_end == "right")
    stretch = f"{_number(spacing.stretch)} Tz"
    return f"/{FONT} {_number(size)} Tf {position} Tm {start}{stretch} [<{shown}>] TJ {end}".rstrip()


@dataclass(frozen=True)
class _Spacing:
    stretch: float
    """The width of characters in percent of the font's."""
    kerning: float
    """The distance added after a space, negative as in a PDF: in thousandths of the font's size, before the stretch."""


def _spacing(words: Sequence[str], width_em: float) -> _Spacing:
    """Fill a width with words. The white between two is never so narrow that a viewer takes them for one."""
    natural = sum(advance(char) for word in words for char in word) / UNITS_PER_EM
    space, gaps = advance(" ") / UNITS_PER_EM, len(words) - 1
    gap = space * width_em / (natural + gaps * space)
    if gaps:
        gap = max(gap, min(_MIN_GAP, _MAX_GAPS * width_em / gaps))
    stretch = (width_em - gaps * gap) / natural
    extra = gap / stretch - space
    return _Spacing(100 * stretch, -UNITS_PER_EM * extra if extra > _MIN_KERNING else 0.0)


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
