"""Reads what a person pointed at on a page: its words, the label that they belong to, and what is learned from it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from inference.core.contracts import Json
from inference.fields.candidate import corners
from inference.layout.boxes import Box
from inference.own_fields.definition import Trace
from inference.own_fields.guessing import type_of
from inference.own_fields.label_of import FoundLabel, label_of
from inference.own_fields.neighbors import neighbors_of
from inference.own_fields.page import Mark, Part, Sheet, ends_with_colon, fingerprint, sheets_of
from inference.own_fields.shapes import shape_of

_LABEL = re.compile(r"([^:：]{2,60})(?:(?<!\d)[:：]|[:：](?!\d))\s*(?=\S)(?!//)")
"""A label before a colon that is not one of an hour or of a web address."""
MIN_COVERED = 0.5
"""The share of a word that must be in the box that was drawn."""


@dataclass(frozen=True, slots=True)
class Pointed:
    text: str
    box: Json
    """The four corners of the words."""
    label: str
    """The label that was found for it, or an empty text."""
    label_box: Json
    type: str
    place: str
    trace: Trace


def point(result: Mapping[str, Json], page_number: int, pages_total: int, box: Sequence[float]) -> Pointed | None:
    """Return what is in a box (left, top, right, bottom) on a page, snapped to words, or None if nothing is there.

    Of a whole line with a label before a colon, the value behind it is taken.
    """
    (sheet,) = sheets_of([result], page_number, None)
    drawn = Box(min(box[0], box[2]), min(box[1], box[3]), max(box[0], box[2]), max(box[1], box[3]))
    parts = without_label(parts_in(sheet, drawn))
    mark = _mark_in(sheet, drawn) if not parts else None
    if mark is not None:
        return _pointed_mark(sheet, mark, page_number, pages_total)
    if not parts:
        return None
    text = _text(parts)
    found = label_of(sheet, parts[0].piece, parts[0].start, Box.around(part.box for part in parts))
    return _pointed(sheet, text, parts, found, (page_number, pages_total))


def parts_in(sheet: Sheet, drawn: Box) -> list[Part]:
    """Return the words in a box, by pieces in reading order. A box within a word means this word."""
    parts = []
    for piece in sheet.text.pieces:
        if piece.box.bottom < drawn.top or piece.box.top > drawn.bottom or not piece.is_placed:
            continue
        spans = [span for span in _words(piece.text) if _is_in(piece.part(*span), drawn)]
        if spans:
            parts.append(_trimmed(Part(piece, spans[0][0], spans[-1][1])))
    return sorted(parts, key=lambda part: (part.piece.box.middle, part.piece.box.left))


def without_label(parts: Sequence[Part]) -> list[Part]:
    """Return the words of a value without its label, if they begin with one before a colon."""
    first, *others = parts if parts else (None,)
    if first is None:
        return []
    if others and first.start == 0 and ends_with_colon(first.piece.text) and _is_label(first.text):
        return others
    match = _LABEL.match(first.text) if first.start == 0 else None
    if match is None or not _is_label(match[1]):
        return list(parts)
    return [_trimmed(Part(first.piece, match.end(), first.end)), *others]


def _is_label(text: str) -> bool:
    """Return whether most of a text before a colon are letters."""
    return 2 * sum(map(str.isalpha, text)) > len(text.replace(" ", ""))


def _trimmed(part: Part) -> Part:
    """Return the words without the signs of the sentence around them."""
    text = part.text
    start = len(text) - len(text.lstrip("(["))
    end = len(text.rstrip(")],;:"))
    if text[:end].endswith(".") and text[end - 2 : end - 1].isdigit():
        end -= 1
    opened = "(" in text[start:end] or "[" in text[start:end]
    kept = Part(part.piece, part.start + start, part.start + end)
    return kept if start < end and not opened else part


def _words(text: str) -> list[tuple[int, int]]:
    spans, start = [], 0
    for word in text.split():
        start = text.index(word, start)
        spans.append((start, start + len(word)))
        start += len(word)
    return spans


def _is_in(word: Box, drawn: Box) -> bool:
    across = min(word.right, drawn.right) - max(word.left, drawn.left)
    down = min(word.bottom, drawn.bottom) - max(word.top, drawn.top)
    if across <= 0 or down <= 0:
        return False
    within = drawn.left >= word.left and drawn.right <= word.right
    return (across >= MIN_COVERED * word.width or within) and down >= 0.4 * min(word.height, drawn.height)


def _text(parts: Sequence[Part]) -> str:
    """Return the words with a line for each printed row."""
    rows: list[list[Part]] = []
    for part in parts:
        if rows and rows[-1][-1].box.shares_height(part.box) >= 0.5:
            rows[-1].append(part)
        else:
            rows.append([part])
    return "\n".join(" ".join(part.text for part in sorted(row, key=lambda one: one.box.left)) for row in rows)


def _pointed(
    sheet: Sheet, text: str, parts: Sequence[Part], found: FoundLabel | None, pages: tuple[int, int]
) -> Pointed:
    box = Box.around(part.box for part in parts)
    last = parts[-1]
    following = last.piece.text[last.end :].split()
    lines = [line for line, _ in groupby(part.piece.line for part in parts)]
    label, place = (found.text, found.place) if found else ("", "position")
    trace = Trace(
        label=label,
        place=place,
        position=_shares(sheet, box),
        page=pages[0],
        from_end=max(0, pages[1] - pages[0]),
        shape=shape_of(text),
        neighbors=neighbors_of(sheet, box, lines),
        after=fingerprint(following[0]) if following else "",
        date_order=sheet.style.order or "",
        decimal=sheet.style.decimal or "",
    )
    return Pointed(text, corners(box), label, corners(found.box) if found else None, type_of(text, label), place, trace)


def _shares(sheet: Sheet, box: Box) -> tuple[float, float, float, float]:
    width, height = sheet.text.width, sheet.text.height
    return box.left / width, box.top / height, box.right / width, box.bottom / height


def _mark_in(sheet: Sheet, drawn: Box) -> Mark | None:
    return next((mark for mark in sheet.marks if drawn.holds(mark.box) or mark.box.holds(drawn)), None)


def _pointed_mark(sheet: Sheet, mark: Mark, page_number: int, pages_total: int) -> Pointed:
    text = "yes" if mark.checked else "no"
    trace = Trace(
        label=mark.label,
        place="right" if mark.label else "position",
        position=_shares(sheet, mark.box),
        page=page_number,
        from_end=max(0, pages_total - page_number),
        shape="",
        neighbors=neighbors_of(sheet, mark.box, ()),
    )
    return Pointed(text, corners(mark.box), mark.label, None, "yes_no", trace.place, trace)
