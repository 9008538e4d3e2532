"""The waiting requests of a model: released in turns between tenants as the product does, a window at a time."""

from collections import deque
from collections.abc import Sequence
from uuid import UUID

from jobs.queue.fairness import TenantQueue, release_window, turns


class ModelQueue:
    """The queues of a model, and the requests that were released and no replica has begun."""

    def __init__(self, queues: Sequence[tuple[str, int]], cost_s: float) -> None:
        tenants = {tenant: UUID(int=number) for number, (tenant, _) in enumerate(queues)}
        self._lines = [TenantQueue(tenants[tenant], priority, 0) for tenant, priority in queues]
        self._waiting: dict[int, deque[tuple[int, float]]] = {}
        """The requests of each queue in which some wait, with the times at which they came."""
        self._ends: dict[int, float] = {}
        self._now = 0.0
        self._cost_s = cost_s
        self._released: deque[tuple[int, float]] = deque()
        self.count = 0

    def come(self, request: int, queue: int, at_s: float) -> None:
        self._waiting.setdefault(queue, deque()).append((request, at_s))
        self.count += 1

    def come_again(self, request: int, at_s: float) -> None:
        """Put a request first whose replica was lost."""
        self._released.appendleft((request, at_s))
        self.count += 1

    def next(self, slots: int) -> int:
        """Return the request that is next on one of so many slots. There must be one."""
        if not self._released:
            self._release(release_window(slots, self._cost_s))
        self.count -= 1
        return self._released.popleft()[0]

    def oldest_s(self) -> float:
        """Return the time at which the oldest request came. There must be one."""
        firsts = [queue[0][1] for queue in self._waiting.values()]
        return min([*firsts, self._released[0][1]] if self._released else firsts)

    def _release(self, room: int) -> None:
        if len(self._waiting) == 1:
            # A lone queue is not charged: nobody else wanted the capacity.
            ((at, waiting),) = self._waiting.items()
            self._take(at, waiting, min(room, len(waiting)))
            return
        numbers = list(self._waiting)
        lines = [self._line(at) for at in numbers]
        shares = turns(lines, now=self._now, room=room, cost_s=self._cost_s)
        self._now = shares.now
        for position, ends in shares.ends.items():
            self._ends[numbers[position]] = ends
        for position in shares.order:
            at = numbers[position]
            self._take(at, self._waiting[at], 1)

    def _line(self, at: int) -> TenantQueue:
        line = self._lines[at]
        waiting = len(self._waiting[at])
        return TenantQueue(line.tenant, line.priority, waiting, ends=self._ends.get(at, 0.0))

    def _take(self, at: int, waiting: "deque[tuple[int, float]]", count: int) -> None:
        for _ in range(count):
            self._released.append(waiting.popleft())
        if not waiting:
            del self._waiting[at]
