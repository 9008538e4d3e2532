"""Calculates how long a request with work would wait for admission, and whether that is too long. This module is pure.

A burst without a queue is admitted and waits. Once it does not end, or its tenant was refused a moment ago, only what
is served soon is admitted, and the others learn at once when to try again.
"""

import math
from dataclasses import dataclass

TIMEOUT_S = 0.1
"""The longest wait in seconds while requests wait all the time."""
BURST = 64
"""The size of the burst that one tenant may send when nobody waited a moment ago."""
STANDING_S = 0.5
"""Seconds after which a queue that does not become empty is no burst."""
QUIET_S = 3.0
"""Seconds without a queue until a burst is admitted again."""
FEW = 2
"""The number of requests of each tenant that may wait, however slow the service is."""
NEWCOMERS_S, NEWCOMERS_SAVE_S = 1.0, 30.0
"""The longest wait in seconds of a tenant that has nothing in the queue, however others flood. Saving takes longer."""
OVERDUE_S = 0.12
"""The seconds after which a request that was to wait 0.1 s is refused: others have waited for less time."""
FIRST_SERVICE_S = 0.02
SMOOTHING = 0.05
LONGEST_PAUSE_S = 30.0
JITTER = 0.5


@dataclass(slots=True)
class Pressure:
    places: int
    service_s: float = FIRST_SERVICE_S
    line_since_s: float | None = None
    strict_until_s: float = float("-inf")
    refused: float = 0.0
    """The number of refusals in about the last second."""
    refused_at_s: float = 0.0
    newcomers_s: float = NEWCOMERS_S

    def served(self, seconds: float) -> None:
        self.service_s += SMOOTHING * (seconds - self.service_s)

    def line(self, length: int, now_s: float) -> None:
        """Record the number of waiting requests. This is called at every change of that number."""
        if not length:
            self.line_since_s = None
        elif self.line_since_s is None:
            self.line_since_s = now_s
        if self.line_since_s is not None and now_s - self.line_since_s > STANDING_S:
            self.strict_until_s = now_s + QUIET_S

    def wait_s(self, own: int, tenants: int, everybody: int) -> float:
        """Return the expected wait, with `own` waiting requests of the caller among `everybody`'s."""
        before = min((own + 1) * max(1, tenants), everybody + 1)
        return before * self.service_s / self.places

    def is_strict(self, now_s: float) -> bool:
        return now_s < self.strict_until_s

    def lets_in(self, own: int, wait_s: float, now_s: float, *, floods: bool = False) -> bool:
        """Return whether the request is admitted. `floods`: the tenant did not wait for `Retry-After`."""
        if own < FEW and wait_s <= (FEW * TIMEOUT_S if own else self.newcomers_s):
            return True
        return wait_s <= TIMEOUT_S if floods or self.is_strict(now_s) else own < BURST

    def longest_wait_s(self, own: int, now_s: float, *, floods: bool = False) -> float | None:
        """Return how long a request may wait behind `own` others of its tenant. None is without limit."""
        if not (floods or self.is_strict(now_s)):
            return None
        return OVERDUE_S if own else self.newcomers_s

    def retry_after_s(self, now_s: float, chance: float) -> int:
        """Return the seconds until all refused in the last second, this one too, could have been served."""
        self.refused = self.refused * math.exp(self.refused_at_s - now_s) + 1.0
        self.refused_at_s = now_s
        pause_s = min(LONGEST_PAUSE_S, max(1.0, self.refused * self.service_s / self.places))
        return math.ceil(pause_s * (1.0 + JITTER * chance))
