"""Copies usage events from the stream to Postgres. They are written, committed, and only then removed from the stream.

If a process dies in between, the entries are read again, and events that are already recorded stay as they are. For the
same reason several processes may do it at once, and no consumer group is needed.
"""

import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar, cast
from uuid import UUID

import redis
import structlog
from django.conf import settings
from django.db import DataError, IntegrityError, InterfaceError, OperationalError, connections
from prometheus_client import Counter, Gauge
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from tenants.accounts.models import Tenant
from tenants.billing.metering.events import MeterEvent, Unreadable, read_event
from tenants.billing.metering.keys import ASIDE, FIELD, REASON, STREAM
from tenants.billing.metering.services import record_events
from tenants.core.db.unit_of_work import APP, unit_of_work

AT_ONCE = 1_000
"""The number of entries read at once. Redis is blocked for about a millisecond by such a read."""
BATCH = 10_000
"""The number of entries in a batch. The larger the batch, the more events of one tenant go to Postgres together."""
TIMEOUT_S = 2.0
T = TypeVar("T")
_Found = list[tuple[bytes, dict[bytes, bytes]]]


@dataclass(frozen=True, slots=True)
class Entry:
    name: bytes
    """The id that Redis gave the entry: the millisecond of its arrival, and a number."""
    fields: Mapping[bytes, bytes]

    @property
    def came_ms(self) -> int:
        return int(self.name.partition(b"-")[0])


@dataclass(frozen=True, slots=True)
class Refused:
    entry: Entry
    code: str
    reason: str


@cache
def durable_redis() -> "redis.Redis":
    return redis.Redis.from_url(
        settings.MAAS_REDIS_URL,
        socket_timeout=TIMEOUT_S,
        socket_connect_timeout=TIMEOUT_S,
        retry=Retry(NoBackoff(), 1),
    )


class Backlog:
    def __init__(self, client: "redis.Redis", key: bytes) -> None:
        self._client = client
        self._key = key

    def length(self) -> int:
        return self._client.xlen(self._key)

    def oldest(self) -> Entry | None:
        return next(iter(self._read("-", "+", count=1)), None)

    def batches(self) -> Iterator[list[Entry]]:
        """Yield batches up to the entry that is the newest now, so that the loop ends whatever stays in the stream."""
        newest = cast(_Found, self._client.xrevrange(self._key, count=1))
        if not newest:
            return
        until = newest[0][0]
        batch: list[Entry] = []
        after = "-"
        while found := self._read(after, until, count=AT_ONCE):
            batch += found
            after = f"({found[-1].name.decode()}"
            if len(batch) >= BATCH:
                yield batch
                batch = []
        if batch:
            yield batch

    def remove(self, entries: Sequence[Entry]) -> int:
        """Remove the entries and return the number that were still there."""
        return sum(self._client.xdel(self._key, *[entry.name for entry in part]) for part in parts_of(entries, AT_ONCE))

    def set_aside(self, refused: Sequence[Refused]) -> None:
        """Move the entries to the second stream in one transaction. At worst, two processes put one there twice."""
        for part in parts_of(refused, AT_ONCE):
            pipeline = self._client.pipeline(transaction=True)
            for refusal in part:
                fields: dict[Any, Any] = {**refusal.entry.fields, REASON: refusal.reason.encode()}
                pipeline.xadd(ASIDE, fields)
            pipeline.xdel(self._key, *[refusal.entry.name for refusal in part])
            pipeline.execute()

    def _read(self, after: str, until: str | bytes, *, count: int) -> list[Entry]:
        found = cast(_Found, self._client.xrange(self._key, after, until, count))
        return [Entry(name, fields) for name, fields in found]


