"""Decide what remains in memory, by S3-FIFO. A long series of inputs that never come again cannot empty this cache.

New entries wait in a small queue and move to the main queue only if they are requested again in the meantime. The key
of an entry that leaves the small queue is remembered for a while: if the entry returns, it goes to the main queue at
once. (Yang et al., "FIFO queues are all you need for cache eviction", SOSP 2023.)
"""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Generic, TypeVar

V = TypeVar("V")

SMALL_SHARE = 10
"""The divisor for the share of new entries in the memory."""
MAX_USES = 3
ENTRY_BYTES = 400
"""The memory that an entry takes besides its content: its key twice, and its slots in the tables."""
LARGEST_SHARE = 8
"""The divisor for the largest share that a single entry may take."""
FEWEST_GHOSTS = 100


@dataclass(slots=True)
class _Entry(Generic[V]):
    value: V
    bytes: int
    expires_s: float
    uses: int = 0


class S3Fifo(Generic[V]):
    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._small: OrderedDict[bytes, _Entry[V]] = OrderedDict()
        self._main: OrderedDict[bytes, _Entry[V]] = OrderedDict()
        self._ghosts: OrderedDict[bytes, None] = OrderedDict()
        self._small_bytes = 0
        self._main_bytes = 0

    def __len__(self) -> int:
        return len(self._small) + len(self._main)

    @property
    def used_bytes(self) -> int:
        return self._small_bytes + self._main_bytes

    def get(self, key: bytes, now_s: float) -> V | None:
        entry = self._small.get(key) or self._main.get(key)
        if entry is None:
            return None
        if entry.expires_s <= now_s:
            self.drop(key)
            return None
        if entry.uses < MAX_USES:
            entry.uses += 1
        return entry.value

    def put(self, key: bytes, value: V, size_bytes: int, expires_s: float) -> None:
        size_bytes += ENTRY_BYTES
        was_known = key in self._main
        self.drop(key)
        if size_bytes > self._max_bytes // LARGEST_SHARE:
            return
        entry = _Entry(value, size_bytes, expires_s)
        if was_known or key in self._ghosts:
            self._ghosts.pop(key, None)
            self._into_main(key, entry)
        else:
            self._small[key] = entry
            self._small_bytes += size_bytes
        while self.used_bytes > self._max_bytes:
            self._make_room()

    def drop(self, key: bytes) -> None:
        if entry := self._small.pop(key, None):
            self._small_bytes -= entry.bytes
        elif entry := self._main.pop(key, None):
            self._main_bytes -= entry.bytes

    def _make_room(self) -> None:
        if self._small and (self._small_bytes > self._max_bytes // SMALL_SHARE or not self._main):
            self._leave_small()
        else:
            self._leave_main()

    def _leave_small(self) -> None:
        key, entry = self._small.popitem(last=False)
        self._small_bytes -= entry.bytes
        if entry.uses:
            entry.uses = 0
            self._into_main(key, entry)
            return
        self._ghosts[key] = None
        while len(self._ghosts) > max(FEWEST_GHOSTS, len(self)):
            self._ghosts.popitem(last=False)

    def _leave_main(self) -> None:
        """Remove the oldest unused entry of the main queue. The loop ends, because every step takes one use from an
        entry and none is added in the meantime.
        """
        while True:
            key, entry = self._main.popitem(last=False)
            if not entry.uses:
                self._main_bytes -= entry.bytes
                return
            entry.uses -= 1
            self._main[key] = entry

    def _into_main(self, key: bytes, entry: _Entry[V]) -> None:
        self._main[key] = entry
        self._main_bytes += entry.bytes
