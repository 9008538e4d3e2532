"""Requests to the inner application for a job, on behalf of the caller. The response is always the one from Django."""

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from jobs.core.states import TERMINAL
from tenants.core.asgi.protocol import UPLOAD, App, Message, Receive, Scope, Send, without_headers

JOBS = "/v1/jobs"
WITH_RESULT = b"include=result"
MAX_LOOKS = 128
"""The most looks at once. Thousands of waiters notified together must not fill the queue of new requests."""
_JOB_PATH = re.compile(rf"{JOBS}/([0-9a-fA-F-]{{32,36}})")
# These headers belong to the first request and not to the request for its job. A 304 or a partial response would not
# answer the request for the job.
_OF_THE_FIRST_REQUEST = frozenset(
    {
        b"accept",
        b"content-type",
        b"content-length",
        b"transfer-encoding",
        b"idempotency-key",
        b"prefer",
        b"if-none-match",
        b"if-modified-since",
        b"range",
    }
)


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes

    async def give(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status, "headers": list(self.headers)})
        await send({"type": "http.response.body", "body": self.body})

    def with_header(self, name: bytes, value: bytes) -> "Answer":
        return replace(self, headers=(*self.headers, (name, value)))

    def has(self, name: bytes) -> bool:
        return any(key.lower() == name for key, _ in self.headers)


@dataclass(frozen=True, slots=True)
class JobSeen:
    id: UUID
    done: bool
    last_seq: int
    queued_ms: float | None = None
    """The time in milliseconds from acceptance until a worker began the job, or None until then."""


def job_in(answer: Answer) -> JobSeen | None:
    """Return the job that a response describes, or None for errors and for anything else."""
    if answer.status not in {200, 202}:
        return None
    try:
        body = json.loads(answer.body)
        return JobSeen(UUID(body["id"]), body["state"] in TERMINAL, body.get("last_seq", 0), _queued_ms(body))
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _queued_ms(job: Mapping[str, Any]) -> float | None:
    """Return the time that the job waited for a worker. None also if all pages were cached."""
    if job.get("pages_cached") and job["pages_cached"] == job.get("pages_total"):
        return None
    accepted, begun = job.get("created_at"), job.get("started_at")
    if accepted is None or begun is None:
        return None
    waited = datetime.fromisoformat(begun) - datetime.fromisoformat(accepted)
    return max(0.0, waited.total_seconds() * 1000)


def is_job(path: str) -> bool:
    return _JOB_PATH.fullmatch(path) is not None


class Asking:
    def __init__(self, inner: App) -> None:
        self._inner = inner
        self._turns = asyncio.Semaphore(MAX_LOOKS)

    async def ask(self, scope: Scope, receive: Receive) -> Answer:
        status, headers, body = 500, [], bytearray()

        async def keep(message: Message) -> None:
            nonlocal status, headers
            if message["type"] == "http.response.start":
                status, headers = message["status"], list(message["headers"])
            else:
                body.extend(message.get("body", b""))

        await self._inner(scope, receive, keep)
        return Answer(status, tuple(headers), bytes(body))

    async def look(self, scope: Scope, job_id: UUID | str, query: bytes = b"") -> Answer:
        """Return the current state of the job."""
        return await self.look_at(scope, f"{JOBS}/{job_id}", query)

    async def look_at(self, scope: Scope, path: str, query: bytes) -> Answer:
        inner = {
            **scope,
            "method": "GET",
            "maas.looks_again": True,
            "path": path,
            "raw_path": path.encode(),
            "query_string": query,
            "headers": without_headers(scope, _OF_THE_FIRST_REQUEST),
        }
        inner.pop(UPLOAD, None)
        async with self._turns:
            return await self.ask(inner, nothing_more)


async def nothing_more() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


def replayed(body: bytes, receive: Receive, *, whole: bool = True) -> Receive:
    """Return a `receive` callable that first returns this body and then the messages of `receive`, such as the
    disconnect.
    """
    is_replayed = False

    async def receive_again() -> Message:
        nonlocal is_replayed
        if is_replayed:
            return await receive()
        is_replayed = True
        return {"type": "http.request", "body": body, "more_body": not whole}

    return receive_again