def parts_of(whole: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    return (whole[begin : begin + size] for begin in range(0, len(whole), size))


WAITING = Gauge("maas_meter_events_pending", "Meter events in the stream that are not recorded yet.")
OLDEST = Gauge("maas_meter_oldest_seconds", "Age of the oldest meter event in the stream.")
ROLLED_UP = Counter("maas_meter_rolled_up_total", "Meter events that were recorded and removed from the stream.")
SET_ASIDE = Counter("maas_meter_quarantined_total", "Meter events that could not be recorded.", ["reason"])


log = structlog.get_logger(__name__)
ROLL_UP_EVERY_S = 0.5
"""Seconds from one round to the next. At most this much time of usage exists only in Redis, while a round takes little
time itself.
"""
REST_SHARE = 9.0
LONGEST_REST_S = 10.0
RECOUNT_EVERY_S = 600.0
ROUND_S = 10.0
TOGETHER = 2_000
"""The number of events in one transaction. Pages of the same tenant and model may have to wait for that transaction."""


@dataclass(frozen=True, slots=True)
class Counted:
    """The outcome for some entries. Entries in neither list are tried again later."""

    done: list[Entry]
    refused: list[Refused]


@dataclass(frozen=True, slots=True)
class _Read:
    entry: Entry
    event: MeterEvent


def roll_up_uses() -> None:
    """Copy events while new ones arrive, up to `ROUND_S`, so that a busy service seldom opens a connection."""
    until_s = time.monotonic() + ROUND_S
    with _outages_told():
        began_s = time.monotonic()
        while roll_up(Backlog(durable_redis(), STREAM)) and began_s < until_s:
            time.sleep(rest_s(time.monotonic() - began_s))
            began_s = time.monotonic()


def rest_s(round_s: float) -> float:
    """Return the pause after a round. Each tenant costs a transaction, however few its events are.

    After a long round, of many tenants, more events come together for each.
    """
    return min(LONGEST_REST_S, max(ROLL_UP_EVERY_S, REST_SHARE * round_s))


def recount_set_aside() -> None:
    """Count events that were set aside by an older version of the product or before their cause was fixed."""
    aside = Backlog(durable_redis(), ASIDE)
    with _outages_told():
        for entries in aside.batches():
            ROLLED_UP.inc(aside.remove(count(entries).done))


@contextmanager
def _outages_told() -> Iterator[None]:
    """Log an outage instead of raising it. The waiting entries are still there next time."""
    try:
        yield
    except (RedisError, OperationalError, InterfaceError) as error:
        log.warning("meter_events_not_rolled_up", error=str(error))


def roll_up(waiting: Backlog) -> int:
    """Copy the waiting entries and return the number that left the stream."""
    left = 0
    for entries in waiting.batches():
        _watch(waiting)
        counted = count(entries)
        removed = waiting.remove(counted.done)
        ROLLED_UP.inc(removed)
        _set_aside(waiting, counted.refused)
        left += removed + len(counted.refused)
    _watch(waiting)
    return left


def count(entries: Sequence[Entry]) -> Counted:
    """Write and commit the entries, and leave the stream as it is. Raises if Postgres is unavailable."""
    counted = Counted([], [])
    by_tenant: dict[UUID, list[_Read]] = defaultdict(list)
    for entry in entries:
        try:
            event = read_event(entry.fields.get(FIELD, b""))
        except Unreadable as error:
            counted.refused.append(Refused(entry, "unreadable", str(error)))
        else:
            by_tenant[event.tenant_id].append(_Read(entry, event))
    for tenant_id, reads in by_tenant.items():
        for part in parts_of(reads, TOGETHER):
            _record(tenant_id, part, counted)
    return counted


def _record(tenant_id: UUID, reads: Sequence[_Read], counted: Counted) -> None:
    """Record the events of one tenant. If Postgres refuses several, halve them until the bad ones are isolated."""
    try:
        record_events(tenant_id=tenant_id, events=[read.event for read in reads])
    except (DataError, IntegrityError) as error:
        if not _is_there(tenant_id):
            reason = f"unknown tenant {tenant_id}"
            counted.refused.extend(Refused(read.entry, "unknown_tenant", reason) for read in reads)
            return
        if len(reads) == 1:
            reason = f"Postgres rejected it: {error}"
            counted.refused.append(Refused(reads[0].entry, "refused", reason))
            return
        middle = len(reads) // 2
        for half in (reads[:middle], reads[middle:]):
            _record(tenant_id, half, counted)
    except (OperationalError, InterfaceError) as error:
        if not connections[APP].is_usable():
            raise
        log.warning("meter_events_not_rolled_up", tenant_id=str(tenant_id), error=str(error))
    else:
        counted.done.extend(read.entry for read in reads)


def _is_there(tenant_id: UUID) -> bool:
    with unit_of_work(tenant_id):
        return Tenant.objects.filter(id=tenant_id).exists()


def _set_aside(waiting: Backlog, refused: Sequence[Refused]) -> None:
    waiting.set_aside(refused)
    for refusal in refused:
        SET_ASIDE.labels(refusal.code).inc()
    if refused:
        first = refused[0]
        log.warning(
            "meter_events_quarantined",
            count=len(refused),
            entry=first.entry.name.decode(),
            error=first.reason,
        )


def _watch(waiting: Backlog) -> None:
    oldest = waiting.oldest()
    WAITING.set(waiting.length() if oldest else 0)
    OLDEST.set(max(0.0, time.time() - oldest.came_ms / 1000) if oldest else 0)
