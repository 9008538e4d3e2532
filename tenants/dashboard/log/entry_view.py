"""A request as a row of the log and on its own page, and the job that it was about. No queries."""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

from tenants.core.durations import duration
from tenants.request_log.entries import LogEntry

LONGEST_DETAIL = 300
"""The most characters of the message that is shown first. The full response is shown below it."""
_OWN_NAMES = {499: "Client closed the connection", 101: "WebSocket opened"}
_JOB = re.compile(r"/v1/jobs/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?![^/?])", re.IGNORECASE)


def entry_view(entry: LogEntry, key_names: Mapping[str, str], people: Mapping[str, str]) -> dict[str, Any]:
    """Return what the templates show. `kind` is the style of the badge: `good`, `wait` or `bad`."""
    problem = entry.problem_fields
    code, detail = entry.problem_words
    return entry._asdict() | {
        "status_words": _status_words(entry.status),
        "kind": "good" if entry.status < 400 else "wait" if entry.status < 500 else "bad",
        "took": duration(entry.ms / 1000),
        "at": datetime.fromtimestamp(entry.at, UTC),
        "who": _who(entry, key_names, people),
        "by_key": bool(entry.key_id),
        "code": code,
        "detail": detail if len(detail) <= LONGEST_DETAIL else f"{detail[: LONGEST_DETAIL - 1]}…",
        "problem": json.dumps(problem, indent=2, ensure_ascii=False) if problem else "",
        "job_id": _job_id_of(entry),
    }


def _job_id_of(entry: LogEntry) -> str:
    """Return the id of the job. It is empty if there was none, or if this request deleted it."""
    if entry.status == 404 or (entry.method == "DELETE" and entry.status < 400):
        return ""
    found = _JOB.match(entry.made) or _JOB.match(entry.path)
    return found[1].lower() if found else ""


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
