"""Puts corrected lines and cells into the result of a page. This module is pure."""

from collections.abc import Mapping, Sequence
from typing import Any

Corrected = Mapping[int, str]
"""Corrected texts by the line's position in the result."""


Cells = Mapping[tuple[int, int], str]
"""Corrected texts of cells by the positions of the table in the result and of the cell in the table."""


def with_corrected_cells(result: Mapping[str, Any], corrected: Cells) -> dict[str, Any]:
    """Return the result with corrected cells, each of which says that it is corrected."""
    given = result.get("tables")
    if not corrected or not isinstance(given, list):
        return dict(result)
    tables = list(given)
    for (table, index), text in corrected.items():
        cells = list(tables[table]["cells"])
        cells[index] = {**cells[index], "text": text, "corrected": True}
        tables[table] = {**tables[table], "cells": cells}
    return {**result, "tables": tables}


def corrected_result(result: Mapping[str, Any], corrected: Corrected) -> dict[str, Any]:
    """Return the result with corrected lines, and with a text that has them."""
    given = result.get("lines")
    if not corrected or not isinstance(given, list):
        return dict(result)
    lines = [_corrected(line, corrected.get(index)) for index, line in enumerate(given)]
    found = {**result, "lines": lines}
    text = result.get("text")
    if isinstance(text, str):
        found["text"] = corrected_text(text, [_text(line) for line in given], corrected)
    return found


def _corrected(line: Any, text: str | None) -> Any:
    return {**line, "text": text} if text is not None and isinstance(line, Mapping) else line


def _text(line: Any) -> str:
    text = line.get("text") if isinstance(line, Mapping) else None
    return text if isinstance(text, str) else ""


def corrected_text(text: str, lines: Sequence[str], corrected: Corrected) -> str:
    """Replace the lines where they are in the text, one after the other. A hyphen at a line's end may be mended there.

    A corrected line that the text does not have, as it was joined in another way, is left out of the text's changes.
    """
    done: list[str] = []
    position = 0
    for index, line in enumerate(lines):
        found = _find(text, line, position)
        if found is None:
            continue
        start, end = found
        wanted = corrected.get(index)
        done += [text[position:start], text[start:end] if wanted is None else _as_joined(wanted, line, end - start)]
        position = end
    return "".join(done) + text[position:]


def _find(text: str, line: str, position: int) -> tuple[int, int] | None:
    for form in (line, line.rstrip("-")):
        start = text.find(form, position) if form else -1
        if start >= 0:
            return start, start + len(form)
    return None


def _as_joined(wanted: str, line: str, length: int) -> str:
    """Return the corrected line without its last hyphen, if the text has the line without it."""
    return wanted.rstrip("-") if length < len(line) else wanted
