"""The read-only objects that the service returns. Fields that a newer service adds are ignored."""

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
        )


@dataclass(frozen=True, slots=True)
class Line:
    text: str
    box: tuple[tuple[float, float], ...] | None
    """The four corners in pixels of the page's picture, clockwise from the top left. None if no picture was read."""
    confidence: float | None

    @classmethod
    def from_json(cls, body: Json) -> Self:
        box = tuple((x, y) for x, y in body["box"]) if body["box"] else None
        return cls(body["text"], box, body["confidence"])


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
    def label(self) -> str | None:
        """The kind of document that the page looks like."""
        found = self.data.get("class")
        return str(found["label"]) if found else None

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
