"""A page of a job as a person reads it, and the small pictures beside it. This module makes no queries."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from jobs.core import states
from jobs.core.models import DocumentPage, Job, Page
from jobs.dashboard.base.wording import state_words
from jobs.dashboard.reading.selectors import STRIP, Reading
from jobs.dashboard.reading.vectors import VectorView, vectors_of
from jobs.search.excerpts import Part, marks_in
from jobs.search.queries import Query
from tenants.billing.dashboard.money import shown_money


def marked_lines(lines: Sequence[str], sought: Query) -> list[Sequence[Part]]:
    """Return each line in parts. A phrase that was searched for may be on two lines, and is marked on both."""
    marks = marks_in("\n".join(lines), sought) if sought.wanted else []
    found: list[Sequence[Part]] = []
    begin = 0
    for line in lines:
        end = begin + len(line)
        own = [(max(begin, start) - begin, min(end, stop) - begin) for start, stop in marks]
        found.append(_parts(line, [(start, stop) for start, stop in own if start < stop]))
        begin = end + 1
        marks = [mark for mark in marks if mark[1] > begin]
    return found


def _parts(line: str, marks: Sequence[tuple[int, int]]) -> list[Part]:
    parts, done = [], 0
    for start, stop in marks:
        parts += [Part(line[done:start], False), Part(line[start:stop], True)]
        done = stop
    parts.append(Part(line[done:], False))
    return [part for part in parts if part.text]


SURE = 0.8
"""The confidence below which a line is marked. Lines that are read well are mostly above 0.95."""
MAX_LINES = 2_000
MAX_CHARACTERS = 200_000
"""The most characters of a page's text. A browser takes long to lay out more, and nobody reads it there."""
_SOURCES = {
    "ocr": "recognized from the image",
    "text_layer": "embedded in the file",
    "text": "as uploaded",
}


@dataclass(frozen=True)
class PictureView:
    url: str
    width_px: int
    height_px: int


@dataclass(frozen=True)
class LineView:
    number: int
    text: str
    percent: int | None
    """The model's confidence, rounded down. It is None if the model gives none."""
    unsure: bool
    corners: str
    """The corners for SVG. It is empty if the line has no position on a picture."""
    parts: Sequence[Part]
    """The text once more, in parts that separate the words of a search."""

    @property
    def found(self) -> bool:
        return any(part.marked for part in self.parts)


@dataclass(frozen=True)
class KindView:
    label: str
    percent: int


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
    lines_left_out: int
    plain: Sequence[Part]
    blank: bool
    """The page was read, and nothing was on it."""
    waits: bool
    """The page waits for the result of the same page, which is being read elsewhere."""
    recognized: bool
    """The text was recognized, so that confidences mean something."""
    source: str
    kind: str
    """The class that the result names. It is empty if the result names none."""
    kinds: Sequence[KindView]
    """The scores of all classes, best first. The best class is not the page's class if no score is good enough."""
    vectors: VectorView | None
    picture: PictureView | None

    @property
    def unsure(self) -> int:
        return sum(line.unsure for line in self.lines)

    @property
    def ended(self) -> bool:
        return self.state in states.TERMINAL

    @property
    def version(self) -> str:
        """Return a value that changes when the page has to be shown anew."""
        return f"{self.number}-{self.state}-{self.attempt}-{'picture' if self.picture else 'none'}"


def page_view(page: Page, job: Job, picture: DocumentPage | None, sought: Query) -> PageView:
    result: dict[str, Any] = page.result or {}
    text = str(result.get("text", ""))
    found = result.get("lines") or ()
    lines = _lines(found, sought)
    kind, kinds = _class(result)
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
        lines_left_out=len(found) - len(lines) if lines else text.count("\n", MAX_CHARACTERS),
        plain=marked_lines([plain], sought)[0] if plain else (),
        blank="text" in result and not text.strip(),
        waits=page.waits_for is not None,
        recognized=result.get("source", "ocr") == "ocr",
        source=_SOURCES.get(str(result.get("source", "")), ""),
        kind=kind,
        kinds=kinds,
        vectors=vectors_of(result),
        picture=_picture_view(job.document_id, picture) if picture else None,
    )


def _lines(found: Sequence[dict[str, Any]], sought: Query) -> list[LineView]:
    shown: list[dict[str, Any]] = []
    characters = 0
    for line in found[:MAX_LINES]:
        characters += len(str(line["text"]))
        if characters > MAX_CHARACTERS and shown:
            break
        shown.append(line)
    texts = [str(line["text"])[:MAX_CHARACTERS] for line in shown]
    return [
        _line(number, line, text, parts)
        for number, (line, text, parts) in enumerate(zip(shown, texts, marked_lines(texts, sought), strict=True), 1)
    ]


def _line(number: int, line: dict[str, Any], text: str, parts: Sequence[Part]) -> LineView:
    confidence = line.get("confidence")
    return LineView(
        number=number,
        text=text,
        percent=None if confidence is None else int(100 * confidence),
        unsure=confidence is not None and confidence < SURE,
        corners=" ".join(f"{x:g},{y:g}" for x, y in line.get("box") or ()),
        parts=parts,
    )


def _class(result: dict[str, Any]) -> tuple[str, list[KindView]]:
    """Return the class and the scores. An added model may put anything else under this name."""
    match result.get("class"):
        case {"label": str(label), "scores": dict(scores)} if all(map(_is_score, scores.values())):
            best_first = sorted(scores.items(), key=lambda item: -item[1])
            return label, [KindView(name, max(0, round(100 * score))) for name, score in best_first]
    return "", []


def _is_score(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _picture_view(document_id: UUID | None, picture: DocumentPage) -> PictureView:
    return PictureView(
        url=f"/v1/documents/{document_id}/pages/{picture.number}/picture",
        width_px=picture.width_px,
        height_px=picture.height_px,
    )


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
    return Thumbnail(page.number, page.state, state_words(page.state), page.number == reading.page.number, view)
