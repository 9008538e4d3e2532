"""The data of a job for an export: its pages in order, and the reason if a page has no result."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import F, Func, IntegerField, QuerySet
from django.db.models.fields.json import KT

from jobs.core import states
from jobs.core.models import Correction, DocumentPage, Job, Page
from jobs.corrected_results.selectors import corrections_of, result_with
from jobs.results.exports.page_lines import Line, lines_of
from jobs.results.exports.page_range import PageRange, in_words
from jobs.results.result_json import result_before
from tenants.core.db.unit_of_work import unit_of_work

STRETCH = 25
"""The number of pages that are read at a time if their results are small."""
STRETCH_BYTES = 256 << 10
"""The most bytes of results in a stretch, compressed as stored, but at least one page."""
NO_TEXT = "This model returns no text. Use the JSON result."
_WHY = {
    states.QUEUED: "it waits to be read",
    states.RUNNING: "it is being read",
    states.CANCELED: "it was canceled",
    states.EXPIRED: "it expired",
}


@dataclass(frozen=True)
class ExportPage:
    page: Page
    picture: DocumentPage | None
    """The page's picture, which may have to be drawn yet. It is None before a worker has read the page, and always if
    the document has no pictures.
    """
    corrections: Sequence[Correction] = ()

    @property
    def number(self) -> int:
        return self.page.number

    @cached_property
    def result(self) -> dict[str, Any]:
        """Return the result with what people corrected in it."""
        return result_with(self.corrections, self.page.result)

    @property
    def lines(self) -> list[Line]:
        return lines_of(self.result)

    @property
    def remark(self) -> str:
        """Return the reason why there is no text of this page. It is empty if there is a text."""
        if self.page.state == states.FAILED:
            return f"Page {self.number} is missing: it failed. {self.page.error_detail} ({self.page.error_code})"
        if self.page.state != states.SUCCEEDED:
            return f"Page {self.number} is missing: {_WHY[self.page.state]}."
        return "" if "text" in self.result else NO_TEXT


@dataclass(frozen=True)
class JobExport:
    job: Job
    pages: PageRange

    @property
    def title(self) -> str:
        return self.job.document.name if self.job.document else f"Job {self.job.id}"

    @property
    def single(self) -> bool:
        return self.job.pages_total == 1

    @cached_property
    def missing(self) -> list[int]:
        with unit_of_work(self.job.tenant_id):
            wanted = self.job.pages.filter(number__range=(self.pages.first, self.pages.last))
            unread = wanted.exclude(state=states.SUCCEEDED).order_by("number")
            return list(unread.values_list("number", flat=True))

    @property
    def remark(self) -> str:
        """Return a text about which pages are missing. It is empty if none is missing."""
        if not self.missing:
            return ""
        noun, verb = ("Page", "is") if len(self.missing) == 1 else ("Pages", "are")
        return f"{noun} {in_words(self.missing)} of {self.job.pages_total} {verb} missing."

    def read(self) -> Iterator[ExportPage]:
        """Read each stretch in one transaction, so that none is open while a file is being built."""
        for first, last in self._stretches():
            with unit_of_work(self.job.tenant_id):
                pages = list(self._between(first, last))
                pictures = self._pictures(first, last)
                corrections = corrections_of(self.job, first, last)
            for page in pages:
                yield ExportPage(page, pictures.get(page.number), corrections.get(page.number, ()))

    def before(self, page: ExportPage) -> Mapping[str, Any] | None:
        """Return the result of the page before, if the first table of the page may go on from there."""
        with unit_of_work(self.job.tenant_id):
            return result_before(page.page, self.job)

    def texts(self, numbers: Collection[int]) -> Iterator[str]:
        """Yield the texts of pages that are known to have one. A page that has succeeded never changes."""
        for first, last in self._stretches():
            with unit_of_work(self.job.tenant_id):
                texts = dict(self._between(first, last).values_list("number", KT("result__text")))
            yield from (str(text) for number, text in texts.items() if number in numbers)

    def _stretches(self) -> Iterator[tuple[int, int]]:
        first = self.pages.first
        while first <= self.pages.last:
            last = self._end_of_stretch(first)
            yield first, last
            first = last + 1

    def _end_of_stretch(self, first: int) -> int:
        """Return the last page of a stretch. The sizes of results are read before the results."""
        last = min(first + STRETCH - 1, self.pages.last)
        size = Func(F("result"), function="pg_column_size", output_field=IntegerField())
        total_bytes = 0
        with unit_of_work(self.job.tenant_id):
            for number, size_bytes in self._between(first, last).values_list("number", size):
                total_bytes += int(size_bytes or 0)
                if total_bytes > STRETCH_BYTES:
                    return max(first, int(number) - 1)
        return last

    def _between(self, first: int, last: int) -> "QuerySet[Page]":
        return self.job.pages.filter(number__range=(first, last)).order_by("number")

    def _pictures(self, first: int, last: int) -> dict[int, DocumentPage]:
        if self.job.document is None:
            return {}
        pages = self.job.document.pages.filter(number__range=(first, last))
        return {picture.number: picture for picture in pages.defer("text_layer")}
