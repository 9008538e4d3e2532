"""The typefaces that invoices embed. They come from a package and are written as the files that the PDF library
needs.
"""

from collections.abc import Iterable
from functools import cache
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pymupdf_fonts
from fontTools.ttLib import TTFont

_NOT_FOR_PAPER = "TTFA"
"""The table that says how a font was hinted. A program that subsets a font has to drop it and logs that each time."""


class Face(NamedTuple):
    name: str
    regular: Path
    bold: Path
    characters: frozenset[int]


@cache
def faces() -> tuple[Face, Face]:
    """Return the main typeface, with digits of one width, and a second one for scripts that the first lacks."""
    return _face("NotoSans", "notos", "notosbo"), _face("FiraGO", "figo", "figbo")


@cache
def _folder() -> "TemporaryDirectory[str]":
    """Return a temporary folder that exists as long as the process."""
    return TemporaryDirectory(prefix="maas-fonts-")


def _face(name: str, regular: str, bold: str) -> Face:
    paths = [Path(_folder().name) / f"{font}.ttf" for font in (regular, bold)]
    for path in paths:
        with TTFont(BytesIO(pymupdf_fonts.myfont(path.stem)), recalcTimestamp=False) as opened:
            if _NOT_FOR_PAPER in opened:
                del opened[_NOT_FOR_PAPER]
            opened.save(path)
            characters = frozenset(opened.getBestCmap())
    return Face(name, paths[0], paths[1], characters)


def has(character: str) -> bool:
    return any(ord(character) in face.characters for face in faces())


def needs_second(texts: Iterable[str]) -> bool:
    """Return whether the texts need the second typeface. Opening a font takes longer than writing a page, so it is
    opened only for characters that the first lacks.
    """
    first, second = faces()
    return any(
        ord(character) not in first.characters and ord(character) in second.characters
        for text in texts
        for character in text
    )
