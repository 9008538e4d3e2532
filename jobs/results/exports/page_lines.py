"""Reads the lines of a page from its result. This module is pure.

An added model may return anything under these names, so nothing is taken for granted.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from inference.core.contracts import Quad
from jobs.results.pictures.turns import corners_of


@dataclass(frozen=True, slots=True)
class Line:
    text: str
    """The text without line breaks."""
    box: Quad | None = None


def lines_of(result: Mapping[str, object]) -> list[Line]:
    """Return the lines with their numbers in the result: one that cannot be read has no text."""
    given = result.get("lines")
    return [_line(line) for line in given] if isinstance(given, list | tuple) else []


def text_of(result: Mapping[str, object]) -> str:
    text = result.get("text")
    return text if isinstance(text, str) else ""


def _line(given: object) -> Line:
    if not isinstance(given, Mapping):
        return Line("")
    text = given.get("text")
    return Line(one_line(text) if isinstance(text, str) else "", corners_of(given.get("box")))


def one_line(text: str) -> str:
    return " ".join(text.split())
