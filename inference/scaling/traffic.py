"""The requests that came to a pool, and those that are expected: as they come now, or as they came a week ago."""

import math
from collections import deque
from dataclasses import dataclass, field

import numpy as np

from inference.scaling.pool import Expected

MINUTE_S = 60.0
WEEK = 7 * 24 * 60
"""The minutes after which traffic repeats itself."""
KEPT = 2 * WEEK
QUICK_S, SLOW_S = 15.0, 300.0
SURPRISE = 4.0
"""The multiples of chance above which a change of the rate is believed at once."""
SMOOTH = 2
"""The minutes before and after one whose mean is taken for it."""
LEVEL_MINUTES = 60
FEW = 100 / MINUTE_S
"""The requests of an hour, as a sum of its rates, that are no news. A ratio of small numbers is mostly chance."""
LEARN = 1 / (24 * 60)
LEAST_JUDGED = 60
"""The predictions that must have been judged before the better one is chosen."""


@dataclass(slots=True)
class Judged:
    """The errors of one way to predict, as mean squares relative to the rate. Recent ones count more."""

    mean_square: float = 0.0
    times: int = 0

    def learn(self, predicted: float, came: float) -> None:
        error = (predicted - came) / max(came, 1 / MINUTE_S)
        self.times += 1
        self.mean_square += max(LEARN, 1 / self.times) * (min(error, 3.0) ** 2 - self.mean_square)

    @property
    def spread(self) -> float:
        return math.sqrt(self.mean_square)


