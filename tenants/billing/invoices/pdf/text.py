"""Prepares text for a PDF page: without unprintable characters, in lines that fit, in visual order."""

import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pymupdf_fonts
from fontTools.ttLib import TTFont
from fpdf.bidi import BidiParagraph

_NOT_FOR_PAPER = "TTFA"
"""The table that says how a font was hinted. A program that subsets a font has to drop it and logs that each time."""
Width = Callable[[str], float]
Known = Callable[[str], bool]
MISSING = "\N{REPLACEMENT CHARACTER}"
_RIGHT_TO_LEFT = {"R", "AL", "AN"}
_MIRRORED = str.maketrans("()<>[]{}«»‹›", ")(><][}{»«›‹")


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
    """Return whether the second typeface is needed. Opening a font takes longer than writing a page."""
    first, second = faces()
    return any(
        ord(character) not in first.characters and ord(character) in second.characters
        for text in texts
        for character in text
    )


def shown(text: str, has: Known = bool) -> str:
    """Return the text as one line, without control characters, and with a sign for what no font has."""
    composed = unicodedata.normalize("NFC", text)
    spaced = "".join(" " if character.isspace() else character for character in composed)
    kept = (character for character in spaced if unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Cn"))
    characters = (character if character == " " or has(character) else MISSING for character in kept)
    return " ".join("".join(characters).split())


def in_lines(text: str, width: Width, most: float) -> list[str]:
    """Break the text between words. A word that is longer than a line is broken where necessary."""
    lines = [""]
    for word in _parts(text, width, most):
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if width(joined) <= most:
            lines[-1] = joined
        else:
            lines.append(word)
    return lines


def _parts(text: str, width: Width, most: float) -> Iterator[str]:
    for word in text.split():
        if width(word) <= most:
            yield word
            continue
        part = ""
        for character in word:
            if part and width(part + character) > most:
                yield part
                part = ""
            part += character
        yield part


def as_seen(line: str) -> str:
    """Return the line in visual order from left to right, because the page has no other direction."""
    if not any(unicodedata.bidirectional(character) in _RIGHT_TO_LEFT for character in line):
        return line
    seen = BidiParagraph(text=line).reorder_resolved_levels()
    return "".join(
        character.character.translate(_MIRRORED) if character.embedding_level % 2 else character.character
        for character in seen
    )
