"""Results that are kept: in this process, and beyond it in the cache Redis. Whatever is wrong with either is a miss."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from inference.cache.breaker import Breaker
from inference.cache.entries import MOST_BYTES, Found, read_entry, write_entry
from inference.cache.keeping import NewEntry, RemoteKeeper
from inference.cache.keys import EntryKeys, Family, Holder
from inference.cache.metrics import MEMORY
from inference.cache.reading import PATIENCE_S, RemoteReader
from inference.cache.s3_fifo import S3Fifo
from inference.cache.scripts import entry_key
from inference.contracts import Json


@dataclass(frozen=True, slots=True)
class Shelf:
    """Where results of one kind of call lie."""

    tenant_id: UUID
    family: Family
    ttl_s: float

    def key(self, input_digest: bytes) -> bytes:
        return self.family.key(input_digest)


class ResultCache:
    """One for each event loop."""

    def __init__(
        self,
        url: str,
        *,
        secret: str,
        memory_bytes: int,
        tenant_bytes: int,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._keys = EntryKeys(secret)
        self._seal = self._keys.seal
        self._memory: S3Fifo[Found] = S3Fifo(memory_bytes)
        breaker = Breaker()
        self._reader = RemoteReader(url, breaker, patience_s=patience_s)
        self._keeper = RemoteKeeper(url, breaker, tenant_bytes=tenant_bytes)

    def shelf(
        self, holder: Holder, digest: str, parameters: Mapping[str, Json], kind: str, ttl_s: float
    ) -> Shelf:
        return Shelf(holder.tenant_id, self._keys.family(holder, digest, parameters, kind), ttl_s)

    def remembered(self, shelf: Shelf, keys: Sequence[bytes], most_age_s: float) -> list[Found | None]:
        """What this process has."""
        now_s = time.time()
        oldest_s = now_s - min(shelf.ttl_s, most_age_s)
        found = [self._memory.get(key, now_s) for key in keys]
        return [one if one is not None and one.written_s > oldest_s else None for one in found]

    async def fetched(self, shelf: Shelf, keys: Sequence[bytes], most_age_s: float) -> list[Found | None]:
        """What the cache Redis has."""
        written = await self._reader.get([entry_key(shelf.tenant_id, key) for key in keys])
        now_s = time.time()
        oldest_s = now_s - min(shelf.ttl_s, most_age_s)
        found: list[Found | None] = []
        for key, entry in zip(keys, written, strict=True):
            one = read_entry(self._seal, key, entry) if isinstance(entry, bytes) else None
            if one is not None and one.written_s > oldest_s:
                self._remember(shelf, key, one)
                found.append(one)
            else:
                found.append(None)
        return found

    def written(self, shelf: Shelf, results: Mapping[bytes, Found], *, dense: bool = False) -> list[NewEntry]:
        """For the cache Redis; in any thread. What is too large for it stays in this process."""
        return [
            NewEntry(
                key, write_entry(self._seal, key, found.payload, found.written_s, dense=dense), shelf.ttl_s
            )
            for key, found in results.items()
            if len(found.payload) <= MOST_BYTES
        ]

    def keep(self, shelf: Shelf, results: Mapping[bytes, Found], written: Sequence[NewEntry]) -> None:
        """At once in this process, and soon in the cache Redis."""
        for key, found in results.items():
            self._remember(shelf, key, found)
        if written:
            self._keeper.keep(shelf.tenant_id, written)

    async def settle(self) -> None:
        """Until all that was kept is where it belongs."""
        await self._keeper.settle()

    async def close(self) -> None:
        await self._reader.close()
        await self._keeper.close()

    def _remember(self, shelf: Shelf, key: bytes, found: Found) -> None:
        self._memory.put(key, found, len(found.payload), found.written_s + shelf.ttl_s)
        MEMORY.set(self._memory.used_bytes)