@dataclass(slots=True)
class Traffic:
    """The requests by minute, those of the last minutes in detail, and how well each way predicts them."""

    lead_s: float
    predicts: bool = True
    _recent: deque[tuple[float, float, int]] = field(default_factory=deque)
    """The beginnings, lengths and requests of the last observations."""
    _minutes: "np.ndarray" = field(default_factory=lambda: np.full(KEPT, np.nan))
    _minute: int = -1
    _in_minute: float = 0.0
    _reactive: Judged = field(default_factory=Judged)
    _weekly: Judged = field(default_factory=Judged)
    _due: deque[tuple[int, float, float | None]] = field(default_factory=deque)
    """The minutes of predictions that are not judged yet, with what each way predicted."""

    def came(self, since_s: float, until_s: float, requests: int) -> None:
        """Record the requests of a time. It ends after all that were recorded before."""
        self._recent.append((since_s, until_s - since_s, requests))
        while self._recent and self._recent[0][0] + self._recent[0][1] <= until_s - SLOW_S:
            self._recent.popleft()
        minute = int(since_s // MINUTE_S)
        if minute != self._minute:
            self._end_minute(minute)
        self._in_minute += requests

    def rate(self) -> tuple[float, bool]:
        """Return the requests per second now, and whether they have changed at once."""
        slow, quick = self._over(SLOW_S), self._over(QUICK_S)
        chance = math.sqrt(max(slow, 1 / SLOW_S) / QUICK_S)
        changed = abs(quick - slow) > SURPRISE * chance
        return (quick, True) if changed else (slow, False)

    def expected(self, at_s: float, *, step_s: float, steps: int) -> tuple[Expected, bool]:
        """Return what is expected from now on, and whether it is what came a week ago."""
        now, changed = self.rate()
        weekly = self._weekly_from(at_s, step_s, steps) if self.predicts and self._weekly_is_better() else None
        if weekly is not None and not (changed and now > 1.5 * float(weekly[0])):
            return self._as_expected(step_s, weekly, self._weekly.spread), True
        trend = 0.0 if changed else self._trend()
        ahead = np.arange(steps) * step_s
        rates = np.clip(now + trend * np.minimum(ahead, self.lead_s + SLOW_S), 0.25 * now, 4 * now)
        noise = 1 / math.sqrt(max(1.0, now * (QUICK_S if changed else SLOW_S)))
        return self._as_expected(step_s, rates, noise), False

    def _as_expected(self, step_s: float, rates: "np.ndarray", spread: float) -> Expected:
        hour, day = self._past(60), self._past(24 * 60)
        usual = float(np.median(hour)) if len(hour) else 0.0
        per_day = float(day.mean()) * 24 * 3600 if len(day) else 0.0
        return Expected(step_s, tuple(rates.tolist()), spread, usual, per_day)

    def _over(self, window_s: float) -> float:
        covered, count = 0.0, 0.0
        for _, length_s, requests in reversed(self._recent):
            part = min(1.0, (window_s - covered) / length_s)
            covered += part * length_s
            count += part * requests
            if covered >= window_s:
                break
        return count / covered if covered else 0.0

    def _trend(self) -> float:
        """Return the change of the rate in a second, over the last half an hour, if it is more than chance."""
        past = self._past(30)
        if len(past) < 30:
            return 0.0
        older, newer = past[:15].mean(), past[15:].mean()
        slope = (newer - older) / (15 * MINUTE_S)
        chance = math.sqrt(max(older + newer, 1e-9) / (15 * MINUTE_S)) / (15 * MINUTE_S)
        return float(slope) if abs(slope) > 2 * chance else 0.0

    def _past(self, minutes: int) -> "np.ndarray":
        found = self._minutes[np.arange(self._minute - minutes, self._minute) % KEPT]
        known: np.ndarray = found[~np.isnan(found)]
        return known

    def _weekly_is_better(self) -> bool:
        weekly, reactive = self._weekly, self._reactive
        return weekly.times >= LEAST_JUDGED and weekly.mean_square < reactive.mean_square

    def later(self, at_s: float, every_s: float, times: int) -> tuple[float, ...]:
        """Return the highest rate that came a week ago in each of so many times from one lead after now."""
        first = int((at_s + self.lead_s) / MINUTE_S)
        ends = np.ceil((at_s + self.lead_s + np.arange(1, times + 1) * every_s) / MINUTE_S).astype(int) - first
        curve = np.nan_to_num(self._week_before(np.arange(first, first + int(ends[-1])))) * self._level()
        begins = np.minimum(np.concatenate(([0], ends[:-1])), ends - 1)
        return tuple(float(curve[begin:end].max()) for begin, end in zip(begins, ends, strict=True))

    def _weekly_from(self, at_s: float, step_s: float, steps: int) -> "np.ndarray | None":
        first = at_s / MINUTE_S
        wanted = first + np.arange(steps) * step_s / MINUTE_S
        minutes = np.arange(int(first), int(wanted[-1]) + 2)
        curve = self._week_before(minutes)
        return None if np.isnan(curve).any() else np.interp(wanted, minutes, curve) * self._level()

    def _week_before(self, minutes: "np.ndarray") -> "np.ndarray":
        """Return the rate a week before each of these minutes, NaN where it is not known."""
        around = minutes[:, None] - WEEK + np.arange(-SMOOTH, SMOOTH + 1)
        found = self._minutes[around % KEPT]
        known = ~np.isnan(found)
        count = known.sum(axis=1)
        mean: np.ndarray = np.where(known, found, 0.0).sum(axis=1) / np.maximum(count, 1)
        return np.where(count > 0, mean, np.nan)

    def _level(self) -> float:
        """Return how much more comes than a week ago, over the last hour."""
        lately = np.arange(self._minute - LEVEL_MINUTES, self._minute)
        now, before = self._minutes[lately % KEPT], self._minutes[(lately - WEEK) % KEPT]
        known = ~(np.isnan(now) | np.isnan(before))
        if not known.any() or before[known].sum() <= 0:
            return 1.0
        # A few requests more or fewer say little.
        return float(np.clip((now[known].sum() + FEW) / (before[known].sum() + FEW), 0.5, 2.0))

    def _end_minute(self, minute: int) -> None:
        if self._minute >= 0:
            self._minutes[self._minute % KEPT] = self._in_minute / MINUTE_S
            for missing in range(self._minute + 1, min(minute, self._minute + KEPT)):
                self._minutes[missing % KEPT] = 0.0
        self._minute, self._in_minute = minute, 0.0
        self._judge(minute)

    def _judge(self, minute: int) -> None:
        while self._due and self._due[0][0] < minute:
            about, reactive, weekly = self._due.popleft()
            came = float(self._minutes[about % KEPT])
            self._reactive.learn(reactive, came)
            if weekly is not None and not math.isnan(weekly):
                self._weekly.learn(weekly, came)
        ahead = max(1, round(self.lead_s / MINUTE_S))
        weekly = float(self._week_before(np.array([minute + ahead]))[0]) * self._level() if self.predicts else None
        self._due.append((minute + ahead, self.rate()[0], weekly))
