"""Reads pages of formats that say themselves what is on a page, some of which are nothing but an embedded picture."""

import io
from collections.abc import Iterable
from itertools import takewhile
from typing import Any, BinaryIO

from PIL import Image

from .detection import HEAD_BYTES, detect
from .formats import FoundPage, read_part
from .images import read_frame
from .limits import DocumentLimits, Rejected

Json = Any


def picture_of_page(document: BinaryIO, page: FoundPage, limits: DocumentLimits) -> Image.Image | None:
    """Return the picture that is the whole page. None if there is none, or none that can be decoded."""
    if page.picture is None:
        return None
    try:
        data = io.BytesIO(read_part(document, page.picture.part, limits))
        file_type = detect(data.read(HEAD_BYTES))
        if file_type.kind != "image":
            return None
        image = read_frame(data, file_type, 1, limits)
    except Rejected:
        return None  # The page says that it has a picture that was not read.
    left, top, right, bottom = page.picture.crop
    sides = left * image.width, top * image.height, (1 - right) * image.width, (1 - bottom) * image.height
    box = round(sides[0]), round(sides[1]), max(1, round(sides[2])), max(1, round(sides[3]))
    return image if box == (0, 0, *image.size) or box[0] >= box[2] or box[1] >= box[3] else image.crop(box)


def reply_of(pages: Iterable[FoundPage]) -> Json:
    """Return the first page, with those after it up to one that is a picture, which is to be decoded by itself."""
    first, *others = pages
    return {**_page(first), "ahead": [_page(page) for page in takewhile(lambda page: page.picture is None, others)]}


def _page(page: FoundPage) -> Json:
    return {"items": page.items, "unread_pictures": page.unread_pictures + (page.picture is not None)}
