"""Decides whether a PDF page carries real text and which way it runs, and gathers its characters into lines."""

import math
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

_FEWEST_CHARS = 10
"""The fewest characters of real text. Fewer are taken for a stamp on a picture, such as a page number."""
_FEWEST_CHARS_OVER_SCAN = 200
"""The fewest characters of a page that is mostly picture, so that a scan with a header line is recognized."""
_SCAN_COVERAGE = 0.5
_MAX_GARBAGE = 0.1
_GARBAGE_CATEGORIES = frozenset({"Co", "Cn", "Cs", "Cc"})
_REPLACEMENT = "\ufffd"
_HYPHENS = frozenset("\x02\ufffe")
"""The characters that PDFium returns for a hyphen at the end of a line."""
_LINE_ENDS = frozenset("\r\n")
_WIDE_WHITE = 1.2
"""The white between two characters, as a multiple of their height, that is no space between words."""
_SAME_ROW, _OVERLAP, _WORD_SPACE, _NO_SPACE = 0.7, 0.2, 0.6, 0.12
"""The shares of the height that tell whether a character goes on behind the last one, and whether with a space."""
_OTHER_ROW = 0.6
"""The step up or down to another row, as a share of the height. Raised and lowered characters stay in their line."""


_LEVEL = 2.0
"""The degrees by which characters may differ from the page's direction and still be in its lines."""
_MIN_ANGLE = 0.3
"""The skew in degrees below which a page's text counts as level."""
_SAME_ANGLE = 1.0
"""The degrees around the skew of a page in which most of its characters lie."""


class Glyph(NamedTuple):
    """A character, or a line of characters, with its box in coordinates that grow to the right and upwards.

    The coordinates are those of the page, turned clockwise by the direction so that the text runs to the right. It is
    a tuple, which is made quickly, since a page has thousands.
    """

    text: str
    left: float
    bottom: float
    right: float
    top: float
    direction: float = 0.0
    """The degrees counterclockwise from level in which the text runs. Nearly level text has coordinates of the page."""
    words: tuple[tuple[float, float], ...] = ()
    """Where each word of a line begins and ends, as shares of the width of the line."""


def is_level(direction: float) -> bool:
    return abs(direction) <= _LEVEL


def turned_point(x: float, y: float, degrees: float) -> tuple[float, float]:
    """Return a point turned counterclockwise around the origin. Right angles are exact."""
    if not degrees:
        return x, y
    cosine, sine = _cosine_and_sine(degrees)
    return x * cosine - y * sine, x * sine + y * cosine


