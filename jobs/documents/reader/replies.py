"""Checks each value in a child's reply, because the document may have taken the child over."""

import itertools
import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from inference.core.contracts import (
    ITEM_TYPES,
    NO_FINDINGS,
    Box,
    Code,
    Findings,
    FormValue,
    ItemCell,
    PageItem,
    Point,
    Quad,
    TextLine,
    TickBox,
)
from inference.sandbox import ChildMisbehaved

from .contents import REJECTION_CODES, SKIPPED_PARTS, Attachment, DocumentRejected, Inspection, Kind, PageSize
from .opening.detection import EML, HTML, OFFICE
from .opening.drawn_rules import MAX_SEGMENTS
from .opening.formats.docx_pages import MAX_PAGES_AHEAD
from .opening.limits import DocumentLimits

Json = Any

BYTES_PER_PIXEL = 3
_CONTENT_TYPES = {
    "application/pdf": "pdf",
    "image/png": "image",
    "image/jpeg": "image",
    "image/tiff": "image",
    "image/webp": "image",
    "image/avif": "image",
    "image/heic": "image",
    "text/plain": "text",
    **{file_type.content_type: file_type.kind for file_type in (*OFFICE, HTML, EML)},
}
PICTURE_SIGNATURES = {"image/png": b"\x89PNG\r\n\x1a\n", "image/jpeg": b"\xff\xd8\xff"}
_LONGEST_DETAIL = 500
_LONGEST_NAME = 400
MAX_PARTS = 1000
"""The most parts of an email. A child refuses those with more."""
_MOST_SCANS = 500
_MOST_LEVELS = 3
_MOST_UNREAD_PICTURES = 1_000_000
_MOST_CODES, _MOST_TICK_BOXES, _MOST_FORM_VALUES = 100, 1500, 500
_LONGEST_CODE, _LONGEST_FORM_TEXT = 12_000, 5_000
SYMBOLOGIES = frozenset(
    {
        "qr",
        "micro_qr",
        "data_matrix",
        "aztec",
        "pdf417",
        "code128",
        "code39",
        "code93",
        "ean13",
        "ean8",
        "upca",
        "upce",
        "itf",
        "codabar",
    }
)
_BASE64 = re.compile(r"[A-Za-z0-9+/]*={0,2}")


class InvalidReply(ChildMisbehaved):
    """The child gave a reply that no sound child gives."""


@dataclass(frozen=True, slots=True)
class PictureReply:
    width: int
    height: int

    @property
    def pixel_bytes(self) -> int:
        return self.width * self.height * BYTES_PER_PIXEL


@dataclass(frozen=True, slots=True)
class PageReply(PictureReply):
    lines: tuple[TextLine, ...] | None
    picture_bytes: int
    picture_type: str | None
    scans: tuple[Box, ...] = ()
    rules: tuple[Box, ...] = ()
    items: tuple[PageItem, ...] | None = None
    findings: Findings = NO_FINDINGS
    unread_pictures: int = 0
    ahead: tuple["PageReply", ...] = ()
    """The pages after this one that were read with it."""


def parse_inspection(reply: Json, limits: DocumentLimits) -> Inspection:
    fields = _accepted(reply)
    content_type = _one_of(fields.get("content_type"), _CONTENT_TYPES)
    if fields.get("kind") != _CONTENT_TYPES[content_type]:
        raise InvalidReply("kind")
    sizes = _list(fields.get("page_sizes"), "page sizes", limits.max_pages)
    if not sizes:
        raise InvalidReply("no pages")
    return Inspection(
        content_type=content_type,
        kind=cast("Kind", fields["kind"]),
        page_sizes=tuple(_page_size(size) for size in sizes),
        attachments_total=_integer(fields.get("attachments"), 0, MAX_PARTS) if fields["kind"] == "eml" else None,
    )


