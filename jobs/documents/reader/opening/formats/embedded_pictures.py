"""Finds the pictures in Office documents, and tells by their size on the page which of them are pages by themselves."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from .package import Relation
from .xml_stream import Element, attribute, child, local_name, number

A4_EMU = 7_560_000 * 10_692_000
_EMU_PER_POINT = 12_700
WHOLE_PAGE = 0.4
"""The share of the page from which a picture is a page by itself, such as the photo of a letter."""
_WORTH_READING = 0.05
"""The share of the page from which a warning says that a picture was not read. Logos and icons are smaller."""
_LENGTH = re.compile(r"(?:^|;)\s*(width|height)\s*:\s*([0-9.]{1,12})(pt|in)", re.IGNORECASE)
_POINTS = {"pt": 1.0, "in": 72.0}
_PER_WHOLE = 100_000
Crop = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Picture:
    part: str
    share: float
    """The area of the picture as a share of the page's."""
    crop: Crop
    """The shares that are cut off at the left, the top, the right and the bottom."""

    @property
    def is_whole_page(self) -> bool:
        return self.share >= WHOLE_PAGE and bool(self.part)

    @property
    def is_worth_reading(self) -> bool:
        return self.share >= _WORTH_READING


def picture_of(element: Element, relations: Mapping[str, Relation], page_emu: int = A4_EMU) -> Picture | None:
    """Return the picture in a drawing of Word, a picture of PowerPoint, or a shape as old versions of Word wrote it."""
    if local_name(element) == "shape":
        return _of_shape(child(element, "imagedata"), element.get("style", ""), relations)
    blip = next((piece for piece in element.iter() if local_name(piece) == "blip"), None)
    if blip is None:
        return None
    size = child(element, "extent")
    size = child(element, "spPr", "xfrm", "ext") if size is None else size
    area = 0 if size is None else number(size.get("cx")) * number(size.get("cy"))
    cut = next((piece for piece in element.iter() if local_name(piece) == "srcRect"), None)
    return Picture(_part(attribute(blip, "embed"), relations), area / page_emu, _crop(cut))


def _of_shape(data: Element | None, style: str, relations: Mapping[str, Relation]) -> Picture | None:
    if data is None:
        return None
    sides = {name.lower(): _points(value, unit) for name, value, unit in _LENGTH.findall(style)}
    area = sides.get("width", 0.0) * sides.get("height", 0.0) * _EMU_PER_POINT**2
    return Picture(_part(attribute(data, "id"), relations), area / A4_EMU, _crop(None))


def _points(value: str, unit: str) -> float:
    try:
        return float(value) * _POINTS[unit.lower()]
    except ValueError:
        return 0.0


def _part(id_: str | None, relations: Mapping[str, Relation]) -> str:
    """Return the name of the part. It is empty for a picture that is elsewhere, which is never fetched."""
    relation = relations.get(id_ or "")
    return "" if relation is None else relation.part


def _crop(element: Element | None) -> Crop:
    left, top, right, bottom = (
        0.0 if element is None else number(element.get(side), most=_PER_WHOLE) / _PER_WHOLE for side in "ltrb"
    )
    return (left, top, right, bottom) if left + right < 1 and top + bottom < 1 else (0.0, 0.0, 0.0, 0.0)