def _cosine_and_sine(degrees: float) -> tuple[float, float]:
    if degrees % 90 == 0:
        return ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[int(degrees // 90) % 4]
    return math.cos(math.radians(degrees)), math.sin(math.radians(degrees))


def turned_glyph(around: Glyph, height: float) -> Glyph:
    """Return a character with its box as the text runs, from the box around it on the page and its height."""
    direction = _rounded(around.direction)
    cosine, sine = (abs(value) for value in _cosine_and_sine(direction))
    width, up = around.right - around.left, around.top - around.bottom
    high = min(height, (width if sine > cosine else up) / max(cosine, sine))
    long = (width - high * sine) / cosine if cosine >= sine else (up - high * cosine) / sine
    x, y = turned_point((around.left + around.right) / 2, (around.bottom + around.top) / 2, -direction)
    half = max(long, 0.0) / 2
    return Glyph(around.text, x - half, y - high / 2, x + half, y + high / 2, direction)


def _rounded(direction: float) -> float:
    """Return a direction that is the same for all characters of a line."""
    return round(direction, 1)


def main_direction(glyphs: Iterable[Glyph]) -> float:
    """Return the direction of most characters in degrees counterclockwise, or 0 if they have none in common."""
    counts = Counter(glyph.direction for glyph in glyphs if not glyph.text.isspace())
    half = counts.total() / 2
    quarters: Counter[int] = Counter()
    for direction, count in counts.items():
        quarters[round(direction / 90) % 4] += count
    quarter = max(quarters, key=quarters.__getitem__, default=0)
    if quarters[quarter] <= half:
        return 0.0
    askew = sorted((_between(direction - 90 * quarter), count) for direction, count in counts.items())
    askew = [(angle, count) for angle, count in askew if abs(angle) <= 45]
    angle = _weighted_median(askew)
    alike = sum(count for other, count in askew if abs(other - angle) <= _SAME_ANGLE)
    is_askew = abs(angle) > _MIN_ANGLE and alike > half
    return _between(90.0 * quarter + (round(angle, 2) if is_askew else 0.0))


def _weighted_median(weighted: Sequence[tuple[float, int]]) -> float:
    left = sum(count for _, count in weighted) / 2
    for value, count in weighted:
        left -= count
        if left <= 0:
            return value
    return 0.0


def _between(degrees: float) -> float:
    """Return the same direction from -180 to 180."""
    return (degrees + 180) % 360 - 180


def is_real_text(text: str, picture_coverage: float) -> bool:
    """Return whether a page's text can be used as it is. `picture_coverage` is the share of the page under pictures."""
    marks = [char for char in text if not char.isspace() and char not in _HYPHENS]
    garbage = sum(char == _REPLACEMENT or unicodedata.category(char) in _GARBAGE_CATEGORIES for char in marks)
    real = len(marks) - garbage
    fewest = _FEWEST_CHARS_OVER_SCAN if picture_coverage >= _SCAN_COVERAGE else _FEWEST_CHARS
    return real >= fewest and garbage <= len(marks) * _MAX_GARBAGE


def gather_lines(glyphs: Iterable[Glyph]) -> list[Glyph]:
    pieces = (piece for run in _runs(glyphs) for piece in _pieces(run))
    return [line for piece in pieces if (line := _line_of(piece)) is not None]


def _runs(glyphs: Iterable[Glyph]) -> Iterator[list[Glyph]]:
    """Yield the characters between line ends. Another direction of the characters ends a line too.

    PDFium ends a line behind each character where it takes a page for one that is written downwards. Characters that go
    on where the last one stopped are in its line.
    """
    run: list[Glyph] = []
    last: Glyph | None = None
    is_ended = False
    for glyph in glyphs:
        if glyph.text in _LINE_ENDS:
            is_ended = True
            continue
        if not glyph.text.isspace():
            if last is not None and (is_ended or _direction_of(glyph) != _direction_of(last)):
                if _goes_on(last, glyph):
                    run += _space_between(run[-1], glyph)
                else:
                    yield run
                    run = []
            last, is_ended = glyph, False
        run.append(glyph)
    if run:
        yield run


def _direction_of(glyph: Glyph) -> float:
    return 0.0 if is_level(glyph.direction) else glyph.direction


def _goes_on(last: Glyph, glyph: Glyph) -> bool:
    """Return whether a character stands in the row of the last one, a word's space behind it at most."""
    height = min(last.top - last.bottom, glyph.top - glyph.bottom)
    shared = min(last.top, glyph.top) - max(last.bottom, glyph.bottom)
    return (
        _direction_of(glyph) == _direction_of(last)
        and shared > _SAME_ROW * height
        and -_OVERLAP * height < glyph.left - last.right < _WORD_SPACE * height
    )


def _space_between(last: Glyph, glyph: Glyph) -> list[Glyph]:
    if last.text.isspace() or glyph.left - last.right < _NO_SPACE * (glyph.top - glyph.bottom):
        return []
    return [Glyph(" ", last.right, glyph.bottom, glyph.left, glyph.top, glyph.direction)]


def _pieces(run: Sequence[Glyph]) -> Iterator[Sequence[Glyph]]:
    """Split what PDFium takes for one line where columns or cells meet: at wide white, or at a step up or down.

    A line whose upright characters stand below each other stays whole.
    """
    inked = [glyph for glyph in run if not glyph.text.isspace()]
    if not inked or _is_vertical(inked):
        yield run
        return
    start, last = 0, None
    for position, glyph in enumerate(run):
        if glyph.text.isspace():
            continue
        if last is not None and _is_apart(last, glyph):
            yield run[start:position]
            start = position
        last = glyph
    yield run[start:]


def _is_vertical(inked: Sequence[Glyph]) -> bool:
    """Return whether the characters stand below each other, as Japanese does: in a column no wider than a character."""
    size = max(inked[0].top - inked[0].bottom, inked[0].right - inked[0].left)
    across = max(glyph.left for glyph in inked) - min(glyph.left for glyph in inked)
    return across < size < abs(inked[-1].bottom - inked[0].bottom)


def _is_apart(last: Glyph, glyph: Glyph) -> bool:
    height = max(last.top - last.bottom, glyph.top - glyph.bottom)
    across = max(glyph.left - last.right, last.left - glyph.right)
    along = abs((glyph.top + glyph.bottom) - (last.top + last.bottom)) / 2
    return across > _WIDE_WHITE * height or along > _OTHER_ROW * height


def _line_of(run: Sequence[Glyph]) -> Glyph | None:
    text = "".join(_clean(glyph.text) for glyph in run).strip()
    inked = [glyph for glyph in run if not glyph.text.isspace()]
    if not text or not inked:
        return None
    left, right = min(glyph.left for glyph in inked), max(glyph.right for glyph in inked)
    return Glyph(
        text,
        left,
        min(glyph.bottom for glyph in inked),
        right,
        max(glyph.top for glyph in inked),
        0.0 if is_level(inked[0].direction) else inked[0].direction,
        tuple(_words(run, left, max(right - left, 1e-6))),
    )


def _words(run: Sequence[Glyph], left: float, width: float) -> Iterator[tuple[float, float]]:
    start = end = None
    for glyph in run:
        if glyph.text.isspace():
            if start is not None and end is not None:
                yield (start - left) / width, (end - left) / width
            start = end = None
        elif _clean(glyph.text):
            start = glyph.left if start is None else min(start, glyph.left)
            end = glyph.right if end is None else max(end, glyph.right)
    if start is not None and end is not None:
        yield (start - left) / width, (end - left) / width


def _clean(char: str) -> str:
    if char in _HYPHENS:
        return "-"
    return "" if unicodedata.category(char) in {"Cc", "Cs"} and char != "\t" else char
