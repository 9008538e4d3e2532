"""The read-only objects that the service returns. Fields that a newer service adds are ignored."""

import csv
import io
import re
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, Self

Json = Mapping[str, Any]
ENDS = frozenset({"succeeded", "partially_succeeded", "failed", "canceled", "expired"})


def _time(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


@dataclass(frozen=True, slots=True)
class Cost:
    amount: Decimal
    amount_micros: int
    currency: str

    @classmethod
    def from_json(cls, body: Json) -> Self:
        return cls(Decimal(body["amount"]), body["amount_micros"], body["currency"])

    def __str__(self) -> str:
        return f"{self.amount} {self.currency}"


@dataclass(frozen=True, slots=True)
class Problem:
    """The reason why a page or a job failed. `code` is stable, `detail` is for people."""

    code: str
    detail: str

    @classmethod
    def from_json(cls, body: Json | None) -> Self | None:
        return cls(body["code"], body["detail"]) if body else None


@dataclass(frozen=True, slots=True)
class Document:
    id: str
    name: str
    kind: str
    content_type: str
    size_bytes: int
    sha256: str
    pages_total: int
    created_at: datetime
    duplicate: bool = False
    """Say whether the same bytes were already there before this upload."""

    @classmethod
    def from_json(cls, body: Json) -> Self:
        return cls(
            id=body["id"],
            name=body["name"],
            kind=body["kind"],
            content_type=body["content_type"],
            size_bytes=body["size_bytes"],
            sha256=body["sha256"],
            pages_total=body["pages_total"],
            created_at=datetime.fromisoformat(body["created_at"]),
            duplicate=body.get("duplicate", False),
        )


Box = tuple[tuple[float, float], ...]
"""Four corners in pixels of the page's picture, clockwise from the top left."""


def _box(corners: Any) -> Box | None:
    return tuple((x, y) for x, y in corners) if corners else None


@dataclass(frozen=True, slots=True)
class Classification:
    """The class of a document or of a page."""

    label: str
    """Such as "invoice", or "unsure"."""
    probabilities: Mapping[str, float]
    """The probability of each class, as the model gave it. Results of earlier versions have none."""
    corrected: bool = False
    """Say whether a person chose the label of the document. For a page, see its corrections."""

    @classmethod
    def from_json(cls, body: Json | None) -> Self | None:
        return cls(body["label"], body.get("probabilities", {}), body.get("corrected", False)) if body else None


@dataclass(frozen=True, slots=True)
class Job:
    id: str
    state: str
    model: str
    """The name and version that runs, such as "parse@1"."""
    document: str | None
    parameters: Json
    pages_total: int
    pages_done: int
    pages_succeeded: int
    pages_failed: int
    pages_cached: int
    """The number of pages answered from the cache, without a run and at the model's price for cached pages."""
    error: Problem | None
    cost: Cost
    retry_of: str | None
    last_seq: int
    """The number of its newest event."""
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    priority: str = "standard"
    expires_at: datetime | None = None
    cancel_at: datetime | None = None
    position: int | None = None
    """The number of pages ahead in the queue, if the job waits and this is known. Lists do not contain it."""
    eta_seconds: int | None = None
    reason_waiting: str | None = None
    pages_to_review: int = 0
    """The number of finished pages that a person should check."""
    quality: float | None = None
    """The lowest quality of the finished pages, from 0 to 1."""
    document_class: Classification | None = None
    """The class of the whole document."""

    @property
    def needs_review(self) -> bool:
        return self.pages_to_review > 0

    @property
    def ended(self) -> bool:
        return self.state in ENDS

    @classmethod
    def from_json(cls, body: Json) -> Self:
        return cls(
            id=body["id"],
            state=body["state"],
            model=body["model"],
            document=body["document"],
            parameters=body["parameters"],
            pages_total=body["pages_total"],
            pages_done=body["pages_done"],
            pages_succeeded=body["pages_succeeded"],
            pages_failed=body["pages_failed"],
            pages_cached=body.get("pages_cached", 0),
            error=Problem.from_json(body["error"]),
            cost=Cost.from_json(body["cost"]),
            retry_of=body["retry_of"],
            last_seq=body["last_seq"],
            created_at=datetime.fromisoformat(body["created_at"]),
            started_at=_time(body["started_at"]),
            finished_at=_time(body["finished_at"]),
            priority=body.get("priority", "standard"),
            expires_at=_time(body.get("expires_at")),
            cancel_at=_time(body.get("cancel_at")),
            position=body.get("position"),
            eta_seconds=body.get("eta_seconds"),
            reason_waiting=body.get("reason_waiting"),
            pages_to_review=body.get("pages_to_review", 0),
            quality=body.get("quality"),
            document_class=Classification.from_json(body.get("class")),
        )


@dataclass(frozen=True, slots=True)
class Line:
    text: str
    box: Box | None
    """None if no picture was read."""
    confidence: float | None

    @classmethod
    def from_json(cls, body: Json) -> Self:
        return cls(body["text"], _box(body["box"]), body["confidence"])


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that belong together, such as a paragraph."""

    type: str
    """Such as "heading", "paragraph", "list_item" or "table"."""
    level: int | None
    """The level of a heading on its page, from 1, the highest."""
    box: Box | None
    lines: tuple[int, ...]
    """Positions in the lines of the page, from 0."""
    table: int | None = None
    """The position of a table in the tables of the page, from 0."""

    @classmethod
    def from_json(cls, body: Json) -> Self:
        return cls(body["type"], body.get("level"), _box(body["box"]), tuple(body["lines"]), body.get("table"))


@dataclass(frozen=True, slots=True)
class Cell:
    row: int
    """The first row, from 0."""
    column: int
    row_span: int
    column_span: int
    text: str
    box: Box | None
    confidence: float
    header: bool

    @classmethod
    def from_json(cls, body: Json) -> Self:
        return cls(
            row=body["row"],
            column=body["column"],
            row_span=body["row_span"],
            column_span=body["column_span"],
            text=body["text"],
            box=_box(body["box"]),
            confidence=body["confidence"],
            header=body["header"],
        )


@dataclass(frozen=True, slots=True)
class Table:
    """A grid of cells, some of which span rows or columns."""

    rows: int
    columns: int
    header_rows: int
    continues: bool
    """Say whether it goes on from the last table of the page before."""
    box: Box | None
    cells: tuple[Cell, ...]
    """The cells by rows, then by columns. Places without text may have no cell."""

    @classmethod
    def from_json(cls, body: Json) -> Self:
        cells = tuple(Cell.from_json(cell) for cell in body["cells"])
        return cls(body["rows"], body["columns"], body["header_rows"], body["continues"], _box(body["box"]), cells)

    def grid(self) -> list[list[str]]:
        """Return the texts by rows and columns. A text that spans several places stands in the first of them."""
        texts = [[""] * self.columns for _ in range(self.rows)]
        for cell in self.cells:
            texts[cell.row][cell.column] = cell.text
        return texts

    def to_csv(self) -> str:
        """Return the table as CSV. Texts that a spreadsheet would run as formulas begin with an apostrophe."""
        written = io.StringIO()
        csv.writer(written).writerows([_harmless(text) for text in row] for row in self.grid())
        return written.getvalue()


_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
_SIGNED_NUMBER = re.compile(r"[-+]\d[\d.,]*")


def _harmless(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) and not _SIGNED_NUMBER.fullmatch(text) else text


@dataclass(frozen=True, slots=True)
class PageWarning:
    """A reason why a person should look at the page. `code` is stable, `message` is for people."""

    code: str
    message: str
    box: Box | None
    """The place on the page. None if it is the whole page."""

    @classmethod
    def from_json(cls, body: Json) -> Self:
        return cls(body["code"], body["message"], _box(body.get("box")))


@dataclass(frozen=True, slots=True)
class Code:
    """A barcode, QR code or other code for machines."""

    symbology: str
    """The kind of code, such as "qr", "code128", "ean13", "data_matrix", "pdf417" or "aztec"."""
    text: str
    """The content. It is empty if it is not text."""
    content: bytes | None
    """The content if it is not text."""
    box: Box | None

    @classmethod
    def from_json(cls, body: Json) -> Self:
        encoded = body.get("base64")
        return cls(body["symbology"], body["text"], b64decode(encoded) if encoded else None, _box(body["box"]))


@dataclass(frozen=True, slots=True)
class Mark:
    """A tick box or radio button."""

    label: str
    checked: bool
    box: Box | None

    @classmethod
    def from_json(cls, body: Json) -> Self:
        return cls(body["label"], body["checked"], _box(body["box"]))


@dataclass(frozen=True, slots=True)
class Pair:
    """A value with its name, such as a filled-in form field."""

    key: str
    value: str
    key_box: Box | None
    """None if the name is not printed."""
    value_box: Box | None
    confidence: float

    @classmethod
    def from_json(cls, body: Json) -> Self:
        return cls(body["key"], body["value"], _box(body["key_box"]), _box(body["value_box"]), body["confidence"])


@dataclass(frozen=True, slots=True)
class Correction:
    """A line, cell, class or field that a person corrected."""

    kind: str
    """ "line", "cell", "class" or "field"."""
    index: int | None
    """The position of the line in the page, or of the cell in its table. None for a class or field."""
    original: str
    corrected: str
    author: str
    created_at: datetime
    table: int | None = None
    """The position of a cell's table in the page."""
    name: str | None = None
    """The name of a field."""

    @classmethod
    def from_json(cls, body: Json) -> Self:
        return cls(
            kind=body["kind"],
            index=body["index"],
            original=body["original"],
            corrected=body["corrected"],
            author=body["author"],
            created_at=datetime.fromisoformat(body["created_at"]),
            table=body.get("table"),
            name=body.get("name"),
        )


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a job, finished or not. `data` has all that the model returned; the common fields are properties."""

    number: int
    state: str
    error: Problem | None
    attempts: int
    cost: Cost
    cached: bool
    """The result was cached, so the page did not run."""
    data: Json = field(repr=False)
    """The page as the service sent it."""

    @classmethod
    def from_json(cls, body: Json) -> Self:
        return cls(
            number=body["number"],
            state=body["state"],
            error=Problem.from_json(body["error"]),
            attempts=body["attempts"],
            cost=Cost.from_json(body["cost"]),
            cached=body.get("cached", False),
            data=body,
        )

    @property
    def text(self) -> str:
        return str(self.data.get("text", ""))

    @property
    def lines(self) -> tuple[Line, ...]:
        return tuple(Line.from_json(line) for line in self.data.get("lines", ()))

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Return the lines in their order, as paragraphs, headings and so on."""
        return tuple(Block.from_json(block) for block in self.data.get("blocks", ()))

    @property
    def tables(self) -> tuple[Table, ...]:
        """Return the tables with their cells, in reading order."""
        return tuple(Table.from_json(table) for table in self.data.get("tables", ()))

    @property
    def quality(self) -> float | None:
        """Say how well the page was read, from 0 to 1."""
        return self.data.get("quality")

    @property
    def needs_review(self) -> bool:
        """Say whether a person should check the page."""
        return self.data.get("needs_review") is True

    @property
    def warnings(self) -> tuple[PageWarning, ...]:
        return tuple(PageWarning.from_json(warning) for warning in self.data.get("warnings", ()))

    @property
    def codes(self) -> tuple[Code, ...]:
        return tuple(Code.from_json(code) for code in self.data.get("codes", ()))

    @property
    def marks(self) -> tuple[Mark, ...]:
        """Return the tick boxes and radio buttons from the top of the page."""
        return tuple(Mark.from_json(mark) for mark in self.data.get("marks", ()))

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """Return the values that have a name, such as filled-in form fields."""
        return tuple(Pair.from_json(pair) for pair in self.data.get("pairs", ()))

    @property
    def rotation(self) -> int:
        """Return the degrees clockwise by which the page's picture was turned to be upright: 0, 90, 180 or 270."""
        return int(self.data.get("rotation", 0))

    @property
    def angle(self) -> float:
        """Return the skew in degrees that was taken out after the turn."""
        return float(self.data.get("angle", 0.0))

    @property
    def page_class(self) -> Classification | None:
        """Return the kind of document that the page looks like, with probabilities."""
        return Classification.from_json(self.data.get("class"))

    @property
    def label(self) -> str | None:
        """Return the label of the page's class."""
        found = self.page_class
        return found.label if found else None

    @property
    def corrections(self) -> tuple[Correction, ...]:
        return tuple(Correction.from_json(correction) for correction in self.data.get("corrections", ()))

    @property
    def embedding(self) -> list[float] | None:
        return self.data.get("embedding")

    @property
    def embeddings(self) -> list[list[float]] | None:
        """Return one embedding for each text of the submitted list."""
        return self.data.get("embeddings")

    @property
    def outputs(self) -> list[Json] | None:
        """Return the tensors that an ONNX graph returned."""
        return self.data.get("outputs")


@dataclass(frozen=True, slots=True)
class Result:
    """A job with its results. Pages that did not succeed are included, with the reason."""

    job: Job
    text: str
    pages: tuple[Page, ...]
    data: Json = field(repr=False)
    """The result as the service sent it."""

    @classmethod
    def from_json(cls, body: Json) -> Self:
        """Build a result from `body`, a job that contains its `result`."""
        result = body["result"]
        pages = tuple(Page.from_json(page) for page in result["pages"])
        return cls(Job.from_json(body), result["text"], pages, result)

    @property
    def id(self) -> str:
        return self.job.id

    @property
    def state(self) -> str:
        return self.job.state

    @property
    def cost(self) -> Cost:
        return self.job.cost


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A page that a search found, or a document whose name has the words."""

    job: str
    document: str | None
    """None for input that was sent without a document."""
    page: int | None
    """None if the name of the document has the words."""
    name: str | None
    """The name of the document."""
    model: str
    document_class: Classification | None
    score: float | None
    """The similarity in meaning, from 0.25 to 1. None in a search by words."""
    text: str
    """The text around the first found word."""
    marks: tuple[tuple[int, int], ...]
    """The start and end of each found word in the text: `hit.text[start:end]`."""
    boxes: tuple[Box, ...] | None
    """The lines that have the words. None if the lines of the page have no boxes."""
    picture: str | None
    """The path of the page's picture, on which the boxes lie."""
    created_at: datetime

    @classmethod
    def from_json(cls, body: Json) -> Self:
        boxes = body["boxes"]
        return cls(
            job=body["job"],
            document=body["document"],
            page=body["page"],
            name=body["name"],
            model=body["model"],
            document_class=Classification.from_json(body["class"]),
            score=body["score"],
            text=body["excerpt"]["text"],
            marks=tuple((mark["start"], mark["end"]) for mark in body["excerpt"]["marks"]),
            boxes=None if boxes is None else tuple(box for corners in boxes if (box := _box(corners))),
            picture=body["picture"],
            created_at=datetime.fromisoformat(body["created_at"]),
        )


@dataclass(frozen=True, slots=True)
class Model:
    name: str
    title: str
    description: str
    state: str
    accepts: tuple[str, ...]
    version: int | None
    versions: tuple[int, ...]
    data: Json = field(repr=False)
    """The model as the service sent it: parameters, signature, price."""

    @classmethod
    def from_json(cls, body: Json) -> Self:
        return cls(
            name=body["id"],
            title=body["title"],
            description=body["description"],
            state=body["state"],
            accepts=tuple(body["accepts"]),
            version=body["version"],
            versions=tuple(body["versions"]),
            data=body,
        )


@dataclass(frozen=True, slots=True)
class Event:
    """An event of a job. `seq` counts within the job, from 1 and without gaps."""

    job: str
    seq: int
    type: str
    data: Json
    created_at: datetime
    cursor: str | int
    """The cursor to continue after this event: `events(after=event.cursor)`. For events of a single job, it is its
    `seq`.
    """

    @classmethod
    def from_json(cls, body: Json, cursor: str | int) -> Self:
        happened = datetime.fromisoformat(body["created_at"])
        return cls(body["job"], body["seq"], body["type"], body["data"], happened, cursor)


@dataclass(frozen=True, slots=True)
class EventPage:
    """The events after a cursor."""

    events: tuple[Event, ...]
    next: str
    """The cursor to continue with, even without events: `event_page(page.next)` or `events(after=page.next)`."""
    has_more: bool
    """Say whether more events can be read at once."""

    @classmethod
    def from_json(cls, body: Json) -> Self:
        events = tuple(Event.from_json(event, event["cursor"]) for event in body["events"])
        return cls(events, body["next"], body["has_more"])
