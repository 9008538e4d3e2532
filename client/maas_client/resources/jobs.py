"""A job and the states in which it has ended."""

from dataclasses import dataclass
from datetime import datetime
from typing import Self

from maas_client.resources.classifications import Classification
from maas_client.resources.costs import Cost
from maas_client.resources.json_values import Json, time_of
from maas_client.resources.problems import Problem

ENDS = frozenset({"succeeded", "partially_succeeded", "failed", "canceled", "expired"})


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
            started_at=time_of(body["started_at"]),
            finished_at=time_of(body["finished_at"]),
            priority=body.get("priority", "standard"),
            expires_at=time_of(body.get("expires_at")),
            cancel_at=time_of(body.get("cancel_at")),
            position=body.get("position"),
            eta_seconds=body.get("eta_seconds"),
            reason_waiting=body.get("reason_waiting"),
            pages_to_review=body.get("pages_to_review", 0),
            quality=body.get("quality"),
            document_class=Classification.from_json(body.get("class")),
        )
