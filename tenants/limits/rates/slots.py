"""Take a share of the calls that may be in progress at the same time. A process holds slots and gives them back."""

from tenants.limits.rates.asking import Ask, Heard, Verdict
from tenants.limits.rates.limits import Limit
from tenants.limits.rates.slice import REFUSES_S

RENEWED_S = 1.0
"""The interval between reports to Redis. After four times as long without a report, a process counts as dead."""
KEEPS_SPARE = 64
"""The smallest limit under which free slots are kept. With a smaller limit, a free slot is given back immediately."""
PAUSE_S = 1.0
"""The time after which a refused caller is asked to retry, because it is not known when a call will end."""


class Slots:
    def __init__(self, limit: Limit, now_s: float) -> None:
        self.limit = limit
        self.waiting = 0
        self._in_use = 0
        self._held = 0
        """The number of slots that Redis has granted."""
        self._others = 0
        self._told_s = self._used_s = now_s
        self._refuses_until_s = 0.0

    def look(self, now_s: float) -> Verdict:
        if self._in_use < min(self._held, self.limit.amount):
            return Verdict.YES
        return Verdict.NO if now_s < self._refuses_until_s else Verdict.ASK

    def take(self, now_s: float) -> bool:
        self._in_use += 1
        self._used_s = now_s
        return False

    def look_alone(self, now_s: float) -> Verdict:
        return Verdict.YES if self._in_use < self.limit.amount else Verdict.NO

    def take_alone(self, now_s: float) -> None:
        self._in_use += 1

    def end(self, now_s: float) -> bool:
        """Release the slot of a call that has ended. Return whether this should be reported to Redis now."""
        self._in_use -= 1
        self._refuses_until_s = 0.0
        return self.is_due(now_s)

    def change(self, limit: Limit) -> None:
        self.limit = limit
        self._refuses_until_s = 0.0

    def ask(self, now_s: float) -> Ask:
        """Return the request to Redis. Until its answer arrives, only the slots that it reports are used."""
        self._told_s = now_s
        lately = self.limit.amount >= KEEPS_SPARE and now_s - self._used_s < RENEWED_S
        is_used = self._in_use or self.waiting or lately
        spare = self._in_use // 4 + 1 if is_used else 0
        kept = min(spare, max(0, self._held - self._in_use)) if self.limit.amount >= KEEPS_SPARE else 0
        self._held = self._in_use + kept
        return Ask("slots", self.limit.amount, self.waiting, spare - kept, self._held)

    def hear(self, heard: Heard, now_s: float) -> None:
        self._held += heard.granted
        self._others = heard.rest
        # Nothing is granted either if nothing was requested and a caller began to wait only afterwards.
        if not heard.granted and self._others + self._held >= self.limit.amount:
            self._refuses_until_s = now_s + REFUSES_S

    def lose(self, now_s: float) -> None:
        """Note the lost answer. The next request reports the whole state again."""
        self._held = 0

    def is_due(self, now_s: float) -> bool:
        spare = self._held - self._in_use
        if spare > 0 and self.limit.amount < KEEPS_SPARE:
            return True
        return (self._held > 0 or self._in_use > 0) and now_s - self._told_s >= RENEWED_S

    def is_idle(self, now_s: float) -> bool:
        return not (self.waiting or self._in_use or self._held)

    def retire(self) -> None:
        """Do nothing: the next request reports only the slots in use."""

    def wait_s(self, now_s: float) -> float:
        return PAUSE_S

    def left(self, now_s: float) -> int:
        return max(0, self.limit.amount - self._others - self._in_use)

    def full_in_s(self, now_s: float) -> float:
        return PAUSE_S
