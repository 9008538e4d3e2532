"""Take a share of a rate that is paid for afterwards. What a call used is known only after it has run, and may become a
debt.

A caller who has used more than was left waits until the debt is paid off.
"""

from tenants.limits.rates.asking import Ask, Heard, Verdict
from tenants.limits.rates.known import KnownBucket
from tenants.limits.rates.limits import WINDOW_S, Limit
from tenants.limits.rates.slice import FORGOTTEN_S

FRESH_S = 1.0
"""The time after which Redis is asked how much other processes have used."""
FRESH_WHEN_LOW_S = 0.25
"""The same time if less than half is left."""
TRUSTED_S = 2.0
"""The time after which no request is admitted until Redis has answered."""
TOLD_AT_PART = 16
"""The divisor for the part of the limit whose use is reported immediately, so that other processes take it into
account.
"""


class Tab:
    def __init__(self, limit: Limit, now_s: float) -> None:
        self.limit = limit
        self.waiting = 0
        self._known = KnownBucket()
        self._heard_s = float("-inf")
        self._asked_s = float("-inf")
        self._looked_s = now_s
        self._debit = 0
        """The amount that was used and has not been reported."""
        self._telling = 0

    def charge(self, count: int) -> bool:
        """Count the use. Return whether it should be reported to Redis immediately; otherwise it is reported with the
        next sweep.
        """
        self._debit += count
        return self._debit * TOLD_AT_PART > self.limit.amount

    def look(self, now_s: float) -> Verdict:
        self._looked_s = now_s
        if now_s - self._heard_s > TRUSTED_S:
            return Verdict.ASK
        return self.look_alone(now_s)

    def take(self, now_s: float) -> bool:
        return False  # what it will have used is told later

    def look_alone(self, now_s: float) -> Verdict:
        return Verdict.YES if self._available(now_s) > 0 else Verdict.NO

    def take_alone(self, now_s: float) -> None:
        """Do nothing: what the call uses is not known yet."""

    def change(self, limit: Limit) -> None:
        self.limit = limit

    def ask(self, now_s: float) -> Ask:
        self._asked_s = now_s
        self._telling, self._debit = self._debit, 0
        return Ask("rate", self.limit.amount, debit=self._telling)

    def hear(self, heard: Heard, now_s: float) -> None:
        self._telling = 0
        self._heard_s = now_s
        self._known.hear(heard.rest, now_s)

    def lose(self, now_s: float) -> None:
        """Report the use once more. If Redis had received it the first time, it is counted twice rather than never."""
        self._debit += self._telling
        self._telling = 0

    def is_due(self, now_s: float) -> bool:
        if self._debit:
            return True
        low = self._available(now_s) < self.limit.amount / 2
        fresh_s = FRESH_WHEN_LOW_S if low else FRESH_S
        return now_s - self._looked_s < TRUSTED_S and now_s - max(self._heard_s, self._asked_s) >= fresh_s

    def is_idle(self, now_s: float) -> bool:
        return not self.waiting and not self._debit and now_s - self._looked_s > FORGOTTEN_S

    def retire(self) -> None:
        """Do nothing: no amounts are held in advance."""

    def wait_s(self, now_s: float) -> float:
        return max(0.0, self.full_in_s(now_s) - WINDOW_S + WINDOW_S / self.limit.amount)

    def left(self, now_s: float) -> int:
        return max(0, self._available(now_s))

    def full_in_s(self, now_s: float) -> float:
        return self._known.full_in_s(now_s) + self._untold_s

    def _available(self, now_s: float) -> int:
        return self._known.available(self.limit.amount, now_s) - self._debit - self._telling

    @property
    def _untold_s(self) -> float:
        return (self._debit + self._telling) * WINDOW_S / self.limit.amount
