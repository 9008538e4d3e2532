"""Finds on a page what is not its text: codes for machines, tick boxes and form fields."""

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from PIL import Image

from .codes import MAX_CODES, read_codes
from .drawn_places import Sides
from .form_fields import FormField
from .found_codes import Corner, FoundCode
from .pdf import PdfPage
from .text_layer import Glyph
from .tick_marks import EMPTY_SIGNS, TICKED_SIGNS, tick_of

Json = Any

_CODE_SIDE = 1000
"""The longer side to which a place is enlarged where a code is looked for, in pixels."""
_MOST_ENLARGED = 3.0
_MAX_PART_PIXELS = 12_000_000
"""The most pixels of all places of a page together that are searched for codes."""
_MAX_LABEL = 500
_TOUCH = 4.0
"""The distance of corners that touch, in pixels."""
_LEAST_SIDE = 8
"""The shortest side of a drawn tick box in pixels. In smaller ones, nothing is to be seen."""


def picture_findings(image: Image.Image) -> Json:
    """Return the codes of a picture. Its tick boxes are found once it is upright and its text is read."""
    return {"codes": [_code(code, code.corners, image.size) for code in read_codes(image)]}


def field_findings(page: PdfPage) -> Json:
    """Return what the form fields of a page say."""
    boxes = [_tick_field(page, field) for field in page.fields if field.checked is not None]
    values = [_form_value(page, field) for field in page.fields if field.checked is None and field.value]
    return {"tick_boxes": [box for box in boxes if box], "form_values": [value for value in values if value]}


def page_findings(page: PdfPage) -> Json:
    """Return the findings of a page with text of its own, of which only a few places are drawn."""
    places = page.drawn_places()
    found = field_findings(page)
    taken = [_around(box["box"]) for box in found["tick_boxes"]]
    for box in chain(_drawn_boxes(page, places.tick_boxes), _sign_boxes(page)):
        around = _around(box["box"])
        if not any(_overlap(around, other) for other in taken):
            taken.append(around)
            found["tick_boxes"].append(box)
    return {**found, "codes": list(_codes(page, places.codes))}


def _codes(page: PdfPage, places: Sequence[Sides]) -> Iterator[Json]:
    left_pixels, count = _MAX_PART_PIXELS, 0
    for place in places:
        part = page.pixels_of(place)
        sides = part[2] - part[0], part[3] - part[1]
        if min(sides) < 1:
            continue
        scale = min(_MOST_ENLARGED, max(1.0, _CODE_SIDE / max(sides)))
        left_pixels -= round(sides[0] * scale * sides[1] * scale)
        if left_pixels < 0 or count >= MAX_CODES:
            return
        across, down = math.floor(part[0] * scale), math.floor(part[1] * scale)
        for code in read_codes(page.render_part(part, scale))[: MAX_CODES - count]:
            count += 1
            corners = [((x + across) / scale, (y + down) / scale) for x, y in code.corners]
            yield _code(code, corners, page.size_px)


def _code(code: FoundCode, corners: Sequence[Corner], size: tuple[int, int]) -> Json:
    width, height = size
    box = [(min(max(x, 0.0), float(width)), min(max(y, 0.0), float(height))) for x, y in corners]
    return {"symbology": code.symbology, "text": code.text, "base64": code.base64, "box": box}


def _drawn_boxes(page: PdfPage, places: Sequence[Sides]) -> Iterator[Json]:
    """Yield the boxes that are drawn as lines. The part of the page that has them is drawn once."""
    parts = [page.pixels_of(place) for place in places]
    parts = _alone(parts)
    parts = sorted((part for part in parts if min(part[2] - part[0], part[3] - part[1]) >= _LEAST_SIDE), key=_area)
    if not parts:
        return
    whole = (
        max(0.0, min(part[0] for part in parts) - 2),
        max(0.0, min(part[1] for part in parts) - 2),
        max(part[2] for part in parts) + 2,
        max(part[3] for part in parts) + 2,
    )
    picture = page.render_part(whole, 1.0)
    for left, top, right, bottom in parts:
        x, y = math.floor(whole[0]), math.floor(whole[1])
        checked = tick_of(picture.crop((round(left - x), round(top - y), round(right - x), round(bottom - y))))
        if checked is not None:
            yield {"checked": checked, "box": _corners((left, top, right, bottom)), "label": "", "name": ""}


