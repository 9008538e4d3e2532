"""Gathers the wanted page of a Word document and some of those after it, while the document is read."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from ..limits import DocumentLimits, Rejected
from .embedded_pictures import Picture
from .items import PageItems

MAX_PAGES_AHEAD = 31
"""The most pages after the wanted one."""
_MAX_CHARS = 500_000
"""The characters of all pages from which no further page is gathered."""


@dataclass(frozen=True, slots=True)
class Note:
    """A footnote or endnote that the text of a page refers to."""

    kind: str
    id: str
    mark: str


@dataclass
class GatheredPage:
    number: int
    items: PageItems
    notes: list[Note] = field(default_factory=list)
    edges: dict[str, str] | None = None
    """The ids of the header and the footer of the section that the page is in, or None until it has ended."""
    picture: Picture | None = None
    """The picture that is the whole page."""
    unread_pictures: int = 0


class GatheredPages:
    """The pages of a window. An error on one of them matters only if it is the first."""

    def __init__(self, window: range, limits: DocumentLimits) -> None:
        self._window = window
        self._limits = limits
        self._pages: dict[int, GatheredPage] = {}
        for number in window[:1]:
            self.page(number)

    def __iter__(self) -> Iterator[GatheredPage]:
        return iter(list(self._pages.values()))

    def page(self, number: int) -> GatheredPage | None:
        """Return the page with a number, or None if it is not gathered."""
        if number not in self._window:
            return None
        if number not in self._pages:
            if sum(page.items.chars for page in self) > _MAX_CHARS:
                self._end_before(number)
                return None
            self._pages[number] = GatheredPage(number, PageItems(self._limits))
        return self._pages[number]

    @contextmanager
    def errors_on(self, page: int) -> Iterator[None]:
        """Drop the pages of the window on which something cannot be read, and those after them. They are read, and
        refused, when they are wanted.
        """
        try:
            yield
        except Rejected:
            last = max(self._pages, default=page)
            failed = max(page, last)
            if failed <= self._window.start or failed not in self._window:
                raise
            self._end_before(failed)

    def _end_before(self, number: int) -> None:
        self._window = range(self._window.start, number)
        self._pages = {own: page for own, page in self._pages.items() if own < number}
