"""A page of a job as a person reads it. This module makes no queries."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jobs.core import states
from jobs.core.models import DocumentPage, Job, Page
from jobs.corrected_results.selectors import corrected_cells, corrected_class, corrected_lines, result_with
from jobs.dashboard.base.wording import state_words
from jobs.dashboard.reading.blocks import TextPart, block_views, text_parts
from jobs.dashboard.reading.correcting import CorrectionView, correction_views
from jobs.dashboard.reading.doubts import doubts_of
from jobs.dashboard.reading.lines import (
    MAX_CHARACTERS,
    LineView,
    is_recognized,
    line_views,
    marked_lines,
    read_lines,
)
from jobs.dashboard.reading.marks import CodeView, MarkView, code_views, mark_views
from jobs.dashboard.reading.opinions import (
    ClassView,
    WarningView,
    class_view,
    quality_words,
    warning_views,
    with_correction,
)
from jobs.dashboard.reading.selectors import Reading
from jobs.dashboard.reading.tables import TableView, table_views
from jobs.dashboard.reading.vectors import VectorView, vectors_of
from jobs.results.exports.page_blocks import tables_in_text
from jobs.results.page_tables import continued_index
from jobs.results.pictures.turns import NOT_TURNED, number, turn_of
from jobs.results.result_json import page_json, picture_url
from jobs.search.excerpts import Part
from jobs.search.queries import Query
from tenants.api.rendering import TimedJSONRenderer
from tenants.billing.dashboard.money import shown_money

_SOURCES = {
    "ocr": "recognized from the image",
    "text_layer": "embedded in the file",
    "mixed": "partly embedded in the file, partly recognized from the image",
    "text": "as uploaded",
    "document": "as the document has it",
}
MAX_JSON = 100_000
"""The most characters of a page's JSON. A browser takes long to lay out more, and nobody reads it there."""


@dataclass(frozen=True)
class PictureView:
    url: str
    width_px: int
    height_px: int


@dataclass(frozen=True)
class PageView:
    number: int
    state: str
    state_words: str
    attempt: int
    cost: str
    error_code: str
    error_detail: str
    lines: Sequence[LineView]
    parts: Sequence[TextPart]
    lines_left_out: int
    plain: Sequence[Part]
    blank: bool
    """The page was read, and nothing was on it."""
    waits: bool
    """The page waits for the result of the same page, which is being read elsewhere."""
    recognized: bool
    """The text was recognized, so that confidences mean something."""
    source: str
    kind: ClassView
    quality: str
    needs_review: bool
    warnings: Sequence[WarningView]
    to_check: int
    """The number of places on this page that a person should check."""
    corrections: Sequence[CorrectionView]
    tables: Sequence[TableView]
    codes: Sequence[CodeView]
    marks: Sequence[MarkView]
    vectors: VectorView | None
    picture: PictureView | None

    @property
    def unsure(self) -> int:
        return sum(line.unsure for line in self.lines if not line.in_table)

    @property
    def ended(self) -> bool:
        return self.state in states.TERMINAL

    @property
    def version(self) -> str:
        """Return a value that changes when the page has to be shown anew."""
        return f"{self.number}-{self.state}-{self.attempt}-{'picture' if self.picture else 'none'}"


def page_view(reading: Reading, sought: Query) -> PageView:
    page, job = reading.page, reading.job
    picture = reading.pictures.get(page.number)
    result: dict[str, Any] = page.result or {}
    corrected = corrected_lines(reading.corrections)
    cells = corrected_cells(reading.corrections)
    to_check = len(doubts_of(page.number, result, corrected, cells))
    needs_review = result.get("needs_review") is True
    settled = needs_review and not to_check and bool(reading.corrections)
    text = str(result.get("text", ""))
    found = read_lines(result)
    in_text = tables_in_text(result_with(reading.corrections, result))
    lines = line_views(found, corrected, sought, frozenset().union(*in_text.values()))
    tables = table_views(
        result,
        cells,
        f"/v1/jobs/{job.id}/pages/{page.number}",
        sought,
        in_text=in_text.keys(),
        continued=continued_index(reading.before, result) if reading.before else None,
    )
    plain = "" if lines else text[:MAX_CHARACTERS]
    return PageView(
        number=page.number,
        state=page.state,
        state_words=state_words(page.state),
        attempt=page.attempt,
        cost=shown_money(page.cost_micros, job.currency),
        error_code=page.error_code,
        error_detail=page.error_detail,
        lines=lines,
        parts=text_parts(block_views(result, lines, tables)),
        lines_left_out=len(found) - len(lines) if lines else text.count("\n", MAX_CHARACTERS),
        plain=marked_lines([plain], sought)[0] if plain else (),
        blank="text" in result and not text.strip(),
        waits=page.waits_for is not None,
        recognized=is_recognized(result),
        source=_SOURCES.get(str(result.get("source", "")), ""),
        kind=with_correction(class_view(_classed(reading)), corrected_class(reading.corrections)),
        quality=quality_words(result, settled=settled),
        needs_review=needs_review and not settled,
        warnings=warning_views(result),
        to_check=to_check,
        corrections=correction_views(job, reading.corrections),
        tables=tables,
        codes=code_views(result),
        marks=mark_views(result),
        vectors=vectors_of(result),
        picture=picture_view(page, job, picture) if picture else None,
    )


def _classed(reading: Reading) -> Mapping[str, Any]:
    """Return what has the class of the page: its result, unless the job's class set gave it one."""
    own = reading.classes.get(reading.page.number)
    return {"class": own} if own else reading.page.result or {}


def picture_view(page: Page, job: Job, stored: DocumentPage) -> PictureView:
    width, height = stored.width_px, stored.height_px
    if turn_of(page.result) != NOT_TURNED:
        result: Mapping[str, Any] = page.result or {}
        shown_width, shown_height = number(result.get("width")), number(result.get("height"))
        if shown_width and shown_height and min(shown_width, shown_height) >= 1:
            width, height = round(shown_width), round(shown_height)
    return PictureView(picture_url(page, job) or "", width, height)


_NUMBERS = re.compile(r"\[\n\s+[-+.\deE]+(?:,\n\s+[-+.\deE]+)*\n\s+\]")
"""A list of numbers. It has a line break, as no text in JSON has."""


def _on_one_line(numbers: re.Match[str]) -> str:
    return f"[{' '.join(numbers[0][1:-1].split())}]"


@dataclass(frozen=True)
class JsonView:
    text: str
    cut: bool
    """There is more than is shown."""


def json_view(reading: Reading) -> JsonView:
    """Return the JSON of a page as the API gives it, laid out for people."""
    page, job = reading.page, reading.job
    shown = page_json(page, job, reading.corrections, before=reading.before, classes=reading.classes)
    compact = TimedJSONRenderer().render(shown)
    text = _NUMBERS.sub(_on_one_line, json.dumps(json.loads(compact), ensure_ascii=False, indent=2))
    return JsonView(text[:MAX_JSON], len(text) > MAX_JSON)
