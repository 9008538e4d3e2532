"""Holds a request until its job is done. Only a coroutine waits: no thread and no database connection is held."""

import math
import time
from dataclasses import replace
from uuid import UUID

from jobs.intake.inner_requests import JOBS, WITH_RESULT, Answer, Asking, JobSeen, is_job, job_in
from jobs.streaming.hub import Hub, Watch, hanging_up
from jobs.streaming.request_headers import wait_asked_s
from tenants.api.authentication import IDENTITY
from tenants.core.asgi.protocol import MEMBER, App, Receive, Scope, Send
from tenants.identity.identity import Identity
from tenants.request_log.caller import CALLER, Caller

RESYNC_S = 5.0
"""Seconds between two checks of a wait whose tenant is not known: no round covers a lost notification."""

_OF_THE_FIRST_ANSWER = frozenset({b"content-length", b"content-type", b"retry-after"})


def wait_wanted_s(scope: Scope) -> int | None:
    submits = scope["method"] == "POST" and scope["path"] == JOBS
    looks = scope["method"] == "GET" and is_job(scope["path"])
    if not submits and not looks:
        return None
    return wait_asked_s(value.decode("latin-1") for name, value in scope["headers"] if name == b"prefer")


class Waits:
    """A handler that calls the application again when the job has ended. Django makes every response."""

    def __init__(self, inner: App, hub: Hub) -> None:
        self._inner = inner
        self._asking = Asking(inner)
        self._hub = hub

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        wait_s = wait_wanted_s(scope)
        if wait_s is None:
            await self._inner(scope, receive, send)
            return
        began_s = time.monotonic()
        first = await self._asking.ask(scope, receive)
        job = job_in(first)
        if job is None:
            await first.give(send)
            return
        last = await self._last_state(scope, receive, job, began_s + wait_s)
        if last is not None:
            answer = _final(scope, first, last)
            if scope["method"] == "POST":
                total_ms = (time.monotonic() - began_s) * 1000
                answer = answer.with_header(b"server-timing", _timing(answer, total_ms))
            await answer.with_header(b"preference-applied", b"wait=%d" % wait_s).give(send)

    async def _last_state(self, scope: Scope, receive: Receive, first: JobSeen, deadline_s: float) -> Answer | None:
        """Return the job when it has finished, or its state at the deadline. Return None if the client has
        disconnected.
        """
        tenant_id = _tenant_of(scope)
        resync_s = RESYNC_S if tenant_id is None else math.inf
        if first.done:
            return await self._asking.look(scope, first.id, WITH_RESULT)
        with (
            self._hub.watch(first.id, tenant_id=tenant_id, ends_only=True) as changed,
            hanging_up(receive, changed.wake) as gone,
        ):
            while True:
                # The first read covers changes between the first response and the watch.
                last = await self._asking.look(scope, first.id)
                seen = job_in(last)
                if seen is not None and seen.done:
                    return await self._asking.look(scope, first.id, WITH_RESULT)
                # A job that may not be read, or is gone, can never be seen to end.
                if seen is None or not await self._changes(changed, deadline_s, resync_s):
                    return last
                if gone.done():
                    return None

    async def _changes(self, changed: Watch, deadline_s: float, resync_s: float) -> bool:
        """Wait for a reason to read the job again. Return False if no time is left for that."""
        left_s = deadline_s - time.monotonic()
        if left_s > 0 and not self._hub.closed:
            await changed.wait(min(left_s, resync_s))
        return time.monotonic() < deadline_s and not self._hub.closed


def _final(scope: Scope, first: Answer, last: Answer) -> Answer:
    """Return the last state of the job, with the status and headers of the request that asked for it."""
    job = job_in(last)
    if job is None:
        return first
    if scope["method"] == "POST":
        names = {name.lower() for name, _ in last.headers}
        kept = [h for h in first.headers if h[0].lower() not in names | _OF_THE_FIRST_ANSWER]
        last = replace(last, status=200 if job.done else first.status, headers=(*last.headers, *kept))
    if not job.done and not last.has(b"retry-after"):
        last = last.with_header(b"retry-after", b"1")
    return last


def _timing(answer: Answer, total_ms: float) -> bytes:
    """Return the timing of the whole job. The wait in the queue is left out if it was before this request."""
    total = b"total;dur=%.2f" % total_ms
    job = job_in(answer)
    if job is None or job.queued_ms is None or job.queued_ms > total_ms:
        return total
    return b"queue;dur=%.2f, %b" % (job.queued_ms, total)


def _tenant_of(scope: Scope) -> UUID | None:
    """Return the tenant of the job: by key known before the request, by session when Django has responded."""
    caller = scope.get(CALLER)
    callers = (
        scope.get(IDENTITY),
        scope.get(MEMBER),
        caller.identity if isinstance(caller, Caller) else None,
    )
    return next((identity.tenant_id for identity in callers if isinstance(identity, Identity)), None)
