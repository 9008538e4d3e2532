"""A share of how many calls may be under way at once: places that a process holds and gives back."""

from tenants.limits.rates.asking import Ask, Heard, Verdict
from tenants.limits.rates.limits import Limit
from tenants.limits.rates.slice import REFUSES_S

RENEWED_S = 1.0
"""Redis takes a process that has said nothing for four times as long for dead."""
KEEPS_SPARE = 64
"""Under a smaller limit, a place that is free is given back at once."""
PAUSE_S = 1.0
"""Nobody knows when a call will end: who is refused is asked to come again then."""


class Slots:
    def __init__(self, limit: Limit, now_s: float) -> None:
        self.limit = limit
        self.waiting = 0
        self._in_use = 0
        self._held = 0
        """Of Redis."""
        self._others = 0
        self._told_s = now_s
        self._refuses_until_s = 0.0

    def look(self, now_s: float) -> Verdict:
        if self._in_use < min(self._held, self.limit.amount):
            return Verdict.YES
        return Verdict.NO if now_s < self._refuses_until_s else Verdict.ASK

    def take(self, now_s: float) -> bool:
        self._in_use += 1
        return False

    def look_alone(self, now_s: float) -> Verdict:
        return Verdict.YES if self._in_use < self.limit.amount else Verdict.NO

    def take_alone(self, now_s: float) -> None:
        self._in_use += 1

    def end(self, now_s: float) -> bool:
        """A call has ended. Whether Redis should be told now."""
        self._in_use -= 1
        self._refuses_until_s = 0.0
        return self.is_due(now_s)

    def change(self, limit: Limit) -> None:
        self.limit = limit
        self._refuses_until_s = 0.0

    def ask(self, now_s: float) -> Ask:
        """Until the answer is here, only those places are used that Redis is told of now."""
        self._told_s = now_s
        spare = self._in_use // 4 + 1 if self._in_use or self.waiting else 0
        kept = min(spare, max(0, self._held - self._in_use)) if self.limit.amount >= KEEPS_SPARE else 0
        self._held = self._in_use + kept
        return Ask("slots", self.limit.amount, self.waiting, spare - kept, self._held)

    def hear(self, heard: Heard, now_s: float) -> None:
        self._held += heard.granted
        self._others = heard.rest
        # Nothing is granted either where nothing was asked for, and somebody waits only since.
        if not heard.granted and self._others + self._held >= self.limit.amount:
            self._refuses_until_s = now_s + REFUSES_S

    def lose(self, now_s: float) -> None:
        """All of it is said again at the next occasion."""
        self._held = 0

    def is_due(self, now_s: float) -> bool:
        spare = self._held - self._in_use
        if spare > 0 and self.limit.amount < KEEPS_SPARE:
            return True
        return (self._held > 0 or self._in_use > 0) and now_s - self._told_s >= RENEWED_S

    def is_idle(self, now_s: float) -> bool:
        return not (self.waiting or self._in_use or self._held)

    def retire(self) -> None:
        """Nothing is held beside what is in use."""

    def wait_s(self, now_s: float) -> float:
        return PAUSE_S

    def left(self, now_s: float) -> int:
        return max(0, self.limit.amount - self._others - self._in_use)

    def full_in_s(self, now_s: float) -> float:
        return PAUSE_S
