"""The replicas that were ordered and are not there yet, by what was wanted and what is there."""

from collections import deque
from dataclasses import dataclass, field

GIVEN_UP = 3.0
"""The multiple of the lead time after which a replica that has not come is not counted on any more."""
LEAST_S = 60.0


@dataclass(slots=True)
class Orders:
    _ordered_s: deque[float] = field(default_factory=deque)
    """The times of the orders, the oldest first."""

    def due_in(self, wanted: int, there: int, *, at_s: float, lead_s: float) -> tuple[float, ...]:
        """Return the seconds until each replica that is missing is ready, if the oldest orders arrive first."""
        missing = max(0, wanted - there)
        while len(self._ordered_s) > missing:
            self._ordered_s.popleft()
        self._ordered_s.extend([at_s] * (missing - len(self._ordered_s)))
        waits_s = max(LEAST_S, GIVEN_UP * lead_s)
        return tuple(
            max(0.0, ordered_s + lead_s - at_s) for ordered_s in self._ordered_s if at_s - ordered_s <= waits_s
        )
