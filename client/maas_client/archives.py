"""Archives of documents: their state, their entries, and the request that sends an archive."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self, TypedDict

from maas_client.exchange import Request
from maas_client.resources import Json, Problem
from maas_client.submissions import key_header
from maas_client.uploads import Progress, Source, file_part


class Unpacking(TypedDict, total=False):
    """The options of an archive upload. Without a model, its documents are only stored."""

    model: str
    parameters: Mapping[str, Any]
    priority: str
    webhook_url: str
    class_set: str
    """Your class set that classes the documents, with a version or without. The default is your default set, and an
    empty text turns that off."""
    name: str
    """The name of the archive. The default is the file's own name."""
    progress: Progress
    idempotency_key: str
    """Your own key for this archive. The same key within a day returns the same archive. The default is a new key."""


@dataclass(frozen=True, slots=True)
class Archive:
    id: str
    name: str
    state: str
    """`unpacking`, `done`, `failed` or `canceled`."""
    size_bytes: int
    model: str | None
    error: Problem | None
    reason_waiting: str | None
    """The code of the reason why unpacking waits. It is tried again."""
    entries_total: int
    entries_waiting: int
    entries_done: int
    entries_failed: int
    entries_skipped: int
    entries_canceled: int
    created_at: datetime
    finished_at: datetime | None
    class_set: str | None = None
    """The version of the class set of the jobs."""

    @property
    def ended(self) -> bool:
        return self.state != "unpacking"

    @classmethod
    def from_json(cls, body: Json) -> Self:
        counts = {name: body[name] for name in cls.__slots__ if name.startswith("entries_")}
        ended = body["finished_at"]
        return cls(
            id=body["id"],
            name=body["name"],
            state=body["state"],
            size_bytes=body["size_bytes"],
            model=body["model"],
            error=Problem.from_json(body["error"]),
            reason_waiting=body["reason_waiting"],
            created_at=datetime.fromisoformat(body["created_at"]),
            finished_at=datetime.fromisoformat(ended) if ended else None,
            class_set=body.get("class_set"),
            **counts,
        )


@dataclass(frozen=True, slots=True)
class ArchiveEntry:
    """A file in an archive with its result: a document, and a job if a model was given, or the reason why there is
    none.
    """

    number: int
    name: str
    size_bytes: int
    state: str
    """`waiting`, `done`, `failed`, `skipped` or `canceled`."""
    document: str | None
    job: str | None
    skipped: str | None
    """The reason why it does not count as a document: `folder`, `made_by_system`, `signature` or `inline_picture`."""
    error: Problem | None

    @classmethod
    def from_json(cls, body: Json) -> Self:
        return cls(
            number=body["number"],
            name=body["name"],
            size_bytes=body["size_bytes"],
            state=body["state"],
            document=body["document"],
            job=body["job"],
            skipped=body["skipped"],
            error=Problem.from_json(body["error"]),
        )


def archive_request(file: Source, how: Unpacking) -> Request:
    form: dict[str, str] = {
        name: str(how[name]) for name in ("model", "priority", "webhook_url", "class_set") if name in how
    }
    if "parameters" in how:
        form["parameters"] = json.dumps(dict(how["parameters"]))
    return Request(
        "POST",
        "/v1/archives",
        form=form,
        file=file_part(file, how.get("name"), how.get("progress")),
        headers=key_header(how.get("idempotency_key")),
    )