def parse_attachments(reply: Json, arena_bytes: int) -> tuple[Attachment, ...]:
    fields = _accepted(reply)
    found = tuple(
        _attachment(entry, arena_bytes) for entry in _list(fields.get("attachments"), "attachments", MAX_PARTS)
    )
    if sum(attachment.size_bytes for attachment in found) > arena_bytes:
        raise InvalidReply("attachments that share their bytes")
    return found


def _attachment(value: Json, arena_bytes: int) -> Attachment:
    fields = _object(value, "attachment")
    size = _integer(fields.get("size_bytes"), 0, arena_bytes)
    offset = _integer(fields.get("offset"), 0, arena_bytes - size)
    name, skipped = _text(fields.get("name"), _LONGEST_NAME), _one_of(fields.get("skipped"), SKIPPED_PARTS)
    rejected = None
    if "rejected" in fields:
        code = _one_of(fields["rejected"], REJECTION_CODES)
        rejected = DocumentRejected(code, _text(fields.get("detail"), _LONGEST_DETAIL))
    return Attachment(name, size, offset, skipped, rejected)


def parse_page(reply: Json, limits: DocumentLimits, arena_bytes: int) -> PageReply:
    fields = _accepted(reply)
    if fields.get("items") is not None:
        ahead = (_object(page, "page") for page in _list(fields.get("ahead", []), "ahead", MAX_PAGES_AHEAD))
        return replace(_page_of_items(fields, limits), ahead=tuple(_page_of_items(page, limits) for page in ahead))
    if fields.get("picture_type") is None:
        width, height = _dimensions(fields, limits) if fields.get("width") else (0, 0)
        own = _lines(fields.get("lines"), width, height, limits)
        findings = _findings(fields.get("findings", {}), width, height)
        return PageReply(width, height, own, 0, None, rules=_rules(fields, width, height), findings=findings)
    width, height = _dimensions(fields, limits)
    picture_type = _one_of(fields["picture_type"], PICTURE_SIGNATURES)
    room = arena_bytes - width * height * BYTES_PER_PIXEL
    lines = None if fields.get("lines") is None else _lines(fields["lines"], width, height, limits)
    picture_bytes = _integer(fields.get("picture_bytes"), 1, room)
    scans = tuple(_box(value, width, height) for value in _list(fields.get("scans", []), "scans", _MOST_SCANS))
    return PageReply(
        width,
        height,
        lines,
        picture_bytes,
        picture_type,
        scans,
        _rules(fields, width, height),
        findings=_findings(fields.get("findings", {}), width, height),
    )


def _page_of_items(fields: dict[str, Json], limits: DocumentLimits) -> PageReply:
    unread = _integer(fields.get("unread_pictures", 0), 0, _MOST_UNREAD_PICTURES)
    return PageReply(0, 0, None, 0, None, items=_items(fields.get("items"), limits), unread_pictures=unread)


def _rules(fields: dict[str, Json], width: int, height: int) -> tuple[Box, ...]:
    return tuple(_box(value, width, height) for value in _list(fields.get("rules", []), "rules", MAX_SEGMENTS))


def parse_copy(reply: Json, arena_bytes: int) -> int:
    """Return the number of bytes of a decrypted copy."""
    return _integer(_accepted(reply).get("bytes"), 0, arena_bytes)


def parse_picture(reply: Json, limits: DocumentLimits) -> PictureReply:
    return PictureReply(*_dimensions(_accepted(reply), limits))


def _accepted(reply: Json) -> dict[str, Json]:
    """Return the reply's fields. Raises DocumentRejected if the child refused the document."""
    if not isinstance(reply, dict):
        raise InvalidReply("not an object")
    if "rejected" not in reply:
        return reply
    code = _one_of(reply["rejected"], REJECTION_CODES)
    raise DocumentRejected(code, _text(reply.get("detail"), _LONGEST_DETAIL))


