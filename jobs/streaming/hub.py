"""The listener for change notifications, one per process, and the tasks of that process that wait for them."""

import asyncio
import json
import math
import secrets
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from uuid import UUID

import redis.asyncio
import structlog
from redis.exceptions import RedisError

from jobs.events.changes import CHANNEL
from tenants.core.asgi.protocol import Receive, until_disconnect
from tenants.core.errors import DomainError

log = structlog.get_logger(__name__)
SPREAD_MS = (1_000, 10_000)


def pause_ms() -> int:
    """Return a random pause, so that each client gets another one."""
    return SPREAD_MS[0] + secrets.randbelow(SPREAD_MS[1] - SPREAD_MS[0])


def moving() -> DomainError:
    return DomainError(
        "The service is restarting. Reconnect and continue after the last event.",
        code="restarting",
        extra={"retry_after_ms": pause_ms()},
    )


FIRST_RETRY_S = 0.1
LONGEST_RETRY_S = 5.0
PING_S = 15.0
SUBSCRIBE_S = 5.0


@dataclass(frozen=True)
class Change:
    tenant_id: UUID
    job_id: UUID
    ended: bool = False


def parse_change(payload: bytes | str) -> Change | None:
    try:
        values = json.loads(payload)
        return Change(UUID(values["tenant"]), UUID(values["job"]), values.get("ended") is True)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def parse_access(payload: bytes | str) -> UUID | None:
    """Return the tenant whose callers may have lost access, or None for any other notification."""
    try:
        values = json.loads(payload)
        return UUID(values["tenant"]) if values.get("access") is True else None
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


class Watch:
    """A flag that says that something changed, not how often, so a slow reader costs no memory."""

    __slots__ = ("_changed", "_ends_only", "seen", "tenant_id")

    def __init__(self, tenant_id: UUID | None = None, *, ends_only: bool = False) -> None:
        self.tenant_id = tenant_id
        self.seen: str | int = 0
        """The last position in the event log that the watcher has read. Rounds report what comes after it."""
        self._changed = asyncio.Event()
        self._ends_only = ends_only

    def hear(self, change: Change) -> None:
        if change.ended or not self._ends_only:
            self.wake()

    def wake(self) -> None:
        self._changed.set()

    async def wait(self, timeout_s: float) -> bool:
        """Return True at a change, also one since the last wait, or False after the timeout."""
        try:
            async with asyncio.timeout(None if timeout_s == math.inf else timeout_s):
                await self._changed.wait()
        except TimeoutError:
            return False
        self._changed.clear()
        return True


@contextmanager
def hanging_up(receive: Receive, wake: Callable[[], None]) -> Iterator["asyncio.Task[None]"]:
    """Call `wake` when the client hangs up. The task is done by then."""
    gone = asyncio.get_running_loop().create_task(until_disconnect(receive))
    gone.add_done_callback(lambda _: wake())
    try:
        yield gone
    finally:
        gone.cancel()


class Hub:
    """The watches of a process and their notifications, mere hints. `Rounds` check those that name a tenant."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._watches: defaultdict[UUID, set[Watch]] = defaultdict(set)
        self._task: asyncio.Task[None] | None = None
        self.closed = False
        self._of_access: list[Callable[[UUID], None]] = []

    def hear_of_access(self, listen: Callable[[UUID], None]) -> None:
        """Register a function that is called with the tenant whose access has changed."""
        self._of_access.append(listen)

    @contextmanager
    def watch(self, subject: UUID, *, tenant_id: UUID | None = None, ends_only: bool = False) -> Iterator[Watch]:
        """Watch a subject, which is the id of a job or a tenant. Ids are unique across both."""
        self.start()
        watch = Watch(tenant_id, ends_only=ends_only)
        self._watches[subject].add(watch)
        try:
            yield watch
        finally:
            self._watches[subject].discard(watch)
            if not self._watches[subject]:
                del self._watches[subject]

    def watched(self) -> dict[UUID, set[UUID]]:
        """Return the subjects that are watched now, by tenant."""
        found: defaultdict[UUID, set[UUID]] = defaultdict(set)
        for subject, watches in self._watches.items():
            for watch in watches:
                if watch.tenant_id is not None:
                    found[watch.tenant_id].add(subject)
        return found

    def watches(self, subject: UUID) -> tuple[Watch, ...]:
        return tuple(self._watches.get(subject, ()))

    def start(self) -> None:
        if self._task is None and not self.closed:
            self._task = asyncio.get_running_loop().create_task(self._listen())

    def close(self) -> None:
        """Stop listening and notify all waiting tasks, so that they respond with what they have."""
        self.closed = True
        if self._task is not None:
            self._task.cancel()
        self._wake_all()

    async def _listen(self) -> None:
        retry_s = FIRST_RETRY_S
        while True:
            try:
                async with (
                    redis.asyncio.Redis.from_url(self._url, socket_connect_timeout=2) as client,
                    client.pubsub(ignore_subscribe_messages=True) as channel,
                ):
                    # The timeout includes what a connection sends before the subscription, because that may get lost as
                    # well.
                    async with asyncio.timeout(SUBSCRIBE_S):
                        await channel.subscribe(CHANNEL)
                    retry_s = FIRST_RETRY_S
                    # Messages that were sent while nobody listened are lost, so every watcher checks by itself.
                    self._wake_all()
                    await self._relay(channel)
            except (RedisError, OSError) as error:
                log.warning("change_listener_disconnected", error=str(error), retry_s=retry_s)
            except Exception:
                # This is a defect. Without a listener every socket and every wait of this process would be slow until
                # it ends.
                log.exception("change_listener_failed", retry_s=retry_s)
            await asyncio.sleep(retry_s)
            retry_s = min(retry_s * 2, LONGEST_RETRY_S)

    async def _relay(self, channel: "redis.asyncio.client.PubSub") -> None:
        heard_s = time.monotonic()
        while True:
            message = await channel.get_message(timeout=PING_S)
            if message is None:
                if time.monotonic() - heard_s > 2 * PING_S:
                    # Something on the way drops all data and reports it to neither side.
                    raise redis.TimeoutError("the connection does not answer any more")
                await channel.ping()
                continue
            heard_s = time.monotonic()
            if message["type"] != "message":
                continue
            change, access = parse_change(message["data"]), parse_access(message["data"])
            if access is not None:
                for listen in self._of_access:
                    listen(access)
            if change is not None:
                self._tell(change.job_id, change)
                self._tell(change.tenant_id, change)

    def _tell(self, subject: UUID, change: Change) -> None:
        for watch in self._watches.get(subject, ()):
            watch.hear(change)

    def _wake_all(self) -> None:
        for watches in self._watches.values():
            for watch in watches:
                watch.wake()
