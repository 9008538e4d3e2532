"""The small pictures beside a page, and the ways to other pages. This module makes no queries."""

from collections.abc import Sequence
from dataclasses import dataclass

from jobs.core.models import Page
from jobs.dashboard.base.wording import state_words
from jobs.dashboard.reading.selectors import STRIP, Reading
from jobs.results.pictures.turns import ROTATIONS

_SMALL_PX = 96
_MAX_SHAPE = 2
"""The height of the tallest small picture, in widths."""


@dataclass(frozen=True)
class SmallPicture:
    url: str
    width_px: int
    height_px: int
    rotation: int
    """The degrees by which the style sheet turns the stored picture."""


@dataclass(frozen=True)
class Thumbnail:
    number: int
    state: str
    state_words: str
    here: bool
    to_check: bool
    picture: SmallPicture | None


@dataclass(frozen=True)
class Ways:
    """The page numbers to link to. A number is None if there is no such page."""

    previous: int | None
    next: int | None
    last: int
    earlier: int | None
    """The last page before the strip."""
    later: int | None
    """The first page after the strip."""


def ways(number: int, total: int) -> Ways:
    first = (number - 1) // STRIP * STRIP + 1
    return Ways(
        previous=number - 1 if number > 1 else None,
        next=number + 1 if number < total else None,
        last=total,
        earlier=first - 1 if first > 1 else None,
        later=first + STRIP if first + STRIP <= total else None,
    )


def thumbnails(reading: Reading) -> Sequence[Thumbnail]:
    return [_thumbnail(page, reading) for page in reading.strip]


def _thumbnail(page: Page, reading: Reading) -> Thumbnail:
    view = None
    picture = reading.pictures.get(page.number)
    if picture and picture.picture:
        url = f"/v1/documents/{picture.document_id}/pages/{picture.number}/picture"
        height = round(_SMALL_PX * picture.height_px / max(1, picture.width_px))
        turned = _rotation(vars(page).get("rotation"))
        view = SmallPicture(url, _SMALL_PX, max(8, min(_MAX_SHAPE * _SMALL_PX, height)), turned)
    return Thumbnail(
        page.number,
        page.state,
        state_words(page.state),
        page.number == reading.page.number,
        vars(page).get("review") == "true",
        view,
    )


def _rotation(text: object) -> int:
    return next((rotation for rotation in ROTATIONS if text == str(rotation)), 0)