def _dimensions(fields: dict[str, Json], limits: DocumentLimits) -> tuple[int, int]:
    width = _integer(fields.get("width"), 1, limits.max_page_pixels)
    height = _integer(fields.get("height"), 1, limits.max_page_pixels)
    if width * height > limits.max_page_pixels:
        raise InvalidReply("too many pixels")
    return width, height


def _lines(value: Json, width: int, height: int, limits: DocumentLimits) -> tuple[TextLine, ...]:
    lines = tuple(_line(entry, width, height, limits) for entry in _list(value, "lines", limits.max_text_lines))
    if sum(len(line.text) for line in lines) > limits.max_text_chars:
        raise InvalidReply("too much text")
    return lines


def _line(value: Json, width: int, height: int, limits: DocumentLimits) -> TextLine:
    if not isinstance(value, dict):
        raise InvalidReply("line")
    text = _text(value.get("text"), limits.max_text_chars)
    box = None if value.get("box") is None else _quad(value["box"], width, height)
    words = tuple(_share(pair) for pair in _list(value.get("words", []), "words", len(text)))
    return TextLine(text, box, 1.0, words)


def _share(value: Json) -> tuple[float, float]:
    start, end = _pair(value)
    if not 0 <= start <= end <= 1:
        raise InvalidReply("a word outside of its line")
    return start, end


def _items(value: Json, limits: DocumentLimits) -> tuple[PageItem, ...]:
    items = tuple(_item(entry, limits) for entry in _list(value, "items", limits.max_items))
    chars = sum(len(item.text) + sum(len(cell.text) for cell in item.cells) for item in items)
    if chars > limits.max_text_chars:
        raise InvalidReply("too much text")
    if sum(len(item.cells) for item in items) > limits.max_table_cells:
        raise InvalidReply("too many cells")
    if sum(item.rows * item.columns for item in items) > limits.max_table_places:
        raise InvalidReply("too many places in tables")
    return items


def _item(value: Json, limits: DocumentLimits) -> PageItem:
    if not isinstance(value, dict):
        raise InvalidReply("item")
    type_ = _one_of(value.get("type"), ITEM_TYPES)
    if type_ == "table":
        return _table(value, limits)
    level = _integer(value.get("level"), 1, _MOST_LEVELS) if type_ == "heading" else None
    return PageItem(type_, _text(value.get("text"), limits.max_text_chars), level)


def _table(value: dict[str, Json], limits: DocumentLimits) -> PageItem:
    rows = _integer(value.get("rows"), 1, limits.max_table_places)
    columns = _integer(value.get("columns"), 1, limits.max_table_places)
    header_rows = _integer(value.get("header_rows"), 0, rows)
    entries = _list(value.get("cells"), "cells", limits.max_table_cells)
    cells = tuple(_cell(entry, rows, columns, limits) for entry in entries)
    places = [(cell.row, cell.column) for cell in cells]
    if any(one >= other for one, other in itertools.pairwise(places)):
        raise InvalidReply("cells out of order")
    if sum(cell.row_span * cell.column_span for cell in cells) > rows * columns:
        raise InvalidReply("cells that overlap")
    return PageItem("table", "", None, rows, columns, header_rows, cells)


def _cell(value: Json, rows: int, columns: int, limits: DocumentLimits) -> ItemCell:
    parts = _list(value, "cell", 6)
    if len(parts) != 6:
        raise InvalidReply("cell")
    row, column = _integer(parts[0], 0, rows - 1), _integer(parts[1], 0, columns - 1)
    row_span, column_span = _integer(parts[2], 1, rows - row), _integer(parts[3], 1, columns - column)
    header = bool(_integer(parts[4], 0, 1))
    return ItemCell(row, column, _text(parts[5], limits.max_text_chars), row_span, column_span, header)


