"""Cache results in this process and in the cache Redis. If anything is wrong with either, that counts as a miss."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from inference.cache.entries import MAX_BYTES, Found, read_entry, write_entry
from inference.cache.keeping import NewEntry, RemoteKeeper
from inference.cache.keys import EntryKeys, Family, Holder
from inference.cache.metrics import MEMORY, UNKEPT
from inference.cache.reading import TIMEOUT_S, RemoteReader
from inference.cache.s3_fifo import S3Fifo
from inference.cache.scripts import entry_key
from inference.core.breaker import Breaker
from inference.core.contracts import Json

SMALL_BYTES = 64 << 10
"""The largest size that is sealed and packed in the event loop. For so little, a thread would cost more than it saves
the other requests.
"""
MAX_ASIDE_BYTES = 64 << 20
"""The most bytes that wait to be packed in threads. No caller waits for them, so they must be bounded."""

Results = Mapping[bytes, Found]


@dataclass(frozen=True, slots=True)
class Shelf:
    """The storage of the results of one kind of call."""

    tenant_id: UUID
    family: Family
    ttl_s: float
    generation: int = 0
    """The generation of the tenant's results. The results of earlier generations are erased."""

    def key(self, input_digest: bytes) -> bytes:
        return self.family.key(input_digest)


class ResultCache:
    """The cache of results. Each event loop has one."""

    def __init__(
        self,
        url: str,
        *,
        secret: str,
        memory_bytes: int,
        tenant_bytes: int,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self._keys = EntryKeys(secret)
        self._seal = self._keys.seal
        self._memory: S3Fifo[Found] = S3Fifo(memory_bytes)
        breaker = Breaker()
        self._reader = RemoteReader(url, breaker, timeout_s=timeout_s)
        self._keeper = RemoteKeeper(url, breaker, tenant_bytes=tenant_bytes)
        self._aside: set[asyncio.Task[None]] = set()
        self._aside_bytes = 0

    def shelf(self, holder: Holder, digest: str, parameters: Mapping[str, Json], kind: str, ttl_s: float) -> Shelf:
        family = self._keys.family(holder, digest, parameters, kind)
        return Shelf(holder.tenant_id, family, ttl_s, holder.generation)

    def remembered(self, shelf: Shelf, keys: Sequence[bytes], max_age_s: float) -> list[Found | None]:
        """Return the results that this process has."""
        now_s = time.time()
        oldest_s = now_s - min(shelf.ttl_s, max_age_s)
        found = [self._memory.get(key, now_s) for key in keys]
        return [one if one is not None and one.written_s > oldest_s else None for one in found]

    async def fetched(self, shelf: Shelf, keys: Sequence[bytes], max_age_s: float) -> list[Found | None]:
        """Return the results that the cache Redis has."""
        written = await self._reader.get([entry_key(shelf.tenant_id, key) for key in keys])
        if sum(len(entry) for entry in written if isinstance(entry, bytes)) <= SMALL_BYTES:
            read = self._read(keys, written)
        else:
            read = await asyncio.to_thread(self._read, keys, written)
        now_s = time.time()
        oldest_s = now_s - min(shelf.ttl_s, max_age_s)
        found = [one if one is not None and one.written_s > oldest_s else None for one in read]
        for key, young in zip(keys, found, strict=True):
            if young is not None:
                self._remember(shelf, key, young)
        return found

    async def fetched_alone(self, shelf: Shelf, key: bytes) -> Found | None:
        """Return a result from the cache Redis without keeping it in this process. The caller keeps it separately."""
        written = await self._reader.get([entry_key(shelf.tenant_id, key)])
        return self._read([key], written)[0]

    def keep_alone(self, shelf: Shelf, key: bytes, found: Found) -> None:
        """Store the result soon in the cache Redis, and not in this process."""
        entry = write_entry(self._seal, key, found.payload, found.written_s, dense=False)
        self._keeper.keep(shelf.tenant_id, [NewEntry(key, entry, shelf.ttl_s, shelf.generation)])

    def keep(
        self,
        shelf: Shelf,
        results: Callable[[], Results],
        size_bytes: int,
        *,
        dense: bool,
        then: Callable[[], None],
    ) -> None:
        """Store results in this process, and soon in the cache Redis. `then` is called when they can be found here, or
        will not be stored.

        No caller waits for this, and large results are prepared in a thread. `results` is called once, in any thread.
        """
        if size_bytes <= SMALL_BYTES:
            try:
                self._put(shelf, *self._ready(shelf, results, dense))
            finally:
                then()
            return
        if self._aside_bytes + size_bytes > MAX_ASIDE_BYTES:
            UNKEPT.inc()
            then()
            return
        task = asyncio.get_running_loop().create_task(self._keep_aside(shelf, results, size_bytes, dense))
        self._aside.add(task)
        task.add_done_callback(self._aside.discard)
        task.add_done_callback(lambda _: then())

    async def settle(self) -> None:
        """Wait until all results have been stored."""
        if self._aside:
            await asyncio.wait(self._aside)
        await self._keeper.settle()

    async def close(self) -> None:
        for task in self._aside:
            task.cancel()
        await self._reader.close()
        await self._keeper.close()

    async def _keep_aside(self, shelf: Shelf, results: Callable[[], Results], size_bytes: int, dense: bool) -> None:
        self._aside_bytes += size_bytes
        try:
            self._put(shelf, *await asyncio.to_thread(self._ready, shelf, results, dense))
        finally:
            self._aside_bytes -= size_bytes

    def _ready(self, shelf: Shelf, results: Callable[[], Results], dense: bool) -> tuple[Results, list[NewEntry]]:
        """Return the results for this process and the entries for the cache Redis. Results that are too large for Redis
        remain only in this process.
        """
        made = results()
        entries = [
            NewEntry(
                key,
                write_entry(self._seal, key, found.payload, found.written_s, dense=dense),
                shelf.ttl_s,
                shelf.generation,
            )
            for key, found in made.items()
            if len(found.payload) <= MAX_BYTES
        ]
        return made, entries

    def _put(self, shelf: Shelf, results: Results, entries: Sequence[NewEntry]) -> None:
        for key, found in results.items():
            self._remember(shelf, key, found)
        if entries:
            self._keeper.keep(shelf.tenant_id, entries)

    def _read(self, keys: Sequence[bytes], written: Sequence[bytes | None]) -> list[Found | None]:
        return [
            read_entry(self._seal, key, entry) if isinstance(entry, bytes) else None
            for key, entry in zip(keys, written, strict=True)
        ]

    def _remember(self, shelf: Shelf, key: bytes, found: Found) -> None:
        self._memory.put(key, found, len(found.payload), found.written_s + shelf.ttl_s)
        MEMORY.labels("results").set(self._memory.used_bytes)
