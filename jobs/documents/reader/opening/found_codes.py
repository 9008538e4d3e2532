"""Describes codes that were found, and compares their places."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from .cells import Part
from .code_parts import MARGIN_PX

Corner = tuple[float, float]

_THIN = 0.2
"""The shorter side of a code, as a share of the longer, below which it is one piece of the bars."""


@dataclass(frozen=True, slots=True)
class FoundCode:
    symbology: str
    text: str
    base64: str
    """The content if it is not text. `text` is empty then."""
    corners: tuple[Corner, ...]
    """The corners in pixels of the picture, clockwise from the top left of the code as it was made."""


def without_pieces(codes: Sequence[FoundCode]) -> list[FoundCode]:
    """Return the codes of a part, those that were read in several pieces as one, and at each place the first."""
    pieces: dict[tuple[str, str, str], list[FoundCode]] = {}
    for code in codes:
        pieces.setdefault((code.symbology, code.text, code.base64), []).append(code)
    whole: list[FoundCode] = []
    for found in pieces.values():
        joined = [_around_all(found)] if len(found) > 1 and all(map(is_thin, found)) else found
        whole += [code for code in joined if not any(is_same(code, other) for other in whole)]
    return whole


def without_partial_readings(codes: Sequence[FoundCode]) -> list[FoundCode]:
    """Return codes without readings of one ITF code in part.

    Any even number of its digits is a code too: a line that leaves the bars too early reads the first or last of them.
    """
    return [code for code in codes if not any(_is_part_of(code, whole) for whole in codes)]


def _is_part_of(code: FoundCode, whole: FoundCode) -> bool:
    """Return whether the digits are some of a longer code's, and less than that code's length away from it."""
    if code.symbology != "itf" or whole.symbology != "itf":
        return False
    if len(code.text) >= len(whole.text) or code.text not in whole.text:
        return False
    left, top, right, bottom = _sides(whole)
    reach = max(right - left, bottom - top) / 2
    return is_in(code, (round(left - reach), round(top - reach), round(right + reach), round(bottom + reach)))


def is_thin(code: FoundCode) -> bool:
    left, top, right, bottom = _sides(code)
    return min(right - left, bottom - top) < _THIN * max(right - left, bottom - top)


def over_bars(code: FoundCode, part: Part) -> FoundCode:
    """Return a code of which few rows could be read with a box around all the bars in a part."""
    left, top, right, bottom = _sides(code)
    if right - left > bottom - top:
        top, bottom = part[1] + MARGIN_PX, part[3] - MARGIN_PX
    else:
        left, right = part[0] + MARGIN_PX, part[2] - MARGIN_PX
    return _with_sides(code, left, top, right, bottom)


def _around_all(codes: Sequence[FoundCode]) -> FoundCode:
    lefts, tops, rights, bottoms = zip(*map(_sides, codes), strict=True)
    return _with_sides(codes[0], min(lefts), min(tops), max(rights), max(bottoms))


def _with_sides(code: FoundCode, left: float, top: float, right: float, bottom: float) -> FoundCode:
    return replace(code, corners=((left, top), (right, top), (right, bottom), (left, bottom)))


def is_same(one: FoundCode, other: FoundCode) -> bool:
    """Return whether two codes are at the same place. Of bars, a few rows of pixels may have been read."""
    left, top, right, bottom = _sides(one)
    other_left, other_top, other_right, other_bottom = _sides(other)
    across = min(right, other_right) - max(left, other_left)
    down = min(bottom, other_bottom) - max(top, other_top)
    return across >= 0.5 * min(right - left, other_right - other_left) and down >= 0.5 * min(
        bottom - top, other_bottom - other_top
    )


def is_in(code: FoundCode, part: Part) -> bool:
    left, top, right, bottom = _sides(code)
    return part[0] <= (left + right) / 2 <= part[2] and part[1] <= (top + bottom) / 2 <= part[3]


def _sides(code: FoundCode) -> tuple[float, float, float, float]:
    across, down = zip(*code.corners, strict=True)
    return min(across), min(down), max(across), max(down)


def moved(code: FoundCode, across: float, down: float, start: tuple[int, int] = (0, 0)) -> FoundCode:
    return replace(code, corners=tuple(((x + start[0]) * across, (y + start[1]) * down) for x, y in code.corners))