def _findings(value: Json, width: int, height: int) -> Findings:
    fields = _object(value, "findings")
    return Findings(
        tuple(_code(code, width, height) for code in _list(fields.get("codes", []), "codes", _MOST_CODES)),
        tuple(
            _tick_box(box, width, height) for box in _list(fields.get("tick_boxes", []), "tick boxes", _MOST_TICK_BOXES)
        ),
        tuple(
            _form_value(field, width, height)
            for field in _list(fields.get("form_values", []), "form values", _MOST_FORM_VALUES)
        ),
    )


def _code(value: Json, width: int, height: int) -> Code:
    fields = _object(value, "code")
    encoded = _text(fields.get("base64"), _LONGEST_CODE)
    text = _text(fields.get("text"), _LONGEST_CODE)
    if bool(text) == bool(encoded) or not _BASE64.fullmatch(encoded):
        raise InvalidReply("code")
    symbology = _one_of(fields.get("symbology"), SYMBOLOGIES)
    return Code(symbology, text, _quad(fields.get("box"), width, height), encoded)


def _tick_box(value: Json, width: int, height: int) -> TickBox:
    fields = _object(value, "tick box")
    checked = fields.get("checked")
    if not isinstance(checked, bool):
        raise InvalidReply("tick box")
    label, name = (_text(fields.get(field), _LONGEST_FORM_TEXT) for field in ("label", "name"))
    return TickBox(checked, _quad(fields.get("box"), width, height), label, name)


def _form_value(value: Json, width: int, height: int) -> FormValue:
    fields = _object(value, "form value")
    key, content = (_text(fields.get(field), _LONGEST_FORM_TEXT) for field in ("key", "value"))
    return FormValue(key, content, _quad(fields.get("box"), width, height))


def _object(value: Json, what: str) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise InvalidReply(what)
    return value


def _quad(value: Json, width: int, height: int) -> Quad:
    corners = _list(value, "box", 4)
    if len(corners) != 4:
        raise InvalidReply("box")
    return cast("Quad", tuple(_point(corner, width, height) for corner in corners))


def _point(value: Json, width: int, height: int) -> Point:
    x, y = _pair(value)
    if not (0 <= x <= width and 0 <= y <= height):
        raise InvalidReply("a box outside of its page")
    return x, y


def _box(value: Json, width: int, height: int) -> Box:
    sides = _list(value, "scan", 4)
    if len(sides) != 4:
        raise InvalidReply("scan")
    (left, top), (right, bottom) = _point(sides[:2], width, height), _point(sides[2:], width, height)
    if left > right or top > bottom:
        raise InvalidReply("scan")
    return left, top, right, bottom


def _page_size(value: Json) -> PageSize:
    width, height = _pair(value)
    if width < 0 or height < 0:
        raise InvalidReply("page size")
    return PageSize(width, height)


def _pair(value: Json) -> Point:
    numbers = _list(value, "pair", 2)
    if len(numbers) != 2 or not all(type(number) in {int, float} for number in numbers):
        raise InvalidReply("pair")
    try:
        first, second = (float(number) for number in numbers)
    except OverflowError as error:
        raise InvalidReply("pair") from error
    if not (math.isfinite(first) and math.isfinite(second)):
        raise InvalidReply("pair")
    return first, second


def _list(value: Json, what: str, longest: int) -> Sequence[Json]:
    if not isinstance(value, list) or len(value) > longest:
        raise InvalidReply(what)
    return value


def _integer(value: Json, least: int, most: int) -> int:
    if type(value) is not int or not least <= value <= most:
        raise InvalidReply("a number out of range")
    return value


def _one_of(value: Json, allowed: Collection[str]) -> str:
    if not isinstance(value, str) or value not in allowed:
        raise InvalidReply("a word that is not known")
    return value


def _text(value: Json, longest: int) -> str:
    """Return text that a database and a JSON response can carry."""
    if not isinstance(value, str) or len(value) > longest or "\x00" in value:
        raise InvalidReply("text")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InvalidReply("text") from error
    return value
