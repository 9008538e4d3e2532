"""The events of jobs."""

from dataclasses import dataclass
from datetime import datetime
from typing import Self

from maas_client.resources.json_values import Json


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
