"""The messages that a worker has fetched and not started, kept per queue. The queue served longest ago is next.

Without this, one thread after the other would take the oldest message, and a client that floods five models would make
a sixth model wait behind everything that was fetched for the five.
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
    """A priority queue that overrides the hooks of the `queue` module. Each hook runs with the queue's lock held."""

    def _init(self, maxsize: int) -> None:
        self._lines: dict[str, list[Any]] = {}
        """The items by queue name, for queues that have any. Each list is in Dramatiq's own order."""
        self._served: dict[str, int] = {}
        self._turns = itertools.count(1)
        self._size = 0

    def _qsize(self) -> int:
        return self._size

    def _put(self, item: Any) -> None:
        heapq.heappush(self._lines.setdefault(item.message.queue_name, []), item)
        self._size += 1

    def _get(self) -> Any:
        # If several queues were never served, or were served equally long ago, the queue with the older first message
        # is next.
        name = min(self._lines, key=lambda name: (self._served.get(name, 0), self._lines[name][0]))
        queue = self._lines[name]
        item = heapq.heappop(queue)
        self._served[name] = next(self._turns)
        self._size -= 1
        if not queue:
            del self._lines[name]
        return item

    def forget(self, names: set[str]) -> None:
        """Forget when these queues were served, because they are no longer consumed."""
        with self.mutex:
            self._served = {name: at for name, at in self._served.items() if name not in names}
