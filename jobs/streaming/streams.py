"""Handles the paths of event streams (`text/event-stream`), up to the first byte of a response."""

from functools import partial

from jobs.intake.inner_requests import JOBS, WITH_RESULT, Asking, is_job, job_in
from jobs.streaming.authorizer import Authorizer
from jobs.streaming.following import Follower, Following
from jobs.streaming.open_connections import OpenConnections
from jobs.streaming.request_headers import EVENT_STREAM, parameters, place_asked, prefers_stream, seq_of
from jobs.streaming.tails import JobTail, TenantTail
from tenants.core.asgi.protocol import App, Receive, Scope, Send, header, without_headers
from tenants.core.errors import InvalidRequest

EVENTS = "/v1/events"
_OF_JOB = "/events"
_AGAIN = "/retry"
_READING = frozenset({"GET", "HEAD"})
_OF_THE_STREAM = frozenset({b"accept", b"prefer", b"last-event-id"})
"""The headers that are not passed to Django, which responds in JSON and at once."""
_KEPT = frozenset({b"location", b"idempotent-replay", b"set-cookie"})
"""The headers of the response to a submission that are kept."""
Headers = tuple[tuple[bytes, bytes], ...]
HEADERS: Headers = (
    (b"content-type", EVENT_STREAM.encode()),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
    (b"x-content-type-options", b"nosniff"),
    (b"vary", b"Accept"),
)


class Streams:
    """The handler of event streams. Refusals are raised as domain errors, or are responses of Django."""

    def __init__(self, inner: App, authorizer: Authorizer, seats: OpenConnections, following: Following) -> None:
        self._inner = inner
        self._asking = Asking(inner)
        self._authorizer = authorizer
        self._seats = seats
        self._following = following

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path, method, accept = scope["path"], scope["method"], header(scope, b"accept")
        if path == EVENTS and method in _READING and prefers_stream(accept):
            await self._of_tenant(scope, receive, send)
        elif method in _READING and (job := _job_at(path)) and prefers_stream(accept):
            await self._of_job(scope, receive, send, job)
        elif method == "POST" and _submits(path) and prefers_stream(accept):
            await self._of_submission(scope, receive, send)
        else:
            await self._inner(scope, receive, send)

    async def _of_tenant(self, scope: Scope, receive: Receive, send: Send) -> None:
        held = await self._authorizer.admit_request(scope, "events:read")
        params = parameters(scope["query_string"], "after")
        position = place_asked(header(scope, b"last-event-id"), params.get("after"))
        tail = TenantTail(held.identity, position)
        with self._seats.seat(held.identity.tenant_id, "tenant"):
            first = await self._following.read(tail)
            follower = Follower(receive, send)
            await follower.start(HEADERS)
            if scope["method"] == "HEAD":
                await follower.finish()
            else:
                begins_at = tail.place if position is None else position
                await self._following.tenant(follower, held, tail, first, begins_at)

    async def _of_job(self, scope: Scope, receive: Receive, send: Send, job_id: str) -> None:
        held = await self._authorizer.admit_request(scope, "jobs:read")
        params = parameters(scope["query_string"], "after", "include")
        after = seq_of(place_asked(header(scope, b"last-event-id"), params.get("after")))
        query = _query_of_last(params)
        with self._seats.seat(held.identity.tenant_id, "job"):
            first = await self._asking.look(scope, job_id)
            job = job_in(first)
            if job is None:
                await first.give(send)
                return
            tail = JobTail(held.identity, job.id, after)
            # The events are read before the response begins. If they are erased, that is the response.
            reading = await self._following.read(tail)
            follower = Follower(receive, send)
            await follower.start(HEADERS)
            if scope["method"] == "HEAD":
                await follower.finish()
            else:
                look = partial(self._asking.look, scope, job.id, query)
                await self._following.job(follower, held, tail, look, first=reading, ended=job.done)

    async def _of_submission(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Create a job and stream its events. A repeat under its Idempotency-Key continues where it was cut off."""
        held = await self._authorizer.admit_request(scope, "jobs:read")
        seen = seq_of(place_asked(header(scope, b"last-event-id"), None))
        query = _query_of_last(parameters(scope["query_string"], "include"))
        with self._seats.seat(held.identity.tenant_id, "job"):
            inner = {**scope, "headers": without_headers(scope, _OF_THE_STREAM), "query_string": b""}
            first = await self._asking.ask(inner, receive)
            job = job_in(first)
            if job is None:
                await first.give(send)
                return
            follower = Follower(receive, send)
            await follower.start((*HEADERS, *(pair for pair in first.headers if pair[0].lower() in _KEPT)))
            goes_on = first.has(b"idempotent-replay") and seen <= job.last_seq
            tail = JobTail(held.identity, job.id, seen if goes_on else 0)
            look = partial(self._asking.look, scope, job.id, query)
            await self._following.job(follower, held, tail, look, ended=job.done)


def _job_at(path: str) -> str | None:
    """Return the id of the job if the path is that of a job or of its events."""
    job = path.removesuffix(_OF_JOB)
    return job.removeprefix(f"{JOBS}/") if is_job(job) else None


def _submits(path: str) -> bool:
    """Return whether the path creates a job: a new one, or one that retries what failed in another."""
    return path == JOBS or (path.endswith(_AGAIN) and is_job(path.removesuffix(_AGAIN)))


def _query_of_last(params: dict[str, str]) -> bytes:
    include = params.get("include")
    if include not in {None, "result"}:
        raise InvalidRequest(f"Unknown value include={include[:40]!r}. Use include=result.")
    return WITH_RESULT if include else b""
