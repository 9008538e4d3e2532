"""Brings uses from the stream into Postgres: written, committed, and only then taken out of the stream.

Whatever dies in between, the entries are read again, and what is recorded already is left as it is. So several may do
it at once as well, and no consumer group is needed.
"""

import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from uuid import UUID

import structlog
from django.db import DataError, IntegrityError, InterfaceError, OperationalError, connections
from redis.exceptions import RedisError

from tenants.accounts.models import Tenant
from tenants.billing.metering.backlog import Backlog, Entry, Refused, durable_redis, parts_of
from tenants.billing.metering.events import MeterEvent, Unreadable, read_event
from tenants.billing.metering.keys import ASIDE, FIELD, STREAM
from tenants.billing.metering.metrics import OLDEST, ROLLED_UP, SET_ASIDE, WAITING
from tenants.billing.metering.services import record_events
from tenants.core.db.unit_of_work import APP, unit_of_work

log = structlog.get_logger(__name__)
ROLL_UP_EVERY_S = 0.5
"""So much of what was used is in Redis alone, at most, while all is well."""
RECOUNT_EVERY_S = 600.0
ROUND_S = 10.0
TOGETHER = 2_000
"""In one transaction, for which pages of the same tenant and model may have to wait."""


@dataclass(frozen=True, slots=True)
class Counted:
    """What became of some entries; those in neither list wait for another time."""

    done: list[Entry]
    refused: list[Refused]


@dataclass(frozen=True, slots=True)
class _Read:
    entry: Entry
    event: MeterEvent


def roll_up_uses() -> None:
    """Goes on for as long as uses keep coming, so that a busy service needs no new connection for each look."""
    until_s = time.monotonic() + ROUND_S
    with _outages_told():
        while roll_up(Backlog(durable_redis(), STREAM)) and time.monotonic() < until_s:
            time.sleep(ROLL_UP_EVERY_S)


def recount_set_aside() -> None:
    """What was set aside by an older version of the product, or before its cause was mended, counts after all."""
    aside = Backlog(durable_redis(), ASIDE)
    with _outages_told():
        for entries in aside.batches():
            ROLLED_UP.inc(aside.remove(count(entries).done))


@contextmanager
def _outages_told() -> Iterator[None]:
    """Whatever waits is there the next time."""
    try:
        yield
    except (RedisError, OperationalError, InterfaceError) as error:
        log.warning("uses_not_rolled_up", error=str(error))


def roll_up(waiting: Backlog) -> int:
    """How many left the stream."""
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
    """Committed when it returns; nothing has left the stream. Raises when Postgres is away."""
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
    """Of several that are refused together, halves are tried, until the bad ones stand alone."""
    try:
        record_events(tenant_id=tenant_id, events=[read.event for read in reads])
    except (DataError, IntegrityError) as error:
        if not _is_there(tenant_id):
            reason = f"there is no tenant {tenant_id}"
            counted.refused.extend(Refused(read.entry, "unknown_tenant", reason) for read in reads)
            return
        if len(reads) == 1:
            reason = f"Postgres does not take it: {error}"
            counted.refused.append(Refused(reads[0].entry, "refused", reason))
            return
        middle = len(reads) // 2
        for half in (reads[:middle], reads[middle:]):
            _record(tenant_id, half, counted)
    except (OperationalError, InterfaceError) as error:
        if not connections[APP].is_usable():
            raise
        log.warning("uses_not_rolled_up", tenant_id=str(tenant_id), error=str(error))
    else:
        counted.done.extend(read.entry for read in reads)


def _is_there(tenant_id: UUID) -> bool:
    with unit_of_work(tenant_id):
        return Tenant.objects.filter(id=tenant_id).exists()


def _set_aside(waiting: Backlog, refused: Sequence[Refused]) -> None:
    waiting.set_aside(refused)
    for one in refused:
        SET_ASIDE.labels(one.code).inc()
    if refused:
        first = refused[0]
        log.warning("uses_set_aside", count=len(refused), entry=first.entry.name.decode(), error=first.reason)


def _watch(waiting: Backlog) -> None:
    oldest = waiting.oldest()
    WAITING.set(waiting.length())
    OLDEST.set(max(0.0, time.time() - oldest.came_ms / 1000) if oldest else 0)
