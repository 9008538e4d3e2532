"""Sends on an open stream what its tail reads, until there is nothing more to send or the client is gone."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress

import structlog

from jobs.core.states import TERMINAL
from jobs.intake.inner_requests import Answer
from jobs.intake.metrics import ENDED
from jobs.streaming.credential_checks import CheckedCredential, CredentialChecks
from jobs.streaming.credentials import Credential
from jobs.streaming.event_blocks import KEEP_ALIVE, block, close_block, event_block, final_block, ready_block
from jobs.streaming.hub import Hub, Watch, moving, pause_ms
from jobs.streaming.tails import JobTail, Reading, Tail, TenantTail
from tenants.core.asgi.protocol import ClientGone, Message, Receive, Send, until_disconnect
from tenants.core.asgi.threads import DatabaseThreads
from tenants.core.errors import DomainError, NotSignedIn

log = structlog.get_logger(__name__)
KEEP_ALIVE_S = 15.0
"""Seconds between two keep-alive comments. Proxies close a connection that is silent for half a minute."""
SLOW_CLIENT_S = 30.0
AGAIN_MS = 2_000
UNSETTLED_S = 0.025
LONGEST_UNSETTLED_S = 1.0
_JOB_ENDS = frozenset(f"job.{state}" for state in TERMINAL)


class TooSlow(Exception):
    """The client does not take any data. What is read for it would have to be kept in memory."""


class Follower:
    """The response of one request, which is sent in pieces."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive = receive
        self._send = send
        self.gone = False

    async def start(self, headers: tuple[tuple[bytes, bytes], ...]) -> None:
        await self._send({"type": "http.response.start", "status": 200, "headers": list(headers)})

    async def say(self, data: bytes) -> None:
        if data:
            await self._within_patience({"type": "http.response.body", "body": data, "more_body": True})

    async def finish(self, data: bytes = b"") -> None:
        await self._within_patience({"type": "http.response.body", "body": data})

    async def _within_patience(self, message: Message) -> None:
        try:
            async with asyncio.timeout(SLOW_CLIENT_S):
                await self._send(message)
        except TimeoutError:
            raise TooSlow from None

    @contextmanager
    def listening(self, hung_up: Callable[[], None]) -> Iterator[None]:
        listener = asyncio.ensure_future(until_disconnect(self._receive))

        def leave(ended: "asyncio.Future[None]") -> None:
            if not ended.cancelled():
                self.gone = True
                hung_up()

        listener.add_done_callback(leave)
        try:
            yield
        finally:
            listener.cancel()


class Following:
    """The loops that follow tails. A waiting stream is a coroutine without thread or database connection."""

    def __init__(self, hub: Hub, threads: DatabaseThreads, credential_checks: CredentialChecks) -> None:
        self._hub = hub
        self._threads = threads
        self._credential_checks = credential_checks

    async def read(self, tail: Tail) -> Reading:
        return await self._threads.run(tail.read)

    async def job(
        self,
        follower: Follower,
        held: Credential,
        tail: JobTail,
        look: Callable[[], Awaitable[Answer]],
        *,
        first: Reading = Reading(),  # noqa: B008  # frozen
        ended: bool,
    ) -> None:
        async def story() -> None:
            await follower.say(block(retry_ms=AGAIN_MS))
            await self._follow(follower, held, tail, first, ended=ended)
            await follower.finish(final_block(await look()))

        await self._to_its_end(follower, held, story())

    async def tenant(
        self,
        follower: Follower,
        held: Credential,
        tail: TenantTail,
        first: Reading,
        begins_at: str | int | None,
    ) -> None:
        """Send a tenant's events, without end. `begins_at` comes first, so that a client cut off early misses none."""

        async def story() -> None:
            await follower.say(ready_block(begins_at, retry_ms=AGAIN_MS))
            await self._follow(follower, held, tail, first)

        await self._to_its_end(follower, held, story())

    async def _to_its_end(self, follower: Follower, held: Credential, story: Awaitable[None]) -> None:
        reason, tenant_id = "failed", str(held.identity.tenant_id)
        try:
            await story
            reason = "done"
        except ClientGone:
            reason = "disconnected"
        except TooSlow:
            reason = "slow"
            log.info("stream_too_slow", tenant_id=tenant_id)
        except DomainError as error:
            reason = error.code
            log.info("stream_closed", code=error.code, tenant_id=tenant_id)
            await self._close(follower, error.code, error.detail)
        except Exception:
            log.exception("stream_failed", tenant_id=tenant_id)
            await self._close(follower, "internal_error", "Something went wrong on our side. Connect again.")
        finally:
            ENDED.labels(reason=reason).inc()

    async def _close(self, follower: Follower, code: str, detail: str) -> None:
        with suppress(TooSlow):
            await follower.finish(close_block(code, detail, retry_ms=pause_ms()))

    async def _follow(
        self, follower: Follower, held: Credential, tail: Tail, first: Reading, *, ended: bool = False
    ) -> None:
        """Send what the tail reads. Return once a job has ended and all of its events are sent."""
        tenant_id = held.identity.tenant_id
        with (
            self._hub.watch(tail.subject, tenant_id=tenant_id) as changed,
            self._credential_checks.received(held, changed.wake) as checked,
            follower.listening(changed.wake),
        ):
            changed.wake()  # A change between the first read and the watch is read at once.
            reading, timeout_s = first, UNSETTLED_S
            while True:
                await follower.say(b"".join(map(event_block, reading.deliveries)))
                ended = ended or _tells_of_the_end(tail, reading)
                if ended:
                    changed.wake()  # Events after the end are still read, and then no more.
                timeout_s = min(timeout_s * 2, LONGEST_UNSETTLED_S) if reading.unsettled else UNSETTLED_S
                if not reading.more:
                    await self._pause(follower, changed, timeout_s if reading.unsettled else None)
                self._check(follower, checked)
                reading = await self.read(tail)
                changed.seen = tail.place or 0
                if ended and not reading.deliveries:
                    return

    async def _pause(self, follower: Follower, changed: Watch, unsettled_s: float | None) -> None:
        """Wait until there is a reason to read."""
        if unsettled_s is not None:
            await changed.wait(unsettled_s)
            return
        while not await changed.wait(KEEP_ALIVE_S):
            await follower.say(KEEP_ALIVE)

    def _check(self, follower: Follower, checked: CheckedCredential) -> None:
        if follower.gone:
            raise ClientGone
        if self._hub.closed:
            raise moving()
        if not checked.welcome:
            raise NotSignedIn("Your credentials are no longer valid. Sign in again or use another key.")


def _tells_of_the_end(tail: Tail, reading: Reading) -> bool:
    return isinstance(tail, JobTail) and any(delivery.event["type"] in _JOB_ENDS for delivery in reading.deliveries)
