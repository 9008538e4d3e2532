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
    return [line for run in _runs(glyphs) if (line := _line_of(run)) is not None]


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
