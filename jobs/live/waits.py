"""Holds a request until its job is done, with a coroutine only: no thread, no database connection."""

import asyncio
import json
import re
import time
from dataclasses import dataclass, replace
from uuid import UUID

from jobs.live.hub import Hub, Watch
from jobs.live.preferences import wait_asked_s
from jobs.live.protocol import UPLOAD, App, Message, Receive, Scope, Send, until_disconnect, without_headers
from jobs.states import TERMINAL

RESYNC_S = 5.0
"""Hints may be lost; at most this long is one waited for before looking again."""

JOBS = "/v1/jobs"
WITH_RESULT = b"include=result"
_JOB_PATH = re.compile(rf"{JOBS}/([0-9a-fA-F-]{{32,36}})")
# Of the first request and not of the question for its job: a 304 or a part would be no answer to that.
_OF_THE_FIRST_REQUEST = frozenset(
    {
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
_OF_THE_FIRST_ANSWER = frozenset({b"content-length", b"content-type", b"retry-after"})


@dataclass(frozen=True)
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


@dataclass(frozen=True)
class JobSeen:
    id: UUID
    done: bool


def job_in(answer: Answer) -> JobSeen | None:
    """The job that an answer tells of; None for errors and for anything else."""
    if answer.status not in {200, 202}:
        return None
    try:
        body = json.loads(answer.body)
        return JobSeen(UUID(body["id"]), body["state"] in TERMINAL)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def wait_wanted_s(scope: Scope) -> int | None:
    submits = scope["method"] == "POST" and scope["path"] == JOBS
    looks = scope["method"] == "GET" and _JOB_PATH.fullmatch(scope["path"]) is not None
    if not submits and not looks:
        return None
    return wait_asked_s(value.decode("latin-1") for name, value in scope["headers"] if name == b"prefer")


class Waits:
    """Asks the application, waits for the job to end, and asks again: what is answered is always Django's."""

    def __init__(self, inner: App, hub: Hub) -> None:
        self._inner = inner
        self._hub = hub

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        wait_s = wait_wanted_s(scope)
        if wait_s is None:
            await self._inner(scope, receive, send)
            return
        deadline_s = time.monotonic() + wait_s
        first = await self._ask(scope, receive)
        job = job_in(first)
        if job is None:
            await first.give(send)
            return
        last = await self._last_state(scope, receive, job, deadline_s)
        if last is not None:
            answer = _final(scope, first, last)
            await answer.with_header(b"preference-applied", b"wait=%d" % wait_s).give(send)

    async def _last_state(
        self, scope: Scope, receive: Receive, first: JobSeen, deadline_s: float
    ) -> Answer | None:
        """The job with its result once it is done, or as it stands at the deadline; None when nobody listens."""
        with self._hub.watch(first.id, ends_only=True) as changed:
            gone = asyncio.get_running_loop().create_task(until_disconnect(receive))
            gone.add_done_callback(lambda _: changed.wake())
            try:
                if first.done:
                    return await self._ask_for(scope, first.id, WITH_RESULT)
                while True:
                    # The first look closes the gap between the first answer and the watch.
                    last = await self._ask_for(scope, first.id)
                    seen = job_in(last)
                    if seen is not None and seen.done:
                        return await self._ask_for(scope, first.id, WITH_RESULT)
                    # A job that may not be read, or is gone, will not be seen to end.
                    if seen is None or not await self._changes(changed, deadline_s):
                        return last
                    if gone.done():
                        return None
            finally:
                gone.cancel()

    async def _changes(self, changed: Watch, deadline_s: float) -> bool:
        """Waits for a reason to look again; False when there is no time left to."""
        left_s = deadline_s - time.monotonic()
        if left_s > 0 and not self._hub.closed:
            await changed.wait(min(left_s, RESYNC_S))
        return time.monotonic() < deadline_s and not self._hub.closed

    async def _ask_for(self, scope: Scope, job_id: UUID, query: bytes = b"") -> Answer:
        path = f"{JOBS}/{job_id}"
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
        return await self._ask(inner, _nothing_more)

    async def _ask(self, scope: Scope, receive: Receive) -> Answer:
        status, headers, body = 500, [], bytearray()

        async def keep(message: Message) -> None:
            nonlocal status, headers
            if message["type"] == "http.response.start":
                status, headers = message["status"], list(message["headers"])
            else:
                body.extend(message.get("body", b""))

        await self._inner(scope, receive, keep)
        return Answer(status, tuple(headers), bytes(body))


async def _nothing_more() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


def _final(scope: Scope, first: Answer, last: Answer) -> Answer:
    """The job's last state, in the envelope of the request that asked for it."""
    job = job_in(last)
    if job is None:
        return first
    if scope["method"] == "POST":
        known = {name.lower() for name, _ in last.headers}
        kept = [h for h in first.headers if h[0].lower() not in known | _OF_THE_FIRST_ANSWER]
        last = replace(last, status=200 if job.done else first.status, headers=(*last.headers, *kept))
    if not job.done and not last.has(b"retry-after"):
        last = last.with_header(b"retry-after", b"1")
    return last