def _alone(parts: Sequence[Sides]) -> list[Sides]:
    """Return the boxes without those that touch another, such as the cells of a table or of a row of letters."""
    left_tops = _Corners((left, top) for left, top, _, _ in parts)
    right_tops = _Corners((right, top) for _, top, right, _ in parts)
    left_bottoms = _Corners((left, bottom) for left, _, _, bottom in parts)
    return [
        (left, top, right, bottom)
        for left, top, right, bottom in parts
        if not (
            left_tops.has_near(right, top)
            or left_tops.has_near(left, bottom)
            or right_tops.has_near(left, top)
            or left_bottoms.has_near(left, top)
        )
    ]


class _Corners:
    """Corners of boxes by where they are, so that looking for one takes no time."""

    def __init__(self, corners: Iterable[Corner]) -> None:
        self._by_place: dict[tuple[int, int], Corner] = {}
        for x, y in corners:
            self._by_place[int(x // _TOUCH), int(y // _TOUCH)] = x, y

    def has_near(self, x: float, y: float) -> bool:
        column, row = int(x // _TOUCH), int(y // _TOUCH)
        near = (self._by_place.get((column + across, row + down)) for across in (-1, 0, 1) for down in (-1, 0, 1))
        return any(abs(corner[0] - x) <= _TOUCH and abs(corner[1] - y) <= _TOUCH for corner in near if corner)


def _sign_boxes(page: PdfPage) -> Iterator[Json]:
    """Yield the boxes that are characters of the text."""
    for sign in page.signs:
        if sign.text in TICKED_SIGNS or sign.text in EMPTY_SIGNS:
            checked = sign.text in TICKED_SIGNS or any(_is_on(tick, sign) for tick in page.signs)
            corners = page.corners(sign)
            if _area(_around(corners)):
                yield {"checked": checked, "box": corners, "label": "", "name": ""}


def _is_on(tick: Glyph, box: Glyph) -> bool:
    """Return whether a tick stands on a box."""
    x, y = (tick.left + tick.right) / 2, (tick.bottom + tick.top) / 2
    is_tick = tick.text not in TICKED_SIGNS and tick.text not in EMPTY_SIGNS
    return is_tick and box.left <= x <= box.right and box.bottom <= y <= box.top


def _tick_field(page: PdfPage, field: FormField) -> Json:
    around = page.pixels_of(field.sides)
    # The label of a group of radio buttons is the same for each of them.
    label = "" if field.is_radio else field.label
    found = {"checked": field.checked, "box": _corners(around), "label": label[:_MAX_LABEL]}
    return {**found, "name": field.name[:_MAX_LABEL]} if _area(around) else None


def _form_value(page: PdfPage, field: FormField) -> Json:
    around = page.pixels_of(field.sides)
    key = (field.label or field.name)[:_MAX_LABEL]
    return {"key": key, "value": field.value, "box": _corners(around)} if key and _area(around) else None


def _corners(around: Sides) -> list[Corner]:
    left, top, right, bottom = around
    return [(left, top), (right, top), (right, bottom), (left, bottom)]


def _around(corners: Sequence[Corner]) -> Sides:
    across, down = zip(*corners, strict=True)
    return min(across), min(down), max(across), max(down)


def _area(sides: Sides) -> float:
    return (sides[2] - sides[0]) * (sides[3] - sides[1])


def _overlap(one: Sides, other: Sides) -> bool:
    """Return whether two boxes are the same one, drawn twice or around each other."""
    across = min(one[2], other[2]) - max(one[0], other[0])
    down = min(one[3], other[3]) - max(one[1], other[1])
    return across > 0 and down > 0 and across * down >= 0.3 * min(_area(one), _area(other))
