"""Counts the pages of a document of one of these formats, and reads one, with those after it if that is cheap."""

import os
from collections.abc import Callable, Mapping
from typing import BinaryIO

from ..limits import DocumentLimits, empty, no_such_page, too_large
from . import docx, eml, html, pptx, xlsx
from .items import FoundPage, Json
from .package import Package

_COUNTS: Mapping[str, Callable[[Package, DocumentLimits], int]] = {
    "docx": docx.count_pages,
    "xlsx": xlsx.count_pages,
    "pptx": pptx.count_pages,
}
_READS: Mapping[str, Callable[[Package, int, DocumentLimits], list[FoundPage]]] = {
    "docx": docx.read_pages,
    "xlsx": xlsx.read_pages,
    "pptx": pptx.read_pages,
}
_MAX_BYTES_PER_CHAR = 4


def count_pages(document: BinaryIO, kind: str, limits: DocumentLimits) -> int:
    if kind in _COUNTS:
        return _COUNTS[kind](Package(document, limits), limits)
    # All of it is read now: a page that cannot be read is refused at once.
    if not _items_of_file(document, kind, limits):
        raise empty("The file has no text.")
    return 1


def read_pages(document: BinaryIO, kind: str, page: int, limits: DocumentLimits) -> list[FoundPage]:
    """Return the page, and those after it that were read with it."""
    if kind in _READS:
        return _READS[kind](Package(document, limits), page, limits)
    if page > 1:
        raise no_such_page(page, 1)
    return [FoundPage(_items_of_file(document, kind, limits))]


def read_part(document: BinaryIO, part: str, limits: DocumentLimits) -> bytes:
    """Return the bytes of an embedded file."""
    return Package(document, limits).open(part).read()


def _items_of_file(document: BinaryIO, kind: str, limits: DocumentLimits) -> list[Json]:
    size = os.fstat(document.fileno()).st_size
    if kind == "html" and size > limits.max_text_chars * _MAX_BYTES_PER_CHAR:
        most = limits.max_text_chars * _MAX_BYTES_PER_CHAR
        raise too_large(f"The page has {size} bytes and at most {most} are allowed.")
    document.seek(0)
    data = document.read()
    return html.read_items(data, limits) if kind == "html" else eml.read_items(data, limits)
