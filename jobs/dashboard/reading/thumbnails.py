"""The small pictures beside a page, and the links from it to other pages. This module makes no queries."""

from collections.abc import Sequence
from dataclasses import dataclass

from jobs.core.models import Page
from jobs.dashboard.base.wording import state_words
from jobs.dashboard.reading.page_view import PictureView
from jobs.dashboard.reading.selectors import STRIP, Reading

_SMALL_PX = 96


@dataclass(frozen=True)
class Thumbnail:
    number: int
    state: str
    state_words: str
    here: bool
    picture: PictureView | None


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


def thumbnails(reading: Reading) -> Sequence[Thumbnail]:
    return [_thumbnail(page, reading) for page in reading.strip]


def ways(number: int, total: int) -> Ways:
    first = (number - 1) // STRIP * STRIP + 1
    return Ways(
        previous=number - 1 if number > 1 else None,
        next=number + 1 if number < total else None,
        last=total,
        earlier=first - 1 if first > 1 else None,
        later=first + STRIP if first + STRIP <= total else None,
    )


def _thumbnail(page: Page, reading: Reading) -> Thumbnail:
    picture = reading.pictures.get(page.number)
    view = None
    if picture is not None:
        url = f"/v1/documents/{picture.document_id}/pages/{picture.number}/picture"
        height = round(_SMALL_PX * picture.height_px / max(1, picture.width_px))
        view = PictureView(url, _SMALL_PX, max(8, min(2 * _SMALL_PX, height)))
    return Thumbnail(
        page.number, page.state, state_words(page.state), page.number == reading.page.number, view
    )
