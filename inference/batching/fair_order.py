"""Start-time fair queueing between tenants, by the cost of their pieces.

Every piece gets a position in virtual time (`place`). It is the end of its tenant's last piece, or now if that end is
past. Virtual time is the position of the piece at the front. A tenant that floods the queue gets positions far behind,
and a tenant that sends a piece now and then is next. If there is a single tenant, the order is first come, first
served.
"""

from dataclasses import dataclass

REMEMBERED = 1024
"""The number of absent tenants whose earlier work still counts. Beyond it, the smallest debts are forgotten."""
LEAST_COST = 1e-9
"""The smallest cost of a piece. It ensures that two pieces of the same tenant never share a position."""


@dataclass(slots=True)
class _Turn:
    end: float
    waiting: int = 0
    withdrawn: float = 0.0
    """The cost of pieces that left without being run. It is given back when the tenant has nothing in the queue."""


class FairOrder:
    def __init__(self) -> None:
        self._now = 0.0
        self._turns: dict[str, _Turn] = {}
        self._tidy_at = REMEMBERED

    def enter(self, tenant: str, cost: float) -> float:
        """Return the position of a new piece. Lower is earlier, and equal positions are ordered by arrival."""
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
        """Record that the piece at the front is run now."""
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
        """Forget all debts, because nothing waits and nothing runs."""
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
