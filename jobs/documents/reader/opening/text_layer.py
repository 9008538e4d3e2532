"""Decides whether a PDF page carries real text, and gathers its characters into lines."""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

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
_OTHER_ROW = 0.6
"""The step up or down to another row, as a share of the height. Raised and lowered characters stay in their line."""


@dataclass(frozen=True, slots=True)
class Glyph:
    """A character, or a line of characters, with its box in page coordinates, which grow to the right and upwards."""

    text: str
    left: float
    bottom: float
    right: float
    top: float


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
    run: list[Glyph] = []
    for glyph in glyphs:
        if glyph.text not in _LINE_ENDS:
            run.append(glyph)
        elif run:
            yield run
            run = []
    if run:
        yield run


def _pieces(run: Sequence[Glyph]) -> Iterator[Sequence[Glyph]]:
    """Split what PDFium takes for one line where columns or cells meet: at wide white, or at a step up or down.

    A line that runs up or down the page stays whole.
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
    first, last = inked[0], inked[-1]
    return abs(last.bottom - first.bottom) > abs(last.left - first.left) + abs(first.top - first.bottom)


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
    return Glyph(
        text,
        left=min(glyph.left for glyph in inked),
        bottom=min(glyph.bottom for glyph in inked),
        right=max(glyph.right for glyph in inked),
        top=max(glyph.top for glyph in inked),
    )


def _clean(char: str) -> str:
    if char in _HYPHENS:
        return "-"
    return "" if unicodedata.category(char) in {"Cc", "Cs"} and char != "\t" else char
