"""Reads the stream of usage events and moves events that cannot be counted to a second stream."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar, cast

import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

from tenants.billing.metering.keys import ASIDE, REASON

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
        until = newest[0][0] if newest else "-"
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
        return sum(
            self._client.xdel(self._key, *[entry.name for entry in part])
            for part in parts_of(entries, AT_ONCE)
        )

    def set_aside(self, refused: Sequence[Refused]) -> None:
        """Move the entries to the second stream in one transaction. At worst, two processes put one there twice."""
        for part in parts_of(refused, AT_ONCE):
            pipeline = self._client.pipeline(transaction=True)
            for one in part:
                fields: dict[Any, Any] = {**one.entry.fields, REASON: one.reason.encode()}
                pipeline.xadd(ASIDE, fields)
            pipeline.xdel(self._key, *[one.entry.name for one in part])
            pipeline.execute()

    def _read(self, after: str, until: str | bytes, *, count: int) -> list[Entry]:
        found = cast(_Found, self._client.xrange(self._key, after, until, count))
        return [Entry(name, fields) for name, fields in found]


def parts_of(whole: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    return (whole[begin : begin + size] for begin in range(0, len(whole), size))
