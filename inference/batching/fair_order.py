"""Whose turn it is: start-time fair queueing between tenants, by the cost of what they ask for.

Every piece gets a place in virtual time: where its tenant's last piece ended, or now if that is past. Virtual time is
the place of the piece at the front. Whoever floods the queue places himself far behind; whoever comes now and then is
next. With one tenant, it is first come, first served.
"""

from dataclasses import dataclass

REMEMBERED = 1024
"""Tenants with nothing in the queue whose earlier work still counts; beyond, those who owe least are forgotten."""
LEAST_COST = 1e-9
"""So that two pieces of one tenant never share a place."""


@dataclass(slots=True)
class _Turn:
    end: float
    waiting: int = 0
    withdrawn: float = 0.0
    """Cost of pieces that left without being run: given back once the tenant has nothing in the queue."""


class FairOrder:
    def __init__(self) -> None:
        self._now = 0.0
        self._turns: dict[str, _Turn] = {}
        self._tidy_at = REMEMBERED

    def enter(self, tenant: str, cost: float) -> float:
        """The place of a new piece; lower is earlier, and equal places go by arrival."""
        turn = self._turns.get(tenant)
        if turn is None:
            if len(self._turns) >= self._tidy_at:
                self._tidy()
            turn = self._turns[tenant] = _Turn(self._now)
        place = max(self._now, turn.end)
        turn.end = place + max(cost, LEAST_COST)
        turn.waiting += 1
        return place

    def serve(self, place: float) -> None:
        """The piece at the front is run now."""
        self._now = max(self._now, place)

    def leave(self, tenant: str, cost: float, *, run: bool) -> None:
        turn = self._turns[tenant]
        turn.waiting -= 1
        if not run:
            turn.withdrawn += max(cost, LEAST_COST)
        if turn.waiting:
            return
        turn.end -= turn.withdrawn
        turn.withdrawn = 0.0
        if turn.end <= self._now:
            del self._turns[tenant]

    def rest(self) -> None:
        """Nothing waits and nothing runs: nobody is owed anything."""
        self._now = 0.0
        self._turns.clear()
        self._tidy_at = REMEMBERED

    def __len__(self) -> int:
        return len(self._turns)

    def _tidy(self) -> None:
        idle = [tenant for tenant, turn in self._turns.items() if not turn.waiting]
        idle.sort(key=lambda tenant: self._turns[tenant].end)
        for tenant in idle[: max(len(idle) // 2, len(idle) - REMEMBERED)]:
            del self._turns[tenant]
        self._tidy_at = max(REMEMBERED, 2 * len(self._turns))
