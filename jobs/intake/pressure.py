"""How long whoever hands in work would wait at the door, and whether that is too long; pure.

A burst that comes to an idle door is let in, and waits. One that does not end is kept short: from then on everybody who
is let in is served soon, and the others are told at once when to come again. So it is with whoever was told to come
again later a moment ago, for whatever reason: what they send then is no burst, but the rest of a flood.
"""

import math
from dataclasses import dataclass

PATIENCE_S = 0.1
"""Of a door at which others wait all the time."""
BURST = 64
"""Of one tenant, at a door that was free a moment ago."""
STANDING_S = 0.5
"""A line that stands for so long is no burst."""
QUIET_S = 3.0
"""Without a line, until the door takes a burst again."""
FEW = 2
"""Of each tenant, however slow the service is."""
NEWCOMERS_S, NEWCOMERS_SAVE_S = 1.0, 30.0
"""Who has nothing in line is the next, and not refused for what others do, unless they are very many. Where a turn
takes seconds by itself, as to save an archive does, they wait for longer."""
OVERDUE_S = 0.12
"""Whoever stood there so long, where it was to be 0.1 s at most, is sent away after all: those before took longer than
usual. Who is let in is to be served soon or not at all, and others have stood there for less."""
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
    """In about the last second."""
    refused_at_s: float = 0.0
    newcomers_s: float = NEWCOMERS_S

    def served(self, seconds: float) -> None:
        self.service_s += SMOOTHING * (seconds - self.service_s)

    def line(self, length: int, now_s: float) -> None:
        """Told at every change of how many wait."""
        if not length:
            self.line_since_s = None
        elif self.line_since_s is None:
            self.line_since_s = now_s
        if self.line_since_s is not None and now_s - self.line_since_s > STANDING_S:
            self.strict_until_s = now_s + QUIET_S

    def wait_s(self, own: int, tenants: int, everybody: int) -> float:
        """With `own` requests of one's own in line, those of so many `tenants` in turns, `everybody`'s in all."""
        before = min((own + 1) * max(1, tenants), everybody + 1)
        return before * self.service_s / self.places

    def is_strict(self, now_s: float) -> bool:
        return now_s < self.strict_until_s

    def lets_in(self, own: int, wait_s: float, now_s: float, *, floods: bool = False) -> bool:
        """`floods`: whoever comes was told to come again later, and comes."""
        if own < FEW and wait_s <= (FEW * PATIENCE_S if own else self.newcomers_s):
            return True
        return wait_s <= PATIENCE_S if floods or self.is_strict(now_s) else own < BURST

    def longest_wait_s(self, own: int, now_s: float, *, floods: bool = False) -> float | None:
        """For whoever has been let in to stand in line behind `own` of theirs; None for as long as it takes."""
        if not (floods or self.is_strict(now_s)):
            return None
        return OVERDUE_S if own else self.newcomers_s

    def retry_after_s(self, now_s: float, chance: float) -> int:
        """Until those who were refused in the last second could have been served; counts this one among them."""
        self.refused = self.refused * math.exp(self.refused_at_s - now_s) + 1.0
        self.refused_at_s = now_s
        pause_s = min(LONGEST_PAUSE_S, max(1.0, self.refused * self.service_s / self.places))
        return math.ceil(pause_s * (1.0 + JITTER * chance))
