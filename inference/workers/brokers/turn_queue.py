"""What a worker has fetched and not begun, a line for each queue: whichever was served longest ago is next.

Without it one thread after the other takes the oldest message, and whoever floods five models stands before a sixth
with all that was fetched of the five.
"""

import heapq
import itertools
from queue import PriorityQueue
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dramatiq.worker import _WorkQueueItem

    Items = PriorityQueue[_WorkQueueItem]
else:
    Items = PriorityQueue


class TurnQueue(Items):
    """The queue module's own hooks, each called with its lock held."""

    def _init(self, maxsize: int) -> None:
        self._lines: dict[str, list[Any]] = {}
        """By queue, those that have any; each in Dramatiq's own order."""
        self._served: dict[str, int] = {}
        self._turns = itertools.count(1)
        self._size = 0

    def _qsize(self) -> int:
        return self._size

    def _put(self, item: Any) -> None:
        heapq.heappush(self._lines.setdefault(item.message.queue_name, []), item)
        self._size += 1

    def _get(self) -> Any:
        # Of those that were never served, or as long ago: whoever's first message is older.
        name = min(self._lines, key=lambda name: (self._served.get(name, 0), self._lines[name][0]))
        line = self._lines[name]
        item = heapq.heappop(line)
        self._served[name] = next(self._turns)
        self._size -= 1
        if not line:
            del self._lines[name]
        return item

    def forget(self, names: set[str]) -> None:
        """Queues that are no longer consumed."""
        with self.mutex:
            self._served = {name: at for name, at in self._served.items() if name not in names}
