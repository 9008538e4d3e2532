"""Holds a request for the tenant's events until there are some, in a coroutine without thread or connection."""

import asyncio
import json
import math
import time
from urllib.parse import parse_qsl, urlencode

from jobs.intake.inner_requests import Answer, Asking
from jobs.streaming.authorizer import Authorizer
from jobs.streaming.credential_checks import CheckedCredential, CredentialChecks
from jobs.streaming.credentials import Credential
from jobs.streaming.following import LONGEST_UNSETTLED_S, UNSETTLED_S
from jobs.streaming.hub import Hub, hanging_up
from jobs.streaming.open_connections import OpenConnections
from jobs.streaming.request_headers import wait_asked_s
from jobs.streaming.streams import EVENTS
from jobs.streaming.tails import Reading, TenantTail
from tenants.core.asgi.protocol import App, ClientGone, Receive, Scope, Send, headers_of
from tenants.core.asgi.threads import DatabaseThreads
from tenants.core.errors import NotSignedIn


class EventWaits:
    """A handler that calls the application again after a change. Django makes every response."""

    def __init__(
        self,
        inner: App,
        *,
        authorizer: Authorizer,
        seats: OpenConnections,
        hub: Hub,
        threads: DatabaseThreads,
        credential_checks: CredentialChecks,
    ) -> None:
        self._inner = inner
        self._asking = Asking(inner)
        self._authorizer = authorizer
        self._seats = seats
        self._hub = hub
        self._threads = threads
        self._credential_checks = credential_checks

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        wait_s = wait_wanted_s(scope)
        if wait_s is None:
            await self._inner(scope, receive, send)
            return
        deadline_s = time.monotonic() + wait_s
        held = await self._authorizer.admit_request(scope, "events:read")
        with self._seats.seat(held.identity.tenant_id, "wait"):
            answer = await self._asking.ask(scope, receive)
            position = place_if_nothing_happened(answer)
            if position is not None:
                tail = TenantTail(held.identity, position)
                if await self._something_happens(held, tail, receive, deadline_s):
                    answer = await self._asking.look_at(scope, EVENTS, _query_after(scope, position))
        await answer.with_header(b"preference-applied", b"wait=%d" % wait_s).give(send)

    async def _something_happens(self, held: Credential, tail: TenantTail, receive: Receive, deadline_s: float) -> bool:
        with (
            self._hub.watch(tail.subject, tenant_id=tail.subject) as changed,
            self._credential_checks.received(held, changed.wake) as checked,
            hanging_up(receive, changed.wake) as gone,
        ):
            timeout_s = UNSETTLED_S
            while (left_s := deadline_s - time.monotonic()) > 0 and not self._hub.closed:
                # The first read covers changes between the first response and the watch.
                reading = await self._read(tail, checked, gone)
                changed.seen = tail.place or 0
                if reading.deliveries:
                    return True
                if reading.more:
                    continue
                timeout_s = min(timeout_s * 2, LONGEST_UNSETTLED_S) if reading.unsettled else UNSETTLED_S
                await changed.wait(min(left_s, timeout_s if reading.unsettled else math.inf))
            return False

    async def _read(self, tail: TenantTail, checked: CheckedCredential, gone: "asyncio.Task[None]") -> Reading:
        if gone.done():
            raise ClientGone
        if not checked.welcome:
            raise NotSignedIn("Your credentials are no longer valid. Sign in again or use another key.")
        return await self._threads.run(tail.read)


def wait_wanted_s(scope: Scope) -> int | None:
    if scope["method"] != "GET" or scope["path"] != EVENTS:
        return None
    return wait_asked_s(headers_of(scope, b"prefer"))


def place_if_nothing_happened(answer: Answer) -> str | None:
    """Return the position to read on from after a response without events, or None for any other response."""
    if answer.status != 200:
        return None
    page = json.loads(answer.body)
    return None if page["events"] else str(page["next"])


def _query_after(scope: Scope, position: str) -> bytes:
    params = dict(parse_qsl(scope["query_string"].decode("latin-1")))
    return urlencode({**params, "after": position}).encode()
