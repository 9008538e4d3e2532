"""Take a share of a rate that is paid for in advance. It is leased from Redis in portions that fit the present pace."""

import math
from collections import deque
from dataclasses import dataclass

from tenants.limits.rates.asking import Ask, Heard, Verdict
from tenants.limits.rates.known import KnownBucket
from tenants.limits.rates.limits import Limit

AHEAD_S = 0.4
"""The time that a leased portion should last."""
KEPT_S = 1.0
"""The time after which an unused portion is given back, because other processes may need it."""
SMALL_DIVISOR = 1_000
"""The divisor of the limit for a portion that is so small that no other process lacks it. It is leased in advance even
if the pace does not need it, and kept for `SMALL_KEPT_S`, so that many callers who are seldom there cost few requests.
"""
SMALL_KEPT_S = 10.0
LARGE = 10_000
"""The smallest limit of which such portions are leased."""
REFUSES_S = 0.25
"""The longest time for which callers are refused without asking Redis, because other processes may have given something
back in the meantime.
"""
FORGOTTEN_S = 10.0
PACE_WINDOW_S = 0.2


@dataclass(slots=True)
class _Lot:
    count: int
    until_s: float


class Slice:
    def __init__(self, limit: Limit, now_s: float) -> None:
        self.limit = limit
        self.waiting = 0
        self._lots: deque[_Lot] = deque()
        self._held = 0
        self._old = 0
        """The amount that was leased too long ago to be used."""
        self._low = 0.0
        """The amount below which more is requested."""
        self._granted = 0
        self._granted_s = float("-inf")
        """The time of the last grant."""
        self._known = KnownBucket()
        self._refuses_until_s = 0.0
        self._pace = _Pace(now_s)
        self._soft = 0
        self._telling_soft = 0
        self._told_s = now_s

    def look(self, now_s: float) -> Verdict:
        self._drop(now_s)
        if self._lots:
            return Verdict.YES
        return Verdict.NO if now_s < self._refuses_until_s else Verdict.ASK

    def take(self, now_s: float) -> bool:
        self._lots[0].count -= 1
        self._held -= 1
        self._pace.count(now_s)
        return self._held < self._low

    def look_alone(self, now_s: float) -> Verdict:
        self._drop(now_s)
        there = self._held > 0 or self._known.available(self.limit.amount, now_s) > 0
        return Verdict.YES if there else Verdict.NO

    def take_alone(self, now_s: float) -> None:
        if self._held:
            self._lots[0].count -= 1
            self._held -= 1
        else:
            self._known.take(1, self.limit.amount, now_s)
            self._soft += 1

    def change(self, limit: Limit) -> None:
        """Change the limit. What was leased under the old limit is dropped, because it could be worth more under the
        new one.
        """
        self.limit = limit
        self._lots.clear()
        self._held = self._old = 0
        self._refuses_until_s = 0.0

    def ask(self, now_s: float) -> Ask:
        self._drop(now_s)
        expected = math.ceil(self._pace.per_s(now_s) * AHEAD_S)
        if self.waiting and now_s - self._granted_s < AHEAD_S:
            # The last portion is used up already, so the caller is becoming busy.
            expected = max(expected, 2 * self._granted)
        expected = max(expected, self._small)
        self._low = expected / 2
        back, soft = self._old, self._soft
        self._old = self._soft = 0
        self._telling_soft = soft
        self._told_s = now_s
        want = max(0, expected - self._held)
        return Ask("rate", self.limit.amount, self.waiting, want, back, 0, soft)

    def hear(self, heard: Heard, now_s: float) -> None:
        self._telling_soft = 0
        self._known.hear(heard.rest, now_s)
        if heard.granted:
            # Requests that were admitted alone because this answer came late are paid for from it, because it was
            # requested for them.
            paid = min(heard.granted, self._soft)
            self._soft -= paid
            kept_s = SMALL_KEPT_S if heard.granted <= 2 * self._small else KEPT_S
            self._add(_Lot(heard.granted - paid, now_s + kept_s))
            self._held += heard.granted - paid
            self._granted, self._granted_s = heard.granted, now_s
        elif self.waiting:
            self._refuses_until_s = now_s + min(REFUSES_S, self._known.wait_s(self.limit.amount, now_s))
        # If Redis granted less than expected, it would not grant more if it was asked again immediately.
        self._low = min(self._low, heard.granted / 2)

    def lose(self, now_s: float) -> None:
        """Note the lost answer. What was given back is not given back again, because that would be too much if Redis
        had received it the first time.

        What was taken alone is reported again. If it is counted twice, it can at most use up the rate.
        """
        self._soft += self._telling_soft
        self._telling_soft = 0

    def is_due(self, now_s: float) -> bool:
        self._drop(now_s)
        return bool(self._old or self._soft)

    def is_idle(self, now_s: float) -> bool:
        return not (self.waiting or self._held or self._old) and now_s - self._told_s > FORGOTTEN_S

    def retire(self) -> None:
        self._old += self._held
        self._held = 0
        self._lots.clear()
        self._pace = _Pace(self._told_s)

    def wait_s(self, now_s: float) -> float:
        return self._known.wait_s(self.limit.amount, now_s)

    def left(self, now_s: float) -> int:
        there = self._known.available(self.limit.amount, now_s) + self._held
        return max(0, min(self.limit.amount, there))

    def full_in_s(self, now_s: float) -> float:
        return self._known.full_in_s(now_s)

    @property
    def _small(self) -> int:
        return self.limit.amount // SMALL_DIVISOR if self.limit.amount >= LARGE else 0

    def _add(self, lot: _Lot) -> None:
        """Add the lot in front of those that are kept for longer."""
        position = sum(other.until_s <= lot.until_s for other in self._lots)
        self._lots.insert(position, lot)

    def _drop(self, now_s: float) -> None:
        """Drop lots that are used up or too old, so that the first lot is one that may be used."""
        while self._lots and (self._lots[0].count == 0 or self._lots[0].until_s <= now_s):
            old = self._lots.popleft().count
            self._old += old
            self._held -= old


class _Pace:
    """The recent number of requests per second. It is 0 for a caller who sends only occasional requests."""

    def __init__(self, now_s: float) -> None:
        self._since_s = now_s
        self._count = 0
        self._per_s = 0.0

    def count(self, now_s: float) -> None:
        self._count += 1
        if now_s - self._since_s >= PACE_WINDOW_S:
            self._turn(now_s)

    def per_s(self, now_s: float) -> float:
        if now_s - self._since_s >= PACE_WINDOW_S:
            self._turn(now_s)
        return self._per_s

    def _turn(self, now_s: float) -> None:
        self._per_s = (self._per_s + self._count / (now_s - self._since_s)) / 2
        if self._per_s < 1:
            self._per_s = 0.0
        self._since_s, self._count = now_s, 0
