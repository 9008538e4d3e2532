"""Parses the messages that a client of the event socket may send."""

import json
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from tenants.core.errors import InvalidRequest, NotFound

LONGEST_CHARS = 4096
EVERYTHING = "all"
HOW = 'Example: {"subscribe": "all"} or {"subscribe": "<job id>", "after": 0}.'


@dataclass(frozen=True)
class FollowJob:
    job_id: UUID
    after: int


@dataclass(frozen=True)
class FollowTenant:
    after: str | None
    """The cursor, or None for everything from now on."""


@dataclass(frozen=True)
class Ping:
    """The question whether the server is still there. A page in a browser has no other way to find out."""


def parse_message(text: str) -> FollowJob | FollowTenant | Ping:
    if len(text) > LONGEST_CHARS:
        raise InvalidRequest(f"This message is longer than {LONGEST_CHARS} characters. {HOW}")
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidRequest(f"This message is not JSON. {HOW}") from None
    if content == {"ping": True}:
        return Ping()
    subject = content.get("subscribe") if isinstance(content, dict) else None
    if not isinstance(subject, str):
        raise InvalidRequest(f"This message has no subscription. {HOW}")
    after = content.get("after")
    return _tenant(after) if subject == EVERYTHING else _job(subject, after)


def _tenant(after: Any) -> FollowTenant:
    if after is not None and not isinstance(after, str):
        raise InvalidRequest('When you subscribe to "all", `after` must be a cursor from this socket.')
    return FollowTenant(after)


def _job(subject: str, after: Any) -> FollowJob:
    try:
        job_id = UUID(subject)
    except ValueError:
        # The message is the same as for a job that never existed or belongs to another tenant.
        raise NotFound(f"There is no job {subject[:60]!r}.") from None
    if after is None:
        return FollowJob(job_id, 0)
    if isinstance(after, bool) or not isinstance(after, int) or not 0 <= after < 2**31:
        raise InvalidRequest(
            "When you subscribe to a job, `after` must be the sequence number of the last received event."
        )
    return FollowJob(job_id, after)
