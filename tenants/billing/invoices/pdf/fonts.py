"""The typefaces that invoices embed, out of a package, as the files that the PDF library wants."""

from collections.abc import Iterable
from functools import cache
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pymupdf_fonts
from fontTools.ttLib import TTFont

_NOT_FOR_PAPER = "TTFA"
"""How it was hinted: whoever takes a part of a font has to drop it, and says so in the log each time."""


class Face(NamedTuple):
    name: str
    regular: Path
    bold: Path
    characters: frozenset[int]


@cache
def faces() -> tuple[Face, Face]:
    """The one that is used, with digits of one width; and one for scripts that it lacks."""
    return _face("NotoSans", "notos", "notosbo"), _face("FiraGO", "figo", "figbo")


@cache
def _folder() -> "TemporaryDirectory[str]":
    """For as long as the process lives."""
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
    """To open a font takes longer than to write a page: the second is opened for what the first lacks alone."""
    first, second = faces()
    return any(
        ord(character) not in first.characters and ord(character) in second.characters
        for text in texts
        for character in text
    )
