"""One listener per process for "something changed", and everybody in it who waits to hear that."""

import asyncio
import json
import math
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

log = structlog.get_logger(__name__)
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
    """Whose account it is about, where it says that somebody may be let in no more."""
    try:
        values = json.loads(payload)
        return UUID(values["tenant"]) if values.get("access") is True else None
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


class Watch:
    """Remembers that something changed, not how often: a slow reader costs nobody any memory."""

    __slots__ = ("_changed", "_ends_only", "seen", "tenant_id")

    def __init__(self, tenant_id: UUID | None = None, *, ends_only: bool = False) -> None:
        self.tenant_id = tenant_id
        self.seen: str | int = 0
        """The last place in the event log that whoever watches has read; rounds tell of what lies after it."""
        self._changed = asyncio.Event()
        self._ends_only = ends_only

    def hear(self, change: Change) -> None:
        if change.ended or not self._ends_only:
            self.wake()

    def wake(self) -> None:
        self._changed.set()

    async def wait(self, timeout_s: float) -> bool:
        """Returns at the next change, or at one since the last wait; False when the time is up."""
        try:
            async with asyncio.timeout(None if timeout_s == math.inf else timeout_s):
                await self._changed.wait()
        except TimeoutError:
            return False
        self._changed.clear()
        return True


class Hub:
    """Hints only, which may be lost: `Rounds` look after whoever names a tenant, and others look again themselves."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._watches: defaultdict[UUID, set[Watch]] = defaultdict(set)
        self._task: asyncio.Task[None] | None = None
        self.closed = False
        self._of_access: list[Callable[[UUID], None]] = []

    def hear_of_access(self, listen: Callable[[UUID], None]) -> None:
        """Is told whose account it is about."""
        self._of_access.append(listen)

    @contextmanager
    def watch(
        self, subject: UUID, *, tenant_id: UUID | None = None, ends_only: bool = False
    ) -> Iterator[Watch]:
        """`subject` is a job's id or a tenant's; ids are unique across both."""
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
        """By tenant, the subjects that are watched now."""
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
        """Everybody who waits is woken, to answer with what they know."""
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
                    # With what a connection says before that, which may be swallowed as well.
                    async with asyncio.timeout(SUBSCRIBE_S):
                        await channel.subscribe(CHANNEL)
                    retry_s = FIRST_RETRY_S
                    # What was said while nobody listened is gone: everybody looks for themselves.
                    self._wake_all()
                    await self._relay(channel)
            except (RedisError, OSError) as error:
                log.warning("changes_not_heard", error=str(error), retry_s=retry_s)
            except Exception:
                # A defect; without a listener every socket and wait of this process would be slow until it ends.
                log.exception("changes_listener_failed", retry_s=retry_s)
            await asyncio.sleep(retry_s)
            retry_s = min(retry_s * 2, LONGEST_RETRY_S)

    async def _relay(self, channel: "redis.asyncio.client.PubSub") -> None:
        heard_s = time.monotonic()
        while True:
            message = await channel.get_message(timeout=PING_S)
            if message is None:
                if time.monotonic() - heard_s > 2 * PING_S:
                    # What lies between swallows all, and says so to nobody.
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
