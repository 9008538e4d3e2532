"""The view of a request as a row of the log and on its own page. No queries."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus

from tenants.core.durations import duration
from tenants.dashboard.log.subject import job_id_of
from tenants.request_log.entries import LogEntry

LONGEST_DETAIL = 300
"""The most characters of the message that is shown first. The full response is shown below it."""
_OWN_NAMES = {499: "Client closed the connection", 101: "WebSocket opened"}


@dataclass(frozen=True)
class EntryView:
    id: str
    method: str
    path: str
    status: int
    status_words: str
    kind: str
    """The style of its badge: `good`, `wait` or `bad`."""
    took: str
    at: datetime
    who: str
    by_key: bool
    request_id: str
    client: str
    code: str
    detail: str
    problem: str
    job_id: str
    """The id of the job; empty if there is no job to link to."""


def entry_view(entry: LogEntry, key_names: Mapping[str, str], people: Mapping[str, str]) -> EntryView:
    problem = entry.problem_fields
    code, detail = entry.problem_words
    return EntryView(
        id=entry.id,
        method=entry.method,
        path=entry.path,
        status=entry.status,
        status_words=_status_words(entry.status),
        kind="good" if entry.status < 400 else "wait" if entry.status < 500 else "bad",
        took=duration(entry.ms / 1000),
        at=datetime.fromtimestamp(entry.at, UTC),
        who=_who(entry, key_names, people),
        by_key=bool(entry.key_id),
        request_id=entry.request_id,
        client=entry.client,
        code=code,
        detail=_shortened(detail),
        problem=json.dumps(problem, indent=2, ensure_ascii=False) if problem else "",
        job_id=job_id_of(entry),
    )


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_DETAIL else f"{text[: LONGEST_DETAIL - 1]}…"


def _status_words(status: int) -> str:
    if status in _OWN_NAMES:
        return _OWN_NAMES[status]
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""


def _who(entry: LogEntry, key_names: Mapping[str, str], people: Mapping[str, str]) -> str:
    if entry.key_id:
        return key_names.get(entry.key_id, "Deleted key")
    return people.get(entry.user_id, "Former member")
